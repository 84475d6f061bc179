"""The places of a passage that state something: its sentences, rows and lines of code, and their clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ingestion.markdown.blocks import Block
from ingestion.markdown.fences import after_marks
from ingestion.markdown.inline import Span, read_spans
from ingestion.markdown.inline_markup import FORMULA
from ingestion.markdown.parser import parse_blocks
from ingestion.vector_stores.bm25 import document_vector, query_vector
from rag.grounding.code_names import code_names_in
from rag.grounding.formulas import in_one_word
from rag.grounding.passage_blocks import PassageBlock, blocks_of
from rag.grounding.quantities import quantities_in
from rag.grounding.sentences import sentence_spans

if TYPE_CHECKING:
    from rag.models import SearchResult

TEXTS_KEPT = 8192
"""Of how many texts the words are remembered, some 16 MB: passages that are shown often are shown again."""

_CLAUSE_END = re.compile(r"`[^`]*`|[,:;](?=\s)|\b(?=(?:and|but|or|while|because|if|when|unless|so)\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of prose or of an item, a row or a line of code, as text without markup."""

    block: PassageBlock
    text: str
    terms: frozenset[int]
    clauses: tuple[str, ...]


def places_in(passage: SearchResult) -> list[Place]:
    """Return everything that a passage says, in its order; a row or a line of code is one clause."""
    return [
        Place(block, text, terms_of(text), clauses_of(text) if is_prose else (text,))
        for block in blocks_of(passage)
        for text, is_prose in _pieces(block)
        if words_of(text)
    ]


def plain_text(text: str) -> str:
    """Return the words, the code and the formulas of some Markdown in one line, without marks, tags and addresses."""
    said, at = [], after_marks(text)
    for formula in FORMULA.finditer(text, at):
        said += [*map(_said, read_spans(text[at : formula.start()])), in_one_word(formula[0])]
        at = formula.end()
    return " ".join("".join([*said, *map(_said, read_spans(text[at:]))]).split())


def _said(span: Span) -> str:
    return {"code": f"`{span.text}`", "tag": "", "note": ""}.get(span.kind, span.text)


@lru_cache(maxsize=TEXTS_KEPT)
def terms_of(text: str) -> frozenset[int]:
    """Return the words of a text as the search knows them, and those that an identifier is made of."""
    words = f"{text} {text.replace('_', ' ')}" if "_" in text else text
    return frozenset(document_vector(words).indices)


@lru_cache(maxsize=TEXTS_KEPT)
def words_of(text: str) -> frozenset[int]:
    """Return the words of a text without stop words."""
    return frozenset(query_vector(text).indices)


@lru_cache(maxsize=TEXTS_KEPT)
def clauses_of(text: str) -> tuple[str, ...]:
    """Return the parts of a sentence that say something each; a fragment belongs to the one before it."""
    clauses: list[str] = []
    for part in _parts(text):
        says_little = len(words_of(part)) < 2 and not quantities_in(part) and not code_names_in(part)
        if clauses and (says_little or not words_of(clauses[-1])):
            clauses[-1] += f" {part}" if clauses[-1][-1] in ".,;:" else f", {part}"
        else:
            clauses.append(part)
    return tuple(clauses)


def _parts(text: str) -> Iterator[str]:
    ends = [found for found in _CLAUSE_END.finditer(text) if not found[0].startswith("`")]
    starts = [0, *(found.end() for found in ends)]
    parts = (text[start:end].strip() for start, end in zip(starts, [*(f.start() for f in ends), None], strict=True))
    return filter(None, parts)


def _pieces(block: PassageBlock) -> Iterator[tuple[str, bool]]:
    """Yield what a block says, piece by piece, and whether it is prose."""
    lines = block.text.split("\n")
    for leaf in _leaves(parse_blocks(lines, block.passage.page_syntax)):
        said = lines[leaf.start : leaf.end]
        if leaf.kind == "table":
            yield from ((plain_text(row), False) for row in _rows(said))
        elif leaf.kind in ("fence", "code"):
            inner = said[1 : len(said) - leaf.closed] if leaf.kind == "fence" else said
            yield from ((line.lstrip(" \t>"), False) for line in inner)
        else:
            text = "\n".join(line[after_marks(line) :] for line in said)
            yield from ((plain_text(text[start:end]), True) for start, end in sentence_spans(text))


def _leaves(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield from _leaves(block.children) if block.children else (block,)


def _rows(table: Sequence[str]) -> Iterator[str]:
    """Yield each row with the head of its columns, without which "300" says nothing."""
    head, _, *rows = (line[after_marks(line) :].strip().strip("|").replace(r"\|", "\0").split("|") for line in table)
    for row in rows:
        cells = ((name.strip(), cell.strip().replace("\0", "|")) for name, cell in zip(head, row, strict=False))
        yield "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)

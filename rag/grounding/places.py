"""The places of a passage that state something: its sentences, list items and table rows, and their clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ingestion.vector_stores.bm25 import document_vector, query_vector
from rag.grounding.code_names import code_names_in
from rag.grounding.passage_blocks import PassageBlock, blocks_of
from rag.grounding.quantities import quantities_in
from rag.grounding.sentences import sentence_spans

if TYPE_CHECKING:
    from rag.models import SearchResult

TEXTS_KEPT = 8192
"""Of how many texts the words are remembered, some 16 MB: passages that are shown often are shown again."""

_FENCED = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n`]*\n(?:.*?\n)??[ \t>]*(?P=fence)[ \t]*$|^[ \t>]*(?:`{3,}|~{3,}).*\Z",
    re.DOTALL | re.MULTILINE,
)
_MARKS = re.compile(r"^(?:\s*(?:>|[-*+]|#{1,6}|\d{1,3}[.)])\s+)+")
_TAGS = re.compile(r"<!--.*?-->|</?[a-z][a-z0-9]*(?: [^<>]*)?/?>", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_EMPHASIS = re.compile(
    r"(?<![\w*])(\*{1,3})(?=\S)([^*`]+?)(?<=\S)\1(?!\w)|(?<!\w)(_{1,3})(?=\S)([^_`]+?)(?<=\S)\3(?!\w)"
)
_SPAN = re.compile(r"(`[^`]*`)")
_NEXT_ITEM = re.compile(r"\n(?=\s*(?:>\s*)?(?:[-*+]|\d+[.)])\s)|\n\s*>?\s*\n")
_QUOTE_MARK = re.compile(r"\n\s*>\s?")
_CELL = re.compile(r"(?<!\\)\|")
_CLAUSE_END = re.compile(
    r"`[^`]*`|[,:](?=\s)|\s[—–-]\s|—|\s\((?=\w)|(?<!\()\)(?=[\s,.;]|$)"
    r"|\b(?=(?:and(?!\s+\d)|but|or|while|because|(?<!only )if|(?<!only )when|unless|until|although|whereas|so that"
    r"|then|since)\s)",
    re.IGNORECASE,
)
_STOP = re.compile(r";\s|(?<=[.!?])\s")


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of prose or of an item, or a row, as text without markup."""

    block: PassageBlock
    text: str
    terms: frozenset[int]
    clauses: tuple[str, ...]


def places_in(passage: SearchResult) -> list[Place]:
    """Return everything that a passage says, in its order."""
    texts = ((block, text) for block in blocks_of(passage) for text in _pieces(block) if words_of(text))
    return [Place(block, text, terms_of(text), clauses_of(text)) for block, text in texts]


def plain_text(text: str) -> str:
    """Return the words and the code of some Markdown in one line, without marks, tags, emphasis and addresses."""
    bare = _LINK.sub(r"\1", _TAGS.sub("", _MARKS.sub("", text)))
    parts = _SPAN.split(bare)
    said = (part if at % 2 else _EMPHASIS.sub(r"\2\4", part) for at, part in enumerate(parts))
    return " ".join("".join(said).split())


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
    return tuple(clause for part in _STOP.split(text) for clause in _clauses(part))


def _clauses(text: str) -> Iterator[str]:
    begun = ""
    for part in _parts(text):
        says_little = len(words_of(part)) < 2 and not quantities_in(part) and not code_names_in(part)
        if begun and (says_little or not words_of(begun)):
            begun = f"{begun} {part}" if begun[-1] in ".,;:" else f"{begun}, {part}"
            continue
        if begun:
            yield begun
        begun = part
    if begun:
        yield begun


def _parts(text: str) -> Iterator[str]:
    start = 0
    for found in (*_CLAUSE_END.finditer(text), None):
        if found and found[0].startswith("`"):
            continue
        part = text[start : found.start() if found else len(text)].strip()
        start = found.end() if found else len(text)
        if part:
            yield part


def _pieces(block: PassageBlock) -> Iterator[str]:
    """Yield what a block says, piece by piece; code line by line."""
    if block.kind == "table":
        yield from map(plain_text, _rows(block.text))
        return
    at = 0
    for fence in _FENCED.finditer(block.text):
        yield from _said_pieces(block.text[at : fence.start()], block.kind)
        yield from fence[0].split("\n")
        at = fence.end()
    rest = block.text[at:]
    yield from rest.split("\n") if block.kind == "code" else _said_pieces(rest, block.kind)


def _said_pieces(text: str, kind: str) -> Iterator[str]:
    parts = [text] if kind in ("paragraph", "fence") else _NEXT_ITEM.split(text)
    for part in (_QUOTE_MARK.sub("\n", part) for part in parts):
        yield from (plain_text(part[start:end]) for start, end in sentence_spans(part))


def _rows(table: str) -> Iterator[str]:
    """Yield each row with the head of its columns, without which "300" says nothing."""
    lines = [
        [cell.strip() for cell in _CELL.split(line.strip().strip("|"))] for line in table.split("\n") if "|" in line
    ]
    for line in lines[2:]:
        yield "; ".join(
            f"{name}: {cell}" if name else cell for name, cell in zip(lines[0], line, strict=False) if cell
        )

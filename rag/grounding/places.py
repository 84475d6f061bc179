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

MAX_ITEM_CHARS = 320
"""Up to this length an item of a list is one place: its sentences speak of what its first words name."""

MAX_HEAD_WORDS = 5

_HEAD = re.compile(r"([^.:;!?]{2,60}?)(?::|\s[–—-])\s")
_TERM = re.compile(r"(?:(?:The|An?) )?\*\*([^*]{2,60}?)[.:]?\*\*", re.IGNORECASE)
_FIRST_CELL = re.compile(r"(?:[^:;]{1,60}: )?([^;]{1,60})")
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
_NOT_SET = r"(?:specified|configured|stated|told|set|changed|said|noted|given|chosen|asked)"
_SET = r"(?:say|specify|choose|set|change|configure|give|pick|pass)"
_BY_DEFAULT = re.compile(
    r"\bwithout (?:any |(?:any )?(?:further|other|another|additional|explicit|special) )"
    r"(?:information|instructions?|settings?|options?|arguments?|configuration|hints?|annotations?|changes?)\b"
    rf"|\bunless (?:it is |you are )?(?:otherwise {_NOT_SET}|{_NOT_SET} otherwise)\b"
    r"|\bunless you (?:say|specify|ask) otherwise\b"
    rf"|\b(?:if|when|where) (?:nothing(?: else)?|none|no(?: \w+){{1,2}}) (?:is|are|was|has been) {_NOT_SET}\b"
    rf"|\b(?:if|when) you (?:do not|don['’]t) {_SET}"
    r"(?: (?:anything|one|it|otherwise|an?(?: \w+){1,2}))?(?=\W*$|,)"
    rf"|\bif you {_SET} (?:nothing|no(?: \w+){{1,2}})\b"
    r"|\bunless (?:\w+ ){0,3}"
    r"(?:sets?|chooses?|changes?|specif(?:y|ies)|configures?|says?|gives?|is (?:set|chosen|given))"
    r" (?:another|one|it|something else|a different)(?: \w+)?"
    r"|\bwithout (?:(?:an?|any) )?(?:\w+ )?(?:value|setting|choice) of (?:your|its) own\b|\bout of the box\b",
    re.IGNORECASE,
)
_NEXT_ITEM = re.compile(r"\n(?=\s*(?:>\s*)?(?:[-*+]|\d+[.)])\s)|\n\s*>?\s*\n")
_QUOTE_MARK = re.compile(r"\n\s*>\s?")
_CELL = re.compile(r"(?<!\\)\|")
_LEANS = re.compile(
    r"\W*(?:it|its|they|them|their|this|that|these|those|he|she|such|the latter|the former|both|otherwise|instead|so"
    r"|in short)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"`[^`]*`|[,:](?=\s)|\s[—–-]\s|—|\s\((?=\w)|(?<!\()\)(?=[\s,.;]|$)"
    r"|\b(?=(?:and(?!\s+\d)|but|or|while|because|(?<!only )if|(?<!only )when|unless|until|although|whereas|so that"
    r"|then|since)\s)",
    re.IGNORECASE,
)
_STOP = re.compile(r";\s|(?<=[.!?])\s")


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence, an item or a row, as text without markup; `context` begins with the sentence that it leans on.

    `head` is what an item or a row is about: what stands before its colon or dash, or in its first cell.
    """

    block: PassageBlock
    text: str
    context: str
    terms: frozenset[int]
    clauses: tuple[str, ...]
    head: str = ""
    is_code: bool = False


def places_in(passage: SearchResult) -> list[Place]:
    """Return everything that a passage says, in its order."""
    found: list[Place] = []
    for block in blocks_of(passage):
        before = head = ""
        for text, is_first, is_code in _pieces(block):
            if not words_of(text):
                continue
            if is_first:
                head = head_of(block.text if block.kind == "paragraph" else text, block.kind)
            context = f"{before} {text}" if before and _LEANS.match(text) else text
            is_item = block.kind not in ("paragraph", "table") and len(text) <= MAX_ITEM_CHARS // 2
            clauses = tuple(_STOP.split(text)) if is_item else clauses_of(text)
            found.append(Place(block, text, context, terms_of(context), clauses, head, is_code))
            before = text
    return found


def plain_text(text: str) -> str:
    """Return the words and the code of some Markdown in one line, without marks, tags, emphasis and addresses."""
    bare = _LINK.sub(r"\1", _TAGS.sub("", _MARKS.sub("", text)))
    parts = _SPAN.split(bare)
    return " ".join(
        "".join(part if at % 2 else _EMPHASIS.sub(r"\2\4", part) for at, part in enumerate(parts)).split()
    )


def said_in(text: str) -> str:
    """Return the plain text with every way to say "by default" that names nothing written as that."""
    return _BY_DEFAULT.sub("by default", plain_text(text))


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


def head_of(text: str, kind: str) -> str:
    """Return what an item or a row is about, empty for prose."""
    found = {"paragraph": _TERM, "table": _FIRST_CELL}.get(kind, _HEAD).match(text)
    return found[1].strip() if found and len(found[1].split()) <= MAX_HEAD_WORDS else ""


def _pieces(block: PassageBlock) -> Iterator[tuple[str, bool, bool]]:
    """Yield what a block says, piece by piece, whether an item or a row begins with it, and whether it is code."""
    if block.kind == "table":
        yield from ((said_in(row), True, False) for row in _rows(block.text))
        return
    at = 0
    for fence in _FENCED.finditer(block.text):
        yield from _said_pieces(block.text[at : fence.start()], block.kind)
        yield from _lines(fence[0])
        at = fence.end()
    if block.kind == "code":
        yield from _lines(block.text)
    else:
        yield from _said_pieces(block.text[at:], block.kind)


def _lines(code: str) -> Iterator[tuple[str, bool, bool]]:
    yield from ((" ".join(line.split()), False, True) for line in code.split("\n"))


def _said_pieces(text: str, kind: str) -> Iterator[tuple[str, bool, bool]]:
    parts = [text] if kind in ("paragraph", "fence") else _NEXT_ITEM.split(text)
    for part in (_QUOTE_MARK.sub("\n", part) for part in parts):
        spans = sentence_spans(part)
        if kind != "paragraph" and spans and len(part) <= MAX_ITEM_CHARS:
            spans = [(spans[0][0], spans[-1][1])]
        yield from ((said_in(part[start:end]), at == 0, False) for at, (start, end) in enumerate(spans))


def _rows(table: str) -> Iterator[str]:
    """Yield each row with the head of its columns, without which "300" says nothing."""
    lines = [line for line in table.split("\n") if "|" in line]
    if len(lines) < 3:
        yield from lines
        return
    head = _cells(lines[0])
    for line in lines[2:]:
        cells = zip(head, _cells(line), strict=False)
        yield "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(line.strip().strip("|"))]

"""Excerpts of the book that answer: a few short ones, or one longer one where a single place is far ahead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from rag.grounding.passage_blocks import PassageBlock
from rag.grounding.sentences import sentence_spans
from rag.models import SearchResult
from rag.quoting.rendering import ShownBlock, plain_title
from rag.quoting.spots import Spot, Spots

MAX_CHARS = 1_000
"""How long the section that a question names is quoted at most, and a paragraph that is quoted whole."""

SHORT_CHARS = 350
"""How long an excerpt is at most, but for one block. Three of 350 hold the fact more often than one of 1,000, and say
it sooner: in the first 1,000 characters 72 times against 65, in the first 400 64 against 59, of 91 questions over two
books."""

MOST_EXCERPTS = 3

LARGE_LEAD = 0.2
"""From this lead over the next section on all is quoted of one; with less, a second one is as likely to answer."""

SPARE = 300
"""By how much the last block may be too long, rather than leave out the code that the text before it is about."""

MIN_PART = 60
"""A part of a block that is shorter is not worth cutting for."""

SHORT = 30
"""A quote that is shorter is shown with its heading, without which it says little."""

MAX_INTRODUCTION = 200
"""Prose before a list, a table or code is quoted with it up to this length."""

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_ITEM = re.compile(r"[^\n]*\S[^\n]*(?:\n(?![ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])[^\n]*)*(?<!\n)", re.MULTILINE)
"""The line of an item, and those up to the next one."""

_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_AN_ITEM = re.compile(rf"^{_ITEM_MARK.pattern}", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:`{3}|~{3})", re.MULTILINE)
_LABEL = re.compile(r"[^\n]{1,40}[:：]\s*")
"""A block that says nothing without the one behind it: "Example:"."""

_HEAD = re.compile(r"(?:[^\n]*\n)*?[ \t]*\|?[ \t]*:?-+[-|: \t]*\n")
"""The head of a table, with the line below it."""

_PROSE = ("paragraph", "quote")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Neighbouring blocks of one section, rendered, the one that was chosen, and where in that the answer stands.

    `answer` are offsets of a sentence in the chosen block, None where that is code or a table.
    """

    blocks: tuple[PassageBlock, ...]
    chosen: PassageBlock
    answer: Span | None

    @property
    def text(self) -> str:
        """The blocks one below the other."""
        return "\n\n".join(block.text for block in self.blocks)

    @property
    def marked(self) -> Span | None:
        """Where in the text the sentence that answers stands."""
        if self.answer is None:
            return None
        before = sum(len(block.text) + 2 for block in self.blocks[: self.blocks.index(self.chosen)])
        return before + self.answer[0], before + self.answer[1]

    @property
    def passage(self) -> SearchResult:
        """The passage that the answer was decided on."""
        return self.chosen.passage

    @property
    def heading(self) -> str:
        """What names its place: the page, and the section on it."""
        page = plain_title(self.passage.page_title) or ""
        section = self.chosen.section
        return f"{page} › {section}" if section and section != page else page

    @property
    def is_short(self) -> bool:
        """Return whether it says little without its heading."""
        return len(self.text) < SHORT


def best_excerpts(spots: Spots, *, told: str = "") -> tuple[Excerpt, ...]:
    """Return up to MOST_EXCERPTS that begin with the best spots, each block once and without what `told` holds.

    All are of one section where that is far ahead, and of a section that the question names there is one long one;
    none where all near ones are told.
    """
    cutting = _Cutting(spots, told, MAX_CHARS if spots.is_named else SHORT_CHARS)
    made: list[Excerpt] = []
    for spot in spots.of_best_section if spots.is_named or spots.lead >= LARGE_LEAD else spots.quotable:
        if len(made) == (1 if spots.is_named else MOST_EXCERPTS):
            break
        if not (made and _is_aside(spot, spots)) and (excerpt := cutting.excerpt(spot, made)):
            made.append(excerpt)
    return tuple(made)


def _is_aside(spot: Spot, spots: Spots) -> bool:
    block = spots.block(spot)
    return block is not None and block.is_aside


def untold(block: PassageBlock, told: str) -> list[PassageBlock]:
    """Return what of a block `told` lacks: of prose the sentences in a row, of anything else all or nothing."""
    if not told:
        return [block]
    if block.kind != "paragraph":
        return [] if block.text in told else [block]
    spans = sentence_spans(block.text)
    runs = groupby(spans, key=lambda span: block.text[span[0] : span[1]] in told)
    return [part_of(block, list(run)) for is_told, run in runs if not is_told]


def part_of(block: PassageBlock, spans: Sequence[Span]) -> PassageBlock:
    """Return the block from the first of these spans to the last, with the lines that it has then."""
    start, end = spans[0][0], spans[-1][1]
    before, text = block.text[:start].count("\n"), block.text[start:end]
    first = min(block.line_start + before, block.line_end)
    return replace(block, text=text, line_start=first, line_end=min(first + text.count("\n"), block.line_end))


class _Cutting:
    """Cuts excerpts of at most `room` characters out of the blocks of the spots, none of them twice."""

    def __init__(self, spots: Spots, told: str, room: int) -> None:
        self._spots = spots
        self._told = told
        self._room = room

    def excerpt(self, spot: Spot, made: Sequence[Excerpt]) -> Excerpt | None:
        """Return the excerpt that begins with a spot; None where it was quoted before, or is code too long again."""
        block = self._spots.block(spot)
        if block is None or self._is_quoted(block, made):
            return None
        left = untold(block, self._told)
        if not left:
            return None
        may_be_long = all(len(each.text) <= self._room for each in made)
        chosen = self._cut(left[0], may_be_long)
        if len(chosen.text) > self._room and not may_be_long:
            return None
        before = self._introduction(spot, block, made)
        kept = [*before, chosen]
        if chosen.text == block.text:
            kept += self._going_on(spot, self._room - sum(len(each.text) + 2 for each in kept), made, may_be_long)
        return Excerpt(tuple(kept), chosen, self._answer_in(chosen))

    def _is_quoted(self, block: PassageBlock, made: Sequence[Excerpt]) -> bool:
        return any(block.text in excerpt.text or excerpt.chosen.text in block.text for excerpt in made)

    def _is_known(self, block: PassageBlock, made: Sequence[Excerpt]) -> bool:
        return self._is_quoted(block, made) or block.text in self._told

    def _introduction(self, spot: Spot, block: ShownBlock, made: Sequence[Excerpt]) -> list[PassageBlock]:
        """Return the prose that introduces a list, a table or code: without it, none says what it is about."""
        if block.kind in _PROSE or spot.at == 0:
            return []
        before = self._spots.blocks[spot.passage.id][spot.at - 1]
        is_prose = before.kind == "paragraph" and len(before.text) <= MAX_INTRODUCTION
        return [before] if is_prose and _is_same(before, block) and not self._is_known(before, made) else []

    def _going_on(self, spot: Spot, room: int, made: Sequence[Excerpt], may_be_long: bool) -> Iterator[PassageBlock]:
        """Yield what follows in the section while it fits, at last the beginning of a block of prose, or code that is
        a little too long.
        """
        labels: list[PassageBlock] = []
        for block in takewhile(lambda each: not self._is_known(each, made), self._following(spot)):
            is_code = _FENCE.search(block.text) is not None
            room -= len(block.text) + 2
            if room < 0 and not (is_code and may_be_long and room >= -SPARE):
                if block.kind == "paragraph" and not is_code:
                    yield from _beginning(block, room + len(block.text) + 2)
                return
            if _LABEL.fullmatch(block.text):
                labels.append(block)
                continue
            yield from (*labels, block)
            labels = []

    def _following(self, spot: Spot) -> Iterator[ShownBlock]:
        """Yield the blocks behind a spot in its section, which may go on in the next passage."""
        blocks = self._spots.blocks
        own = blocks[spot.passage.id]
        for block in (*own[spot.at + 1 :], *blocks.get(spot.passage.next_chunk_id or "", ())):
            if not _is_same(block, own[spot.at]):
                return
            yield block

    def _cut(self, block: PassageBlock, may_be_long: bool) -> PassageBlock:
        """Cut a block that is too long to what answers, from its beginning where that comes early.

        Code stays whole, and so does one paragraph: what goes on from its first sentence says little without it.
        An item or a row that comes late is shown below what it stands under: the sentence that introduces the list,
        the item that it is a part of, the names of the columns.
        """
        room = MAX_CHARS if may_be_long and block.kind in _PROSE else self._room
        stays = len(block.text) <= room or _FENCE.search(block.text)
        spans = [] if stays else _pieces(block)
        if len(spans) < 2:
            return block
        head = _head(block, spans)
        first = head + self._spots.wording.nearest([block.text[start:end] for start, end in spans[head:]])
        first = 0 if len(block.text[: spans[first][1]]) <= SHORT_CHARS else first
        leads = _leads(block, spans, first, head, self._room)
        room = self._room - len(leads)
        start = spans[first][0]
        fitting = [span for span in spans[first + 1 :] if len(block.text[start : span[1]]) <= room]
        part = part_of(block, [spans[first], *fitting])
        return replace(part, text=leads + part.text)

    def _answer_in(self, block: PassageBlock) -> Span | None:
        """Return the sentence of a block that is nearest to the question; one with a colon at its end introduces."""
        spans = _sentences(block)
        spans = [span for span in spans if block.text[span[1] - 1] not in ":："] or spans
        if not spans:
            return None
        return spans[self._spots.wording.nearest([block.text[start:end] for start, end in spans])]


def _sentences(block: PassageBlock) -> list[Span]:
    """Return the sentences of prose and of items, none of code or a table."""
    if block.kind in _PROSE:
        return sentence_spans(block.text)
    code = _FENCE.search(block.text)
    text = block.text[: code.start()] if code else block.text
    if block.kind == "table":
        return []
    spans: list[Span] = []
    for line in _LINE.finditer(text):
        mark = _ITEM_MARK.match(line[0])
        start = line.start() + (mark.end() if mark else 0)
        spans += [(start + first, start + last) for first, last in sentence_spans(text[start : line.end()])]
    return spans


def _pieces(block: PassageBlock) -> list[Span]:
    """Return the sentences of prose, the items of a list, the lines of anything else, as offsets."""
    if block.kind in _PROSE:
        return sentence_spans(block.text)
    piece = _ITEM if block.kind == "list" else _LINE
    return [span for match in piece.finditer(block.text) for span in _short_spans(block.text, *match.span())]


def _head(block: PassageBlock, spans: Sequence[Span]) -> int:
    """Return how many pieces name what the others are about: the columns of a table, what stands before a list."""
    if block.kind == "table":
        names = _HEAD.match(block.text)
        return sum(start < names.end() for start, _ in spans[:-1]) if names else 0
    return sum(_depth(block.text, start) < 0 for start, _ in spans[:-1]) if block.kind == "list" else 0


def _leads(block: PassageBlock, spans: Sequence[Span], at: int, head: int, room: int) -> str:
    """Return what a piece of a list or a table stands under; of a list as much as there is room for."""
    text = block.text
    if block.kind != "list":
        return text[: spans[head][0]] if 0 < head <= at else ""
    depth, leads = _depth(text, spans[at][0]), ""
    room -= len(text[slice(*spans[at])])
    for start, end in reversed(spans[:at]):
        above = _depth(text, start)
        if above < depth and len(leads) + end - start < room:
            gap = "\n\n" if above < 0 else "\n"
            depth, leads = above, text[start:end] + gap + leads
    return leads


def _depth(text: str, start: int) -> int:
    """Return how far in the item stands that begins here; less than any for what comes before the first, more than
    any inside of one.
    """
    line = text.rfind("\n", 0, start) + 1
    mark = _ITEM_MARK.match(text, line)
    if mark and not text[line:start].strip():
        return len(mark[0]) - len(mark[0].lstrip())
    return len(text) if _AN_ITEM.search(text, 0, start) else -1


def _short_spans(text: str, start: int, end: int) -> list[Span]:
    """Return an item as it is, or its sentences where it is longer than an excerpt."""
    if len(text[start:end]) <= SHORT_CHARS:
        return [(start, end)]
    return [(start + first, start + last) for first, last in sentence_spans(text[start:end])]


def _is_same(block: PassageBlock, other: PassageBlock) -> bool:
    return (block.section, block.anchor) == (other.section, other.anchor)


def _beginning(block: PassageBlock, room: int) -> list[PassageBlock]:
    """Return the first sentences of a block that there is room for."""
    spans = [span for span in sentence_spans(block.text) if len(block.text[: span[1]]) <= room]
    return [part_of(block, spans)] if spans and len(block.text[: spans[-1][1]]) >= MIN_PART else []

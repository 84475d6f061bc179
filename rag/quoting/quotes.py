"""One excerpt of the book that answers: the best block, grown within its section to about a thousand characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rag.grounding.passage_blocks import PassageBlock
from rag.grounding.sentences import sentence_spans
from rag.models import Place, SearchResult, address
from rag.quoting.rendering import ShownBlock, plain_title, rendered_blocks
from rag.quoting.spots import Nearness, Spot, Spots

MAX_CHARS = 1_000
"""How long an excerpt is at most, except for one block of code or one table that is longer."""

SPARE = 300
"""By how much the last block may be too long, rather than leave out the code that the text before it is about."""

ENOUGH = 950
"""With less than this the excerpt goes on into what follows in the lesson."""

MIN_PART = 120
"""A part of a block that is shorter is not worth cutting for."""

SHORT = 30
"""A quote that is shorter is shown with its heading, without which it says little."""

MAX_PLACES = 3
"""How many other places are named."""

NEAR = 0.5
"""Share of the best spot's score that another place needs to be named."""

MORE = 0.65
"""Share of the best spot's score that what is quoted after it needs, when more is asked for."""

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_ITEM = re.compile(r"[^\n]*\S[^\n]*(?:\n(?![ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])[^\n]*)*(?<!\n)", re.MULTILINE)
"""The line of an item, and those up to the next one."""

_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]")

_LABEL = re.compile(r"[^\n]{1,40}[:：]\s*")
"""A block that says nothing without the one behind it: "Example:"."""

Following = Callable[[SearchResult], SearchResult | None]
"""Finds the passage after this one in its lesson, None at the lesson's end."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Neighbouring blocks of one lesson, rendered, and the one that was chosen."""

    blocks: tuple[PassageBlock, ...]
    chosen: PassageBlock

    @property
    def text(self) -> str:
        """The excerpt as it is shown: headings between its sections, and above it where it is very short."""
        parts: list[str] = []
        section = self.blocks[0].section
        if length(self.chosen.text) < SHORT and len(self.blocks) == 1 and (section or self.passage.page_title):
            parts.append(section or self.passage.page_title)
        for block in self.blocks:
            if block.section != section:
                section = block.section
                parts += [section] if section else []
            parts.append(block.text)
        return "\n\n".join(parts)

    @property
    def passage(self) -> SearchResult:
        """The passage that the answer was decided on."""
        return self.chosen.passage


def length(text: str) -> int:
    """Return the characters of a text, those of scripts that write a word with one or two of them counted double."""
    return len(text) + len(_WIDE.findall(text))


def best_excerpt(question: Nearness, spots: Spots, following: Following, *, told: str = "") -> Excerpt | None:
    """Return the excerpt around the best spot that `told` does not hold; None where all near ones are told."""
    for spot in spots.ranked:
        if not spot.text:
            continue
        if told and spot.score < MORE * spots.ranked[0].score:
            return None
        blocks = spots.blocks[spot.passage.id]
        left = untold(blocks[spot.at], told)
        if left:
            chosen = _cut(left[0], question)
            growing = _Growing(spot, chosen, spots, following, told)
            if chosen.text == blocks[spot.at].text:
                growing.grow()
            return Excerpt(tuple(growing.kept), chosen)
    return None


def other_places(spots: Spots, cited: SearchResult | None, section: str | None) -> tuple[Place, ...]:
    """Return the next best sections after the one that is cited, each once."""
    if not spots.ranked:
        return ()
    seen = {(cited.source_file, section)} if cited else set()
    places: list[Place] = []
    least = NEAR * spots.ranked[0].score
    for spot in spots.ranked:
        place = place_of(spot, spots)
        key = place.source_file, place.section_title
        if key not in seen and spot.score >= least and len(places) < MAX_PLACES:
            seen.add(key)
            places.append(place)
    return tuple(places)


def place_of(spot: Spot, spots: Spots) -> Place:
    """Return where a spot is."""
    passage = spot.passage
    block = spots.blocks[passage.id][spot.at] if spot.text else None
    section, anchor = (block.section, block.anchor) if block else (passage.section_title, passage.anchor)
    return Place(
        page_title=plain_title(passage.page_title) or "",
        section_title=plain_title(section),
        page_url=address(passage.page_url, anchor) or None,
        source_file=passage.source_file,
        line_start=block.line_start if block else passage.line_start,
        line_end=block.line_end if block else passage.line_end,
        chunk_id=passage.id,
    )


def untold(block: PassageBlock, told: str) -> list[PassageBlock]:
    """Return what of a block `told` lacks: of prose the sentences in a row, of anything else all or nothing."""
    if not told:
        return [block]
    if block.kind != "paragraph":
        return [] if block.text in told else [block]
    spans = sentence_spans(block.text)
    runs = groupby(spans, key=lambda span: block.text[span[0] : span[1]] in told)
    return [part_of(block, list(run)) for is_told, run in runs if not is_told]


def part_of(block: PassageBlock, spans: Sequence[tuple[int, int]]) -> PassageBlock:
    """Return the block from the first of these spans to the last, with the lines that it has then."""
    start, end = spans[0][0], spans[-1][1]
    before, text = block.text[:start].count("\n"), block.text[start:end]
    first = min(block.line_start + before, block.line_end)
    return replace(block, text=text, line_start=first, line_end=min(first + text.count("\n"), block.line_end))


def _cut(block: PassageBlock, question: Nearness) -> PassageBlock:
    """Cut a block that is too long to the sentences, items or rows around the nearest one; code stays whole."""
    if length(block.text) <= MAX_CHARS or "```" in block.text or "~~~" in block.text:
        return block
    spans = _pieces(block)
    if len(spans) < 2:
        return block
    scores = question.scores([block.text[start:end] for start, end in spans])
    first = last = scores.index(max(scores))
    while True:
        grown = False
        for at in (last + 1, first - 1):
            if 0 <= at < len(spans):
                low, high = min(at, first), max(at, last)
                if length(block.text[spans[low][0] : spans[high][1]]) <= MAX_CHARS:
                    first, last, grown = low, high, True
        if not grown:
            return part_of(block, spans[first : last + 1])


def _pieces(block: PassageBlock) -> list[tuple[int, int]]:
    """Return the sentences of prose, the items of a list, the lines of anything else, as offsets."""
    if block.kind in ("paragraph", "quote"):
        return sentence_spans(block.text)
    piece = _ITEM if block.kind == "list" else _LINE
    return [span for match in piece.finditer(block.text) for span in _short_spans(block.text, *match.span())]


def _short_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return an item as it is, or its sentences where it is longer than an excerpt."""
    if length(text[start:end]) <= MAX_CHARS:
        return [(start, end)]
    return [(start + first, start + last) for first, last in sentence_spans(text[start:end])]


class _Growing:
    """An excerpt while it grows: the chosen block, what is added on both sides, and the room that is left."""

    def __init__(self, spot: Spot, chosen: PassageBlock, spots: Spots, following: Following, told: str) -> None:
        self.kept = [chosen]
        self._chosen = chosen
        self._blocks: list[ShownBlock] = list(spots.blocks[spot.passage.id])
        self._scores = {ranked.at: ranked.score for ranked in spots.ranked if ranked.passage.id == spot.passage.id}
        self._room = MAX_CHARS - length(chosen.text)
        self._behind, self._ahead = spot.at - 1, spot.at + 1
        self._following: Following | None = following
        self._told = told

    def grow(self) -> None:
        """Add the better of the two neighbours in the section while it fits, then what follows if that is little."""
        while (at := self._next()) is not None:
            self._add(at)
        while MAX_CHARS - self._room < ENOUGH and self._fits(self._ahead, in_section=False):
            self._add(self._ahead)
        self._add_part()
        while self.kept[-1] is not self._chosen and _LABEL.fullmatch(self.kept[-1].text):
            self.kept.pop()

    def _add_part(self) -> None:
        """Add the beginning of the next block of prose, or the whole of a code block that is a little too long."""
        rest = self._blocks[self._ahead] if self._ahead < len(self._blocks) else None
        if rest is None or self._room <= MIN_PART or (self._told and rest.text in self._told):
            return
        if rest.is_aside and not _is_same(rest, self._chosen):
            return
        is_wanted = _is_same(rest, self._chosen) or MAX_CHARS - self._room < ENOUGH
        if is_wanted and rest.kind == "paragraph" and "\n```" not in rest.text:
            self.kept += _beginning(rest, self._room)
        elif is_wanted and length(rest.text) <= self._room + SPARE:
            self._add(self._ahead)

    def _next(self) -> int | None:
        near = [at for at in (self._ahead, self._behind) if self._fits(at)]
        return max(near, key=lambda at: self._scores.get(at, 0.0), default=None)

    def _fits(self, at: int, *, in_section: bool = True) -> bool:
        if at == len(self._blocks) and self._room > MIN_PART:
            self._read_on()
        if not 0 <= at < len(self._blocks):
            return False
        block = self._blocks[at]
        is_near = _is_same(block, self._chosen) or not (in_section or block.is_aside)
        return is_near and length(block.text) + 2 <= self._room and not (self._told and block.text in self._told)

    def _read_on(self) -> None:
        """Read the next passage of the lesson, once."""
        if self._following and (after := self._following(self._blocks[-1].passage)):
            self._blocks += rendered_blocks(after)
        self._following = None

    def _add(self, at: int) -> None:
        self._room -= length(self._blocks[at].text) + 2
        if at == self._ahead:
            self.kept.append(self._blocks[at])
            self._ahead += 1
        else:
            self.kept.insert(0, self._blocks[at])
            self._behind -= 1


def _is_same(block: PassageBlock, other: PassageBlock) -> bool:
    return (block.section, block.anchor) == (other.section, other.anchor)


def _beginning(block: PassageBlock, room: int) -> list[PassageBlock]:
    """Return the first sentences of a block that there is room for."""
    spans = [span for span in sentence_spans(block.text) if length(block.text[: span[1]]) <= room]
    return [part_of(block, spans)] if spans and length(block.text[: spans[-1][1]]) >= MIN_PART else []

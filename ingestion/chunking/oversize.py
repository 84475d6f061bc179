"""Cuts a block that is larger than the limit, each kind of block by its own rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from ingestion.chunking.merging import BLOCK, GLUED, INNER, boundary_key, join
from ingestion.chunking.sizes import Scale
from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.fences import after_marks, opening_run
from ingestion.tokens import count_tokens

RUN_BYTES = 32
"""How much text goes into one run: small enough to fill a chunk well, large enough to keep runs few."""

WINDOW = 256
"""How many characters are searched for grapheme clusters at a time."""


def cut_between_graphemes(text: str, limit: int) -> list[str]:
    """Return the text in runs of no more than `limit` tokens, never cut inside a grapheme cluster (Unicode Annex 29).

    A run has few bytes, and no token is shorter than a byte. One cluster with more than that is a run of its own.
    """
    max_bytes = min(RUN_BYTES, limit)
    runs: list[str] = []
    start = size = 0
    for cluster_start, cluster_end in _clusters(text):
        length = len(text[cluster_start:cluster_end].encode("utf-8", "surrogatepass"))
        if size and size + length > max_bytes:
            runs.append(text[start:cluster_start])
            start, size = cluster_start, 0
        size += length
    runs.append(text[start:])
    return runs


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Return where each grapheme cluster begins and ends.

    Read in windows, each of which begins with a cluster: for every flag the library looks back to the first of its
    run, which would take quadratic time.
    """
    import regex

    start, width = 0, WINDOW
    while start < len(text):
        end = min(start + width, len(text))
        found = [(start + at, start + to) for at, to in (m.span() for m in regex.finditer(r"\X", text[start:end]))]
        if end < len(text):
            found.pop()  # the window may have cut it
        yield from found
        width = WINDOW if found else 2 * width
        start = found[-1][1] if found else start


_SENTENCE_END = re.compile(
    r"(?P<code>`[^`\n]++`)|(?:(?<![.!?…؟۔।])[.!?…؟۔।]++[\"'”’»)\]*_]*+\s++(?![a-z`])|[。！？]++[”’」』）]*+\s*+|\n\s*+)"
)
_WORD_END = re.compile(r"\s+|(?<=[,;:，、；：،])")


class Piece(NamedTuple):
    """A part of a block, with the lines repeated so that it can be read alone."""

    start: int
    end: int
    size: int
    prefix: str = ""
    suffix: str = ""


class _Cut(NamedTuple):
    start: int
    end: int
    size: int
    rank: int


def cut(scale: Scale, block: Block, span: tuple[int, int], lead: int, size: int, limit: int) -> list[Piece]:
    """Return pieces of about `size` and never more than `limit`, except a single grapheme.

    A fence is cut at blank lines, then at lines, and each piece is fenced again; a table is cut between rows, and
    each piece repeats header and delimiter; other text is cut at blank lines, lines, sentences, words and last
    between graphemes. `lead` is the size of what will stand before the first piece.
    """
    prefix, suffix, extra = _repeats(scale.page, block, min(size // 2, limit - lead - size // 4))
    size -= extra
    fixed_start = block.start + (2 if block.kind == "table" else 1 if block.kind == "fence" else 0)
    fixed_end = block.end - (1 if block.kind == "fence" and block.closed else 0)
    if block.kind == "paragraph" or block.kind == "heading":
        cuts = _cut_text(scale, span[0], span[1], max(limit - lead, 1))
    else:
        cuts = _cut_lines(scale, span, fixed_start, fixed_end, max(limit - extra - lead, 1))
    return _join(scale, cuts, lead, size, limit - extra, prefix, suffix)


def _join(scale: Scale, cuts: list[_Cut], lead: int, size: int, limit: int, prefix: str, suffix: str) -> list[Piece]:
    sizes = [cut.size for cut in cuts]
    sizes[0] += lead
    ranks = [cut.rank for cut in cuts]
    keys = [boundary_key(scale.page.text, cut.start) for cut in cuts]
    while True:
        groups = join(sizes, ranks, keys, size=size, limit=size)
        spans = [(cuts[first].start, cuts[last].end) for first, last in groups]
        joined = scale.sizes(spans)
        # Inside a line sizes do not add up exactly: where they fall short, fill less.
        if size < 8 or all(n <= limit or a == b for n, (a, b) in zip(joined, groups, strict=True)):
            break
        size = size * 3 // 4
    return list(_pieces(spans, joined, prefix, suffix))


def _pieces(spans: Sequence[tuple[int, int]], sizes: Sequence[int], prefix: str, suffix: str) -> Iterator[Piece]:
    """Yield the pieces, all but the first behind `prefix`, all but the last before `suffix`."""
    before, behind = count_tokens([prefix, suffix])
    for at, ((start, end), size) in enumerate(zip(spans, sizes, strict=True)):
        if at:
            size += before
        if is_inner := at < len(spans) - 1:
            size += behind
        yield Piece(start, end, size, prefix if at else "", suffix if is_inner else "")


def _repeats(page: Page, block: Block, max_tokens: int) -> tuple[str, str, int]:
    """Return what a later piece begins with, what an earlier one ends with, and their tokens together.

    Where they have more than `max_tokens` tokens, a fence's info string is left out, and then all.
    """
    options = [("", "")]
    marks, opening = _split_marks(page.lines[block.start].rstrip("\r"))
    if block.kind == "fence":
        run = opening_run(opening)
        options = [(f"{marks}{opening}\n", marks + run), (f"{marks}{run}\n", marks + run), *options]
    elif block.kind == "table":
        delimiter = _split_marks(page.lines[block.start + 1].rstrip("\r"))[1]
        # Columns padded to hundreds of characters would fill the chunk.
        header, delimiter = re.sub(" +", " ", opening), re.sub("-+", "---", delimiter).replace(" ", "")
        options = [(f"{marks}{header}\n{marks}{delimiter}\n", ""), *options]
    for prefix, suffix in options:
        extra = sum(count_tokens([prefix, suffix]))
        if extra <= max_tokens:
            break
    return prefix, suffix, extra


def _split_marks(line: str) -> tuple[str, str]:
    """Split a line into the marks of its containers, as they are where no item begins, and the rest."""
    end = after_marks(line)
    return re.sub(r"[^\s>]", " ", line[:end]), line[end:]


def _cut_lines(scale: Scale, span: tuple[int, int], first_free: int, last_free: int, limit: int) -> list[_Cut]:
    """Cut line by line, blank lines with the line before; fixed first and last lines stay with their neighbours."""
    starts, lines = scale.page.starts, scale.page.lines
    begins, ranks = [span[0]], [BLOCK]
    for number in range(first_free + 1, last_free):
        if lines[number] and not lines[number].isspace():
            begins.append(starts[number])
            previous = lines[number - 1]
            ranks.append(INNER if previous and not previous.isspace() else BLOCK)
    cuts = list(zip(begins, [*begins[1:], span[1]], strict=True))
    result: list[_Cut] = []
    for (a, b), n, rank in zip(cuts, scale.sizes(cuts), ranks, strict=True):
        if n <= limit:
            result.append(_Cut(a, b, n, rank))
        else:
            inner = _cut_text(scale, a, b, limit)
            result.append(inner[0]._replace(rank=rank))
            result += inner[1:]
    return result


def _cut_text(scale: Scale, start: int, end: int, limit: int) -> list[_Cut]:
    """Cut to sentences and lines; words where one is too large; runs of graphemes where a word is."""
    text = scale.page.text
    result: list[_Cut] = []
    ends = (found.end() for found in _SENTENCE_END.finditer(text, start, end) if not found["code"])
    for sentence in _between(scale, start, end, ends, INNER):
        if sentence.size <= limit:
            result.append(sentence)
            continue
        ends = (found.end() for found in _WORD_END.finditer(text, sentence.start, sentence.end))
        for word in _between(scale, sentence.start, sentence.end, ends, GLUED):
            if word.start == sentence.start:
                word = word._replace(rank=INNER)
            result += [word] if word.size <= limit else _cut_word(scale, word, limit)
    return result


def _cut_word(scale: Scale, word: _Cut, limit: int) -> Iterator[_Cut]:
    lengths = [len(run) for run in cut_between_graphemes(scale.page.text[word.start : word.end].rstrip(), limit)]
    spans = list(pairwise([*accumulate(lengths[:-1], initial=word.start), word.end]))
    for at, ((a, b), size) in enumerate(zip(spans, scale.sizes(spans), strict=True)):
        yield _Cut(a, b, size, GLUED if at else word.rank)


def _between(scale: Scale, start: int, end: int, ends: Iterable[int], rank: int) -> list[_Cut]:
    """Return the stretches between `ends`, which rise; none but the first begins, and none is, only white space."""
    body = scale.page.text[start:end]
    first, last = end - len(body.lstrip()), start + len(body.rstrip())
    spans = list(pairwise([start, *(at for at in ends if first < at < last), end]))
    return [_Cut(a, b, size, rank) for (a, b), size in zip(spans, scale.sizes(spans), strict=True)]

"""Code between backquotes, which ends at the next run of as many."""

from __future__ import annotations

from collections.abc import Iterator


def end_of_ticks(text: str, at: int, end: int) -> int:
    """Return where the run of backquotes ends that begins at `at`."""
    while text.startswith("`", at, end):
        at += 1
    return at


def end_of_code(text: str, at: int, end: int) -> int:
    """Return where the code ends whose run of backquotes begins at `at`, or -1 where nothing closes it."""
    inner = end_of_ticks(text, at, end)
    marks = text[at:inner]
    closing = text.find(marks, inner, end)
    while closing >= 0:
        last = end_of_ticks(text, closing, end)
        if last - closing == len(marks):
            return last
        closing = text.find(marks, last, end)
    return -1


def code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the code in a line begins and ends."""
    at = text.find("`")
    while at >= 0:
        end = end_of_code(text, at, len(text))
        if end >= 0:
            yield at, end
        at = text.find("`", max(end, end_of_ticks(text, at, len(text))))

"""The line that says how far a run is, and who gets a bar instead."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from io import StringIO

import pytest

from ingestion.commands.progress import duration, final_text, progress_text
from ingestion.commands.terminal import can_draw
from ingestion.report import ChunkCounts, IngestReport


def report_of(price: float | None = None, **counts: int) -> IngestReport:
    return IngestReport(book_id="b", mode="incremental", root="docs", chunks=ChunkCounts(**counts), price=price)


def test_everything_that_is_known_is_in_one_line() -> None:
    report = replace(report_of(embedded=300, reused=100, tokens=1_000_000, price=0.02), share=0.25)
    assert progress_text(60, 80, report, 40.0) == (
        "400 chunks, 60 of 80 lessons, 25 % reused, 1000000 tokens, $0.0200, 10 chunks/s, 2 min 0 s left"
    )


def test_nothing_is_guessed_before_anything_is_done() -> None:
    assert progress_text(0, 80, report_of(), 0.0) == "0 chunks, 0 of 80 lessons"


def test_at_its_end_a_bar_says_what_was_done_in_how_long() -> None:
    report = replace(report_of(embedded=300, reused=100), files=Counter(new=1), changes={"a.md": "new"})
    assert final_text(report, 8.0) == "400 chunks of 1 lessons in 8.0 s, 50 chunks/s"
    assert [duration(seconds) for seconds in (0.42, 12, 185, 7260)] == ["0.4 s", "12 s", "3 min 5 s", "2 h 1 min"]


class Stream(StringIO):
    """A stream that is, or is not, a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("terminal", "environ", "drawn"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, True),
    ],
)
def test_only_a_terminal_that_takes_control_characters_is_drawn_on(
    terminal: bool, environ: dict[str, str], drawn: bool
) -> None:
    assert can_draw(Stream(terminal), environ) == drawn

"""The line that says how far a run is, and who gets a bar instead."""

from __future__ import annotations

import pytest

from ingestion.commands.terminal import has_bar, progress_text
from ingestion.report import ChunkCounts, IngestReport


def report_of(price: float | None = None, **counts: int) -> IngestReport:
    return IngestReport(book_id="b", mode="incremental", root="docs", chunks=ChunkCounts(**counts), price=price)


def test_everything_that_is_known_is_in_one_line() -> None:
    report = report_of(embedded=300, reused=100, tokens=1_000_000, price=0.02)
    assert progress_text(20, 80, report, 40.0) == (
        "20 of 80 lessons, 400 chunks, 25 % reused, 1000000 tokens, $0.0200, 10 chunks/s, 2 min 0 s left"
    )


def test_nothing_is_guessed_before_anything_is_done() -> None:
    assert progress_text(0, 80, report_of(), 0.0) == "0 of 80 lessons, 0 chunks"


@pytest.mark.parametrize(
    ("terminal", "environ", "bar"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
    ],
)
def test_only_a_terminal_that_takes_control_characters_gets_a_bar(
    terminal: bool, environ: dict[str, str], bar: bool
) -> None:
    assert has_bar(terminal, environ) == bar

"""Progress of a run: a bar on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ingestion.commands.terminal import can_draw_progress, note, progress_console

if TYPE_CHECKING:
    from ingestion.report import IngestReport
    from ingestion.sync.pipeline import Progress

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show the progress of a run; at its end, on a terminal, what was done and how long it took."""
    started = time.monotonic()
    if can_draw_progress():
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        last: IngestReport | None = None
        with Bar(BarColumn(20), TextColumn("{task.description}"), console=progress_console(), transient=True) as bar:
            task = bar.add_task("indexing", total=None)

            def move(done: int, total: int, report: IngestReport) -> None:
                nonlocal last
                last = report
                said = progress_text(done, total, report, time.monotonic() - started)
                bar.update(task, completed=done, total=total, description=said)

            yield move
        if last is not None and last.pending:
            note(final_text(last, time.monotonic() - started))
    else:
        printed = started

        def tell(done: int, total: int, report: IngestReport) -> None:
            nonlocal printed
            now = time.monotonic()
            if now - printed >= SECONDS_BETWEEN_LINES:
                printed = now
                note(progress_text(done, total, report, now - started))

        yield tell


def progress_text(done: int, total: int, report: IngestReport, seconds: float) -> str:
    """Return chunks with the share that was reused, lessons, tokens, money, rate and time left, as far as known."""
    counts = report.chunks
    chunks = counts.embedded + counts.reused
    parts = [f"{chunks} chunks", f"{done} of {total} lessons"]
    if counts.reused:
        parts.append(f"{counts.reused * 100 // chunks} % reused")
    if counts.tokens:
        parts.append(f"{counts.tokens} tokens")
    if report.cost:
        parts.append(f"${report.cost:.4f}")
    if chunks and seconds > 0:
        parts.append(f"{chunks / seconds:.0f} chunks/s")
    # By tokens, not by lessons: these may be a hundred times as long as others.
    if 0 < report.share < 1:
        parts.append(f"{duration(seconds * (1 - report.share) / report.share)} left")
    return ", ".join(parts)


def final_text(report: IngestReport, seconds: float) -> str:
    """Return what a run did and how long it took."""
    chunks = report.chunks.embedded + report.chunks.reused
    rate = f", {chunks / seconds:.0f} chunks/s" if chunks and seconds > 0 else ""
    return f"{chunks} chunks of {len(report.changes)} lessons in {duration(seconds)}{rate}"


def duration(seconds: float) -> str:
    """Return seconds as people say them: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 1 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"

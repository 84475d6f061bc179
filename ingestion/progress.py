"""How far a run is, in one line of plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingestion.report import IngestReport


def progress_text(done: int, total: int, report: IngestReport, seconds: float) -> str:
    """Lessons, chunks with the share that was reused, tokens, money, rate and time left, as far as they are known."""
    counts = report.chunks
    chunks = counts.embedded + counts.reused
    parts = [f"{done} of {total} lessons", f"{chunks} chunks"]
    if counts.reused:
        parts.append(f"{counts.reused * 100 // chunks} % reused")
    if counts.tokens:
        parts.append(f"{counts.tokens} tokens")
    if report.cost:
        parts.append(f"${report.cost:.4f}")
    if chunks and seconds > 0:
        parts.append(f"{chunks / seconds:.0f} chunks/s")
    if 0 < done < total:
        parts.append(f"{_duration(seconds * (total - done) / done)} left")
    return ", ".join(parts)


def has_bar(is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether a bar may be drawn: on a terminal that takes control characters, for someone who wants them."""
    return is_terminal and environ.get("TERM") not in (None, "", "dumb", "unknown") and not environ.get("NO_COLOR")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"

"""Index again whenever a lesson is saved, with the same plan and guards as every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from ingestion.crawler import IGNORE_FILE, SUFFIXES
from ingestion.errors import BookwiseError, ConfigurationError, Interrupted
from ingestion.report import IngestReport

DEBOUNCE_MS = 500
"""Quiet time after a save: editors write a file several times."""


def watch(
    root: Path, run: Callable[[], IngestReport], *, stop: Event | None = None, debounce: int = DEBOUNCE_MS
) -> Iterator[IngestReport | BookwiseError]:
    """The report of a first run and of one after each burst of changes, until interrupted or `stop` is set.

    A run that is refused (a deletion guard, say) gives its error and the watch goes on.
    """
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise ConfigurationError("`bookwise watch` needs the extra: pip install 'bookwise[watch]'") from None
    yield _outcome(run)
    for _ in changes(
        root, watch_filter=_is_lesson, debounce=debounce, step=50, stop_event=stop, raise_interrupt=True
    ):
        yield _outcome(run)


def _outcome(run: Callable[[], IngestReport]) -> IngestReport | BookwiseError:
    try:
        return run()
    except Interrupted:
        raise
    except BookwiseError as error:
        return error


def _is_lesson(_: object, path: str) -> bool:
    return path.lower().endswith(SUFFIXES) or Path(path).name == IGNORE_FILE

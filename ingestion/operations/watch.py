"""Index again whenever a lesson is saved, with the same plan and guards as every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from ingestion.errors import BookwiseError, ConfigurationError, Interrupted, SourceError
from ingestion.extras import install_command
from ingestion.report import IngestReport
from ingestion.source.crawler import IGNORE_FILE, SUFFIXES

DEBOUNCE_MS = 500
"""The longest wait for a burst of saves to end: editors write a file several times."""
QUIET_MS = 50
"""A burst has ended when nothing was saved for so long."""
POLL_MS = 200


def watch(
    root: Path, run: Callable[[], IngestReport], *, stop: Event | None = None, debounce: int = DEBOUNCE_MS
) -> Iterator[IngestReport | BookwiseError]:
    """Yield the report of a first run and of one after each burst of changes, until interrupted or `stop` is set.

    A run that is refused (a deletion guard, say) gives its error and the watch goes on. Raises SourceError where
    there is no folder to watch.
    """
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise ConfigurationError(f"`bookwise watch` needs the extra: {install_command('watch')}") from None
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder; name the folder that holds the lessons")
    first = True
    for found in changes(
        root,
        watch_filter=_is_lesson,
        debounce=debounce,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=POLL_MS,
        yield_on_timeout=True,
    ):
        # The first run comes after the watch has begun, so that what is saved during it is not missed.
        if found or first:
            first = False
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

"""Index again whenever a lesson is saved, with the same plan and guards as every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from functools import partial
from pathlib import Path
from threading import Event

from ingestion.errors import BookwiseError, ConfigurationError, Interrupted, SourceError
from ingestion.extras import install_command
from ingestion.report import IngestReport
from ingestion.source.crawler import IGNORE_FILE, SUFFIXES

DEBOUNCE_MS = 500
"""The longest wait for a burst of saves to end: editors write a file several times."""
QUIET_MS = 50
"""A burst has ended when nothing is saved for this long."""
POLL_MS = 200


def watch(
    root: Path, run: Callable[[], IngestReport], *, stop: Event | None = None, debounce: int = DEBOUNCE_MS
) -> Iterator[IngestReport | BookwiseError]:
    """Yield the report of a first run and of one after each burst of changes, until interrupted or `stop` is set.

    Changes are those of lessons, of files that they include, and of the site's configuration.

    A refused run (by the deletion guard, say) yields its error and the watch continues. Raises SourceError if there
    is no folder to watch.
    """
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder; name the folder that holds the lessons")
    followed: frozenset[Path] = frozenset()
    is_first = True
    while True:
        is_due = True  # The watch begins before the run, so that saves during the run are not missed.
        for saved in _saves(root, followed, stop, debounce):
            if not saved and not is_due:
                continue
            outcome = _outcome(run)
            if saved or is_first or not isinstance(outcome, IngestReport) or outcome.pending:
                yield outcome
            is_first = is_due = False
            found = _files_of(outcome, root) if isinstance(outcome, IngestReport) else followed
            # A followed file that was replaced by a new one is no longer watched.
            if found != followed or saved & followed:
                followed = found
                break
        else:
            return


def _saves(root: Path, followed: Set[Path], stop: Event | None, debounce: int) -> Iterator[Set[Path]]:
    """Yield the files of each burst of saves, and nothing at each turn without one."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise ConfigurationError(f"`bookwise watch` needs the extra: {install_command('watch')}") from None
    # Files, not their folders: that of a site's configuration may hold all of its dependencies.
    outside = sorted(path for path in followed if not path.is_relative_to(root.resolve()))
    for found in changes(
        root,
        *outside,
        watch_filter=partial(_counts, followed),
        debounce=debounce,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=POLL_MS,
        yield_on_timeout=True,
    ):
        yield {Path(path).resolve() for _, path in found}


def _counts(followed: Set[Path], _: object, path: str) -> bool:
    """Whether a save of this file may change the index."""
    return path.lower().endswith(SUFFIXES) or Path(path).name == IGNORE_FILE or Path(path).resolve() in followed


def _files_of(report: IngestReport, root: Path) -> frozenset[Path]:
    """The files that pages include, and the site's configuration, as far as they are there."""
    paths = ((root / name).resolve() for name in report.followed)
    return frozenset(path for path in paths if path.is_file())


def _outcome(run: Callable[[], IngestReport]) -> IngestReport | BookwiseError:
    try:
        return run()
    except Interrupted:
        raise
    except BookwiseError as error:
        return error

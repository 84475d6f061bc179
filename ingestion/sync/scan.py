"""Read every present file once: its hash, and its place in the book where that is not recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass

from ingestion import versions
from ingestion.collector import collector_paused
from ingestion.errors import LessonError
from ingestion.ids import sha256
from ingestion.models import IngestionRecord, LessonPlace, utc_now
from ingestion.settings import Settings
from ingestion.source.crawler import Crawl, Skipped, SourceFile
from ingestion.source.includes.files import BookFiles
from ingestion.source.reader import SourceText, read_source
from ingestion.state.stat_cache import StatCache
from ingestion.sync.plan import FileFacts, Plan

SHOWN_NOWHERE = ("id", "title", "tiers", "docs", "site", "built")
"""Settings of a book that no point of its lessons depends on: the id is in each record's place, and
the fingerprint of the crawl has what a site says.
"""


@dataclass(frozen=True, slots=True)
class Scan:
    """The facts of all readable files, the errors of the others, and the pages that the site does not show.

    `unchanged` are those that are as their records say.
    """

    facts: tuple[FileFacts, ...]
    failures: tuple[LessonError, ...]
    unpublished: tuple[Skipped, ...]
    unchanged: frozenset[str] = frozenset()


@collector_paused
def scan_files(
    crawl: Crawl,
    records: Mapping[str, IngestionRecord],
    fingerprint: Mapping[str, str],
    settings: Settings,
    hashes: StatCache,
) -> Scan:
    """Return the facts of each file. One that `hashes` knows is not read, one whose record fits is not looked into.

    A folder that cannot be listed is a failure like a file that cannot be read.
    """
    facts, unpublished, unchanged = [], [], []
    failures = [LessonError(folder.path, folder.reason) for folder in crawl.unreadable]
    includes, now = BookFiles(crawl.root, crawl.site, settings), utc_now()
    for file in crawl.files:
        try:
            record, (digest, source) = records.get(file.path), _hashed(file, hashes)
            if record and _fits(record, digest, fingerprint, now):
                place, words = record.place, 0
                unchanged.append(file.path)
            else:
                found = _looked_into(source or read_source(file), settings)
                if isinstance(found, Skipped):
                    unpublished.append(found)
                    continue
                place, words = found
            changed = bool(record and record.includes and includes.differ(record.includes))
            facts.append(FileFacts(file.path, digest, *place, changed, words))
        except LessonError as error:
            failures.append(error)
    return Scan(tuple(facts), tuple(failures), tuple(unpublished), frozenset(unchanged))


def _hashed(file: SourceFile, hashes: StatCache) -> tuple[str, SourceText | None]:
    """Return the hash of a file, and its text where it had to be read for it."""
    if digest := hashes.hash_of(file.path, file.found):
        return digest, None
    source = read_source(file)
    hashes.note(file.path, source.sha256)
    return source.sha256, source


def _looked_into(source: SourceText, settings: Settings) -> tuple[LessonPlace, int] | Skipped:
    """Return the place of a page and its words, or why the site does not show it."""
    # Imported late: a run with nothing to do looks into no page.
    from ingestion.source.metadata.page import UnpublishedPage, lesson_place

    try:
        return lesson_place(source, settings), len(source.data.split())
    except UnpublishedPage as page:
        return Skipped(source.path, page.reason)


def _fits(record: IngestionRecord, digest: str, fingerprint: Mapping[str, str], now: str) -> bool:
    """Return whether a record tells what a file is; not where the site shows the page no longer."""
    is_over = "" < record.published_until <= now
    return record.file_hash == digest and record.fingerprint == fingerprint and not is_over


def fingerprint_of(settings: Settings, embedding: str, book: str = "") -> dict[str, str]:
    """Return what the record of a file depends on besides its content, one per stage; `book` is the crawl's own."""
    shown = {name: value for name, value in asdict(settings.book).items() if name not in SHOWN_NOWHERE}
    shown |= shown.pop("addresses") | {
        "modules": [asdict(module) for module in settings.modules],
        "unlisted": settings.crawl.unlisted,
        "unsearched": settings.crawl.unsearched,
        "book": book,
    }
    chunk = {name: value for name, value in asdict(settings.chunk).items() if name != "tokenizer"}  # all count alike
    return {
        "parser": versions.PARSER,
        "settings": sha256(json.dumps(shown, sort_keys=True))[:12],
        "chunker": "/".join([versions.CHUNKER, *map(str, chunk.values())]),
        "embedding": f"{embedding}/{versions.PREPARATION}",
        "payload": str(versions.PAYLOAD),
        "bm25": versions.BM25,
        "linter": versions.LINTER,
    }


def sizes_of(crawl: Crawl, plan: Plan) -> dict[str, int]:
    """Return how many bytes each of the files to look at has."""
    look_at = {file.facts.path for file in plan.files}
    sizes = {}
    for file in crawl.files:
        if file.path in look_at:
            # One that has gone since is a failure of its own, later.
            with suppress(OSError):
                sizes[file.path] = file.location.stat().st_size
    return sizes

"""What a page's metadata and path say without its body: where it stands in the book, and whether it is shown."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC
from typing import NamedTuple

from ingestion.errors import LessonError
from ingestion.settings import Settings
from ingestion.source.audience import Audience, whole_number
from ingestion.source.book_order import Entry, position
from ingestion.source.findings import Finding
from ingestion.source.generators import of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.hierarchy import Place, locate
from ingestion.source.metadata.front_matter import FrontMatter, UnreadableMetadata
from ingestion.source.publication import publication_of
from ingestion.source.reader import SourceText

BOUNDS = {"chapter": range(0, 21), "lesson": range(0, 16)}
"""What is expected; real books pass it, so a value outside is kept and reported."""


class UnpublishedPage(Exception):
    """A page that its site does not show; `reason` says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def read_metadata(source: SourceText, settings: Settings) -> FrontMatter:
    """Return a page's metadata and body; raises UnpublishedPage for a page that the site does not show.

    Raises LessonError, with the line, where the file is not text or its metadata is there and cannot be read.
    """
    try:
        front = of(source.site).front_matter(source.decode())
    except UnreadableMetadata as error:
        raise LessonError(source.path, error.reason, error.line) from error
    has_metadata = bool(front.body_offset)
    if source.inherited:
        front = replace(front, values={**source.inherited, **front.values})
    facts = PageFacts(source.path, front.values, has_metadata, body=front.body)
    publication = publication_of(facts, source.site, settings)
    if publication.reason:
        raise UnpublishedPage(publication.reason)
    until = publication.until.astimezone(UTC).isoformat(timespec="seconds") if publication.until else ""
    return replace(front, published_until=until)


def lesson_place(source: SourceText, settings: Settings) -> tuple[str, int | None, int | None]:
    """Return module, chapter and lesson of a page without parsing its body; raises as `read_metadata` does."""
    front = read_metadata(source, settings)
    place = page_place(source.path, source.entry, settings)
    numbers = numbers_of(source.path, front, place)
    return place.module, numbers.chapter, numbers.lesson


def page_place(path: str, entry: Entry | None, settings: Settings) -> Place:
    """Return what the path of a page and the book's contents tell of its place."""
    return locate(path, modules=settings.modules, patterns=settings.book.paths, entry=entry)


class Numbers(NamedTuple):
    """Where in its book a page stands, and what was odd about how that was said."""

    chapter: int | None
    lesson: int | None
    findings: tuple[Finding, ...]


def numbers_of(path: str, front: FrontMatter, place: Place) -> Numbers:
    """Return chapter and lesson of a page: the path's number wins, front matter fills a gap."""
    chapter, odd = _number("chapter", front, place.chapter, path)
    lesson, others = _number("lesson", front, place.lesson, path)
    return Numbers(chapter, lesson, tuple(_found(path, front, key, *what) for key, *what in (*odd, *others)))


def audience_findings(path: str, front: FrontMatter, audience: Audience) -> tuple[Finding, ...]:
    """Return what of the metadata on its audience cannot be used."""
    return tuple(
        _found(path, front, key, "audience-value", f"`{key}: {value}` {wrong}")
        for key, value, wrong in audience.unusable
    )


def _number(
    key: str, front: FrontMatter, in_path: int | None, path: str
) -> tuple[int | None, list[tuple[str, str, str]]]:
    """Return a number of the place, and what is odd about it: key, rule and message of each."""
    raw, odd = front.values.get(key), []
    written = whole_number(raw)
    if raw is not None and written is None:
        odd.append((key, f"{key}-value", f"`{key}: {raw}` is not a whole number; ignored"))
    if None not in (in_path, written) and in_path != written:
        odd.append((key, "path-conflict", f"`{key}: {written}` but the path says {in_path}; the path counts"))
    number = written if in_path is None else in_path
    if number is None:
        return position(front.values.get("sidebar_position")) if key == "lesson" else None, odd
    if number == written or _is_in_path(number, path):
        odd += _out_of_bounds(key, number)
    return number, odd


def _out_of_bounds(key: str, number: int) -> list[tuple[str, str, str]]:
    bounds = BOUNDS[key]
    if number in bounds:
        return []
    return [(key, f"{key}-range", f"{key} {number} is outside {bounds.start} to {bounds.stop - 1}; kept")]


def _is_in_path(number: int, path: str) -> bool:
    """Return whether an author wrote a number; those that the order of the book gives are in no path."""
    return re.search(rf"(?<!\d)0*{number}(?!\d)", path) is not None


def _found(path: str, front: FrontMatter, key: str, rule: str, message: str) -> Finding:
    return Finding(path, front.lines.get(key), rule, message)

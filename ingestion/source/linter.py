"""`bookwise check`: a linter for books. Every finding has a file, a line where one is to blame, and a rule's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ingestion.errors import LessonError
from ingestion.markdown.linter import find_notices
from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.findings import Finding
from ingestion.source.front_matter import FrontMatter
from ingestion.source.metadata_keys import meant_key
from ingestion.source.parser import Lesson, UnpublishedPage, first_heading, parse_lesson, read_metadata
from ingestion.source.reader import read_source

DROPPED = "dropped-"
"""Rules with this prefix tell what is left out of the embedded text; shown only on request."""

_AUDIENCE = {"hardware_tier": "hardware tier", "proficiency_level": "proficiency level", "layer": "teaching layer"}


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All findings in path order; `failures` are pages that cannot be indexed at all."""

    root: str
    files: int
    findings: tuple[Finding, ...]
    failures: tuple[LessonError, ...]

    def only(self, paths: Collection[str]) -> CheckReport:
        """Return what concerns these lessons; the others were read too, since problems may be between pages."""
        return replace(
            self,
            files=len(paths),
            findings=tuple(finding for finding in self.findings if finding.path in paths),
            failures=tuple(failure for failure in self.failures if failure.path in paths),
        )

    @property
    def mistakes(self) -> int:
        """Findings that are not mere notes of what is left out of search."""
        return sum(not each.rule.startswith(DROPPED) for each in self.findings)

    def as_json(self) -> dict[str, Any]:
        """One JSON document."""
        found = [
            {"path": each.path, "line": each.line, "rule": each.rule, "message": each.message}
            for each in self.findings
        ]
        failed = [{"path": each.path, "line": each.line, "reason": each.reason} for each in self.failures]
        return {"root": self.root, "files": self.files, "findings": found, "failures": failed}


def check_book(root: Path, settings: Settings, *, dropped: bool = False) -> CheckReport:
    """Check every page below `root`; `dropped` also lists text that is left out of search, by rule.

    Rules named in the setting `check.disable` are left out. Raises SourceError as the crawl does.
    """
    found = crawl_book(root, settings)
    findings = [
        Finding(group[0], None, "path-clash", f"differs only in case from {', '.join(group[1:])}")
        for group in found.clashes
    ]
    failures: list[LessonError] = []
    lessons: list[Lesson] = []
    for file in found.files:
        try:
            source = read_source(file)
            front = read_metadata(source, settings)
            lesson = parse_lesson(source, settings)
        except UnpublishedPage:
            continue
        except LessonError as error:
            failures.append(error)
            continue
        findings += [*lesson.findings, *_key_findings(file.path, front), *_page_findings(lesson, front)]
        findings += _notices(lesson, dropped=dropped)
        lessons.append(lesson)
    findings += [*_shared_places(lessons), *_missing_audience(lessons)]
    shown = [each for each in findings if each.rule not in settings.check.disable]
    shown.sort(key=lambda each: (each.path, each.line or 0, each.rule))
    return CheckReport(str(root), len(found.files), tuple(shown), tuple(failures))


def _key_findings(path: str, front: FrontMatter) -> Iterator[Finding]:
    for key, line in front.lines.items():
        if meant := meant_key(key):
            yield Finding(path, line, "unknown-key", f"`{key}` is not a known key; did you mean `{meant}`?")


def _page_findings(lesson: Lesson, front: FrontMatter) -> Iterator[Finding]:
    if not lesson.body.strip():
        yield Finding(lesson.path, None, "empty-page", "has no text; it is tracked, and answers nothing")
    elif lesson.doc_type == "stub":
        yield Finding(lesson.path, None, "stub-page", "is hardly more than a heading; write it or exclude it")
    if not front.values.get("title") and not first_heading(lesson.body, mdx=lesson.is_mdx):
        message = f"has neither a title nor a heading; cited as {lesson.title!r}, after its file"
        yield Finding(lesson.path, None, "missing-title", message)


def _notices(lesson: Lesson, *, dropped: bool) -> Iterator[Finding]:
    for notice in find_notices(lesson.body, mdx=lesson.is_mdx):
        if dropped or not notice.rule.startswith(DROPPED):
            yield Finding(lesson.path, notice.line + lesson.body_offset, notice.rule, notice.message)


def _shared_places(lessons: list[Lesson]) -> Iterator[Finding]:
    """Pages whose own names claim the same lesson; summaries, translations and pages of one lesson's folder may."""
    owners: dict[tuple[object, ...], str] = {}
    for lesson in lessons:
        place = (lesson.module, lesson.chapter, lesson.lesson, lesson.language, lesson.doc_type)
        if None in place or lesson.doc_type == "summary" or not re.search(r"\d", PurePosixPath(lesson.path).stem):
            continue
        if (owner := owners.setdefault(place, lesson.path)) != lesson.path:
            where = f"module {lesson.module}, chapter {lesson.chapter}, lesson {lesson.lesson}"
            yield Finding(lesson.path, None, "same-lesson", f"claims {where}, as {owner} does")


def _missing_audience(lessons: list[Lesson]) -> Iterator[Finding]:
    """Lessons that leave out what other lessons of the book declare; a book that never declares it is fine."""
    declared: Mapping[str, int] = Counter(name for lesson in lessons for name in lesson.audience.declared)
    for lesson in lessons:
        for name, words in _AUDIENCE.items():
            if declared.get(name) and name not in lesson.audience.declared and lesson.doc_type == "lesson":
                message = f"declares no {words} (`{name}`), as {declared[name]} pages do; it counts as for everyone"
                yield Finding(lesson.path, None, f"missing-{name.replace('_', '-')}", message)

"""`bookwise check`: a linter for books. Every finding has a file, a line where one is to blame, and a rule's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ingestion.errors import BookwiseError, LessonError, SourceError
from ingestion.markdown.links import Link
from ingestion.markdown.linter import LintedPage, is_api_page, lint_page
from ingestion.settings import Settings
from ingestion.source.addresses import generator_of
from ingestion.source.book_folder import crawl_book
from ingestion.source.book_order import Entry
from ingestion.source.crawler import Skipped, SourceFile
from ingestion.source.findings import Finding
from ingestion.source.link_rules import LinkedPage, LinkRules
from ingestion.source.metadata.front_matter import FrontMatter
from ingestion.source.metadata.keys import meant_key
from ingestion.source.metadata.page import UnpublishedPage, read_metadata
from ingestion.source.parser import Lesson, first_heading, parse_lesson, title_of
from ingestion.source.reader import SourceText, read_source
from ingestion.source.rules import DROPPED, require_known

if TYPE_CHECKING:
    from ingestion.source.fixes import Fix

_MARKS_OF_OTHER_TEXT = ("{{#", "{{<", "{{%", "{%", "-8<--")
_PAGES = (".md'", '.md"', ".mdx'", '.mdx"')

_AUDIENCE = {"hardware_tier": "hardware tier", "proficiency_level": "proficiency level", "layer": "teaching layer"}


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All findings in path order; `failures` are pages that cannot be indexed at all.

    `skipped` is what is no part of the book by rule, `notes` tell what could not be judged, and
    `fixed` what `--fix` has corrected.
    """

    root: str
    files: int
    findings: tuple[Finding, ...]
    failures: tuple[LessonError, ...]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    fixed: tuple[Fix, ...] = ()

    def only(self, paths: Collection[str]) -> CheckReport:
        """Return what concerns these lessons; the others were read too, since problems may be between pages."""
        skipped = tuple(entry for entry in self.skipped if entry.path in paths)
        outside = sorted(path for path in paths if path.startswith("../"))
        return replace(
            self,
            files=len(paths) - len(skipped) - len(outside),
            findings=tuple(finding for finding in self.findings if finding.path in paths),
            failures=tuple(failure for failure in self.failures if failure.path in paths),
            skipped=skipped,
            notes=tuple(f"{path} is outside the lessons folder" for path in outside),
        )

    @property
    def mistakes(self) -> int:
        """Findings that are not mere notes of what is left out of search."""
        return sum(not finding.rule.startswith(DROPPED) for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return one JSON document."""
        found = [
            {"path": finding.path, "line": finding.line, "rule": finding.rule, "message": finding.message}
            for finding in self.findings
        ]
        failed = [{"path": failure.path, "line": failure.line, "reason": failure.reason} for failure in self.failures]
        return {
            "root": self.root,
            "files": self.files,
            "findings": found,
            "failures": failed,
            "skipped": [asdict(entry) for entry in self.skipped],
            "notes": list(self.notes),
            "fixed": [asdict(fix) for fix in self.fixed],
        }


def check_book(root: Path, settings: Settings, *, dropped: bool = False) -> CheckReport:
    """Check every page below `root`; `dropped` also lists text that is left out of search, by rule.

    Rules named in the setting `check.disable` are left out. Raises SourceError as the crawl does, and
    ConfigurationError for a rule that does not exist.
    """
    require_known(settings.check.disable)
    found = crawl_book(root, settings)
    book = _CheckedBook(settings, dropped=dropped)
    for file in found.files:
        book.add(file)
    failures = [*(LessonError(folder.path, folder.reason) for folder in found.unreadable), *book.failures]
    if not found.files and not failures:
        raise SourceError(f"no lessons (.md, .mdx or .markdown) below {root}; name the folder that holds them")
    links = LinkRules(found.root, found.site, book.linked)
    between = (*_clashes(found.clashes), *_shared_places(book.lessons), *_missing_audience(book.lessons))
    findings = [*between, *book.findings, *links.findings()]
    shown = [finding for finding in findings if finding.rule not in settings.check.disable]
    shown.sort(key=lambda each: (each.path, each.line or 0, each.rule))
    notes = (*(found.site.notes if found.site else ()), *links.notes)
    skipped = tuple(sorted((*found.skipped, *book.skipped)))
    return CheckReport(str(root), len(found.files), tuple(shown), tuple(failures), skipped, notes)


class _CheckedBook:
    """What the pages of a book say, read one after the other."""

    def __init__(self, settings: Settings, *, dropped: bool) -> None:
        self._settings = settings
        self._dropped = dropped
        self.findings: list[Finding] = []
        self.failures: list[LessonError] = []
        self.skipped: list[Skipped] = []
        self.lessons: list[Lesson] = []
        self.linked: list[LinkedPage] = []

    def add(self, file: SourceFile) -> None:
        """Check a page; one that cannot be read is a failure, and never ends a command."""
        try:
            source = read_source(file)
            lesson, linked, findings = _check_page(source, self._settings, dropped=self._dropped)
        except UnpublishedPage as unpublished:
            self.skipped.append(Skipped(file.path, unpublished.reason))
        except LessonError as error:
            self.failures.append(error)
        except BookwiseError:
            raise
        except Exception as error:
            self.failures.append(LessonError(file.path, f"cannot be checked: {error!r}; please report this"))
        else:
            self.findings += findings
            self.lessons.append(lesson)
            self.linked.append(linked)


def _clashes(groups: Iterable[Sequence[str]]) -> Iterator[Finding]:
    for first, *others in groups:
        yield Finding(first, None, "path-clash", f"differs only in case from {', '.join(others)}")


def _check_page(source: SourceText, settings: Settings, *, dropped: bool) -> tuple[Lesson, LinkedPage, list[Finding]]:
    """Return a lesson, what the rules on links know of it, and what is wrong with the page by itself."""
    front = read_metadata(source, settings)
    lesson = parse_lesson(source, settings, front)
    page = lint_page(lesson.page.whole.text, lesson.syntax, dropped=dropped)
    return (
        lesson,
        _linked(lesson, page, source, settings),
        [
            *lesson.findings,
            *_key_findings(lesson.path, front),
            *_page_findings(lesson, front, source.entry),
            *(
                Finding(lesson.path, lesson.whole_line(notice.line), notice.rule, notice.message)
                for notice in page.notices
            ),
        ],
    )


def _linked(lesson: Lesson, page: LintedPage, source: SourceText, settings: Settings) -> LinkedPage:
    site = source.site
    generator = generator_of(settings, site)
    is_known = site is not None or settings.book.style != "auto"
    return LinkedPage(
        path=lesson.path,
        line_offset=lesson.body_offset,
        named=lesson.heading_ids if is_known else None,
        links=_own_links(lesson, page),
        headings=page.headings,
        ids=page.ids,
        labels=generator.labels(source.data.decode(errors="replace")),
        may_name=generator.links_by_name,
        slug=lesson.slug,
        doc_id=lesson.doc_id,
        address=unquote(lesson.url.removeprefix(site.base_url)) if site and site.base_url else "",
        aliases=lesson.aliases,
        is_whole=not _takes_other_text(lesson),
    )


def _takes_other_text(lesson: Lesson) -> bool:
    """Return whether a page takes in text that may have headings: then its file does not tell all its anchors."""
    body = f"\n{lesson.body}"
    # Where `:::` is no container, only a plug-in can read it, which writes what it documents in its place.
    by_plugin = "colons" not in lesson.syntax.containers and "\n::: " in body
    has_mark = any(mark in body for mark in _MARKS_OF_OTHER_TEXT)
    return by_plugin or has_mark or any(map(_is_other_text, body.split("\n")))


def _is_other_text(line: str) -> bool:
    """Return whether a line stands for text that is elsewhere: an imported page, a function, the page's contents."""
    if line.startswith(("import ", "import\t")):
        return any(page in line for page in _PAGES)
    return line.startswith("[TOC]") or (line.startswith(":::") and is_api_page(line))


def _own_links(lesson: Lesson, page: LintedPage) -> tuple[Link, ...]:
    """Return the links with their lines in the file. Those of a partial in MDX begin at the partial, and are not
    judged.
    """
    shared = Counter(lesson.page.whole.origins) if lesson.syntax.mdx else Counter[int]()
    moved = (link._replace(line=lesson.whole_line(link.line) - lesson.body_offset) for link in page.links)
    return tuple(link for link in moved if shared[link.line] < 2)


def _key_findings(path: str, front: FrontMatter) -> Iterator[Finding]:
    for key, line in front.lines.items():
        if meant := meant_key(key):
            yield Finding(path, line, "unknown-key", f"`{key}` is not a known key; did you mean `{meant}`?")


def _page_findings(lesson: Lesson, front: FrontMatter, entry: Entry | None) -> Iterator[Finding]:
    if not lesson.body.strip():
        if not _stands_for_others(lesson.path, front):
            yield Finding(lesson.path, None, "empty-page", "has no text; it is tracked, and answers nothing")
    elif lesson.doc_type == "stub":
        message = "says nothing yet: each block is a placeholder or has no words; write it or exclude it"
        yield Finding(lesson.path, None, "stub-page", message)
    is_titled = front.values.get("title") or title_of(lesson.path, entry) or first_heading(lesson.body, lesson.syntax)
    if not is_titled and not _takes_other_text(lesson):
        message = f"has neither a title nor a heading; cited as {lesson.title!r}, after its file"
        yield Finding(lesson.path, None, "missing-title", message)


def _stands_for_others(path: str, front: FrontMatter) -> bool:
    """Return whether a page without text lists those of its folder, or leads to another one."""
    return "/_index." in f"/{path}" or any(key.startswith("redirect") for key in front.values)


def _shared_places(lessons: list[Lesson]) -> Iterator[Finding]:
    """Yield pages whose own names claim one lesson; summaries, translations and pages of a lesson's folder may."""
    owners: dict[tuple[object, ...], str] = {}
    for lesson in lessons:
        place = (lesson.module, lesson.chapter, lesson.lesson, lesson.language, lesson.doc_type)
        if None in place or lesson.doc_type == "summary" or not _is_numbered(lesson):
            continue
        owner = owners.setdefault(place, lesson.path)
        if owner.partition(".")[0] != lesson.path.partition(".")[0]:  # `05-x.notes.md` is a part of `05-x.md`
            where = f"module {lesson.module}, chapter {lesson.chapter}, lesson {lesson.lesson}"
            yield Finding(lesson.path, None, "same-lesson", f"claims {where}, as {owner} does")


def _is_numbered(lesson: Lesson) -> bool:
    """Return whether the file's own name, not only that of its folder, says which lesson it is."""
    numbers = re.findall(r"(?<![^\W_])(?:[A-Za-z]{2,})?0*(\d+)", PurePosixPath(lesson.path).stem)
    return str(lesson.lesson) in numbers


def _missing_audience(lessons: list[Lesson]) -> Iterator[Finding]:
    """Yield lessons that leave out what at least half of the book declares; in other books they may do without."""
    complete = [lesson for lesson in lessons if lesson.doc_type == "lesson"]
    declared = Counter(name for lesson in complete for name in lesson.audience.declared)
    for lesson in complete:
        for name, words in _AUDIENCE.items():
            if 2 * declared[name] >= len(complete) and name not in lesson.audience.declared:
                message = (
                    f"declares no {words} (`{name}`), as {declared[name]} of {len(complete)} lessons do; "
                    "treated as for everyone"
                )
                yield Finding(lesson.path, None, f"missing-{name.replace('_', '-')}", message)

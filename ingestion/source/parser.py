"""Parse one lesson: text to title, place, audience and body, with everything odd reported and nothing guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import LessonError
from ingestion.markdown.blocks import TooMuchWork, walk
from ingestion.markdown.headings import Outline
from ingestion.markdown.parser import parse_page
from ingestion.settings import Settings
from ingestion.source.audience import Audience, read_audience, whole_number, with_custom_tables
from ingestion.source.findings import Finding
from ingestion.source.front_matter import FrontMatter, UnreadableMetadata, split_front_matter
from ingestion.source.hierarchy import CURRENT_VERSION, OVERVIEWS, Place, locate, page_version
from ingestion.source.includes.expansion import Expanded
from ingestion.source.includes.pages import expand_page
from ingestion.source.nav import Entry, position
from ingestion.source.publication import reason_unpublished
from ingestion.source.reader import SourceText
from ingestion.source.site_urls import lesson_url, site_addresses
from ingestion.source.styles import PageName

BOUNDS = {"chapter": range(0, 21), "lesson": range(0, 16)}
"""The bounds of spec 003; real books pass them, so a value outside is kept and reported."""

STUB_WORDS = 12
MOST_STUB_WORDS = 50
_STUB = re.compile(r"\b(coming soon|under construction|to be written|work in progress|TODO|TBD)\b", re.I)
_WORD = re.compile(r"[\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff]|[^\s\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff]+")
"""A word, or a character of a script that writes none apart (Thai to Burmese, Khmer, kana, Han)."""
_VOLATILE_KEYS = frozenset(("date", "created", "updated", "last_modified", "last_update", "default_lang_commit"))
"""Keys that say when a page was touched, not what it says: they never cause a write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A parsed lesson. `body` starts after front matter and has the text of included files in it.

    Its line n is the file's line n + `body_offset`, unless `origins` gives the line of the body in the file, from 1,
    for each of its lines. `mdx` tells that the body is MDX rather than markdown. `includes` are those of its
    IngestionRecord. `docs_version` is the version of a site that has several, None elsewhere.
    """

    path: str
    file_hash: str
    title: str
    body: str
    body_offset: int
    module: str
    chapter: int | None
    lesson: int | None
    audience: Audience
    language: str
    doc_type: str
    slug: str | None
    doc_id: str | None
    style: str
    url: str
    front_matter: str
    findings: tuple[Finding, ...]
    includes: Mapping[str, str] = field(default_factory=dict)
    origins: tuple[int, ...] = ()
    mdx: bool = False
    docs_version: str | None = None
    docs_version_rank: int = 0

    def line(self, number: int) -> int:
        """Return the line of the file for a line of the body: that of the directive for an included one."""
        return (self.origins[number - 1] if self.origins else number) + self.body_offset


class UnpublishedPage(Exception):
    """A page that its site does not show; `reason` says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def read_metadata(source: SourceText, settings: Settings) -> FrontMatter:
    """Return a page's metadata and body; raises UnpublishedPage for a page that the site does not show.

    Raises LessonError, with the line, where the file is not text or its metadata is there and cannot be read.
    """
    generator = source.site.generator if source.site else None
    try:
        front = split_front_matter(source.decode(), generator)
    except UnreadableMetadata as error:
        raise LessonError(source.path, error.reason, error.line) from error
    if reason := reason_unpublished(front.values, generator, unlisted=settings.crawl.unlisted):
        raise UnpublishedPage(reason)
    return front


def lesson_place(source: SourceText, settings: Settings) -> tuple[str, int | None, int | None]:
    """Return module, chapter and lesson of a page without parsing its body; raises as `read_metadata` does."""
    report = _Report(source.path, read_metadata(source, settings))
    place = page_place(source.path, source.entry, settings)
    return place.module, report.number("chapter", place.chapter), report.number("lesson", place.lesson)


def page_place(path: str, entry: Entry | None, settings: Settings) -> Place:
    """Return what the path of a page and the book's contents tell of its place."""
    return locate(path, modules=settings.modules, patterns=settings.book.paths, entry=entry)


def page_address(source: SourceText, values: Mapping[str, Any], settings: Settings) -> str:
    """Return the address of a page with this metadata, or "" where its site has none for it."""
    return lesson_url(_page_name(source.path, values), settings, source.site)


def parse_lesson(source: SourceText, settings: Settings, front: FrontMatter | None = None) -> Lesson:
    """Return the lesson in a file; raises as `read_metadata` does. Metadata that is merely odd makes findings.

    `front` is its metadata, where they are read already. A page that takes far more work than its size allows raises
    LessonError too.
    """
    front = front or read_metadata(source, settings)
    place = page_place(source.path, source.entry, settings)
    module = next((module for module in settings.modules if module.name == place.module), None)
    audience = read_audience(front.values, module, front.repeated)
    values = with_custom_tables(front.values)
    report = _Report(source.path, front)
    mdx = is_mdx(source, values)
    page = _expanded(source, front, settings, mdx=mdx)
    for problem in page.problems:
        report.add_unresolved(problem.line + front.body_offset, problem.message)
    return Lesson(
        path=source.path,
        file_hash=source.sha256,
        title=_title(source, page.text, values, mdx=mdx),
        body=page.text,
        body_offset=front.body_offset,
        module=place.module,
        chapter=report.number("chapter", place.chapter),
        lesson=report.number("lesson", place.lesson),
        audience=audience,
        language=_text(values, "lang") or place.language or settings.book.language,
        doc_type=_doc_type(place, page.text),
        slug=_text(values, "slug"),
        doc_id=_text(values, "id"),
        style=site_addresses(settings, source.site).style,
        url=page_address(source, values, settings),
        front_matter=_raw(front.values),
        findings=report.findings(audience),
        includes=page.files,
        origins=page.origins,
        mdx=mdx,
        **_version(source),
    )


def _version(source: SourceText) -> dict[str, Any]:
    """Return the version of a page of a site that has several, and its rank: 0 for the one that is shown unasked."""
    site = source.site
    if site is None or not site.versions:
        return {}
    version = page_version(source.path)
    order = [
        site.shown_version,
        *(version for version in (CURRENT_VERSION, *site.versions) if version != site.shown_version),
    ]
    return {"docs_version": version, "docs_version_rank": order.index(version) if version in order else len(order)}


def _expanded(source: SourceText, front: FrontMatter, settings: Settings, *, mdx: bool) -> Expanded:
    """Return the page with what it includes; raises LessonError where its blocks take too much work to read."""
    origins: Sequence[int] = ()
    try:
        page = expand_page(source, front.body, settings)
        origins = page.origins
        parse_page(page.text, mdx=mdx)  # which the stages that follow find read
    except TooMuchWork as error:
        line = origins[error.line - 1] if origins else error.line
        raise LessonError(source.path, str(error), line + front.body_offset) from error
    return page


def _title(source: SourceText, body: str, values: Mapping[str, Any], *, mdx: bool) -> str:
    own = _text(values, "title")
    return own or first_heading(body, mdx=mdx) or _name(source.path, source.entry)


def first_heading(body: str, *, mdx: bool = False) -> str | None:
    """Return the title of the first H1, else of the first heading."""
    page, blocks = parse_page(body, mdx=mdx)
    headings = Outline(page, blocks, walk(blocks)).headings
    first = next((heading for heading in headings if heading.level == 1), headings[0] if headings else None)
    return first.title.strip() or None if first else None


def _page_name(path: str, values: Mapping[str, Any]) -> PageName:
    """Return what the page's address depends on."""
    return PageName(
        path,
        slug=_text(values, "slug"),
        doc_id=_text(values, "id"),
        permalink=_text(values, "permalink") or _text(values, "url"),
        number_prefixes=_text(values, "parse_number_prefixes") not in ("false", "False", "FALSE"),
    )


def is_mdx(source: SourceText, values: Mapping[str, Any]) -> bool:
    """Return whether a page is MDX: by its own metadata, its site's configuration (Docusaurus), or its name."""
    own = values.get("mdx")
    chosen = own.get("format") if isinstance(own, Mapping) else None
    form = chosen if chosen in ("md", "mdx", "detect") else source.site.mdx_format if source.site else "detect"
    return form == "mdx" or (form == "detect" and source.path.lower().endswith(".mdx"))


def _name(path: str, entry: Entry | None) -> str:
    """Return what the book's contents call the page, else its file's name without number and hyphens.

    README and index stand for their folder.
    """
    file = PurePosixPath(path)
    stands_for_folder = file.stem.lower() in OVERVIEWS and bool(file.parent.name)
    title = entry and (entry.title or (entry.folder_title if stands_for_folder else None))
    name = file.parent.name if stands_for_folder else file.stem
    return title or re.sub(r"^\d+[-_. ]+", "", name).replace("-", " ").replace("_", " ").strip() or file.name


def _text(values: Mapping[str, Any], key: str) -> str | None:
    value = values.get(key)
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _doc_type(place: Place, body: str) -> str:
    words = sum(1 for _ in islice(_WORD.finditer(body), MOST_STUB_WORDS))
    if place.doc_type == "lesson" and (words < STUB_WORDS or (words < MOST_STUB_WORDS and _STUB.search(body))):
        return "stub"
    return place.doc_type


def _raw(values: Mapping[str, Any]) -> str:
    """Return the whole mapping as JSON text, keys sorted, without what only says when the page was touched."""
    kept = {key: value for key, value in values.items() if key not in _VOLATILE_KEYS}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else ""


class _Report:
    """Collects findings on one page's metadata."""

    def __init__(self, path: str, front: FrontMatter) -> None:
        self._path = path
        self._front = front
        self._findings = [Finding(path, line, rule, message) for line, rule, message in front.problems]

    def number(self, key: str, in_path: int | None) -> int | None:
        """Return chapter or lesson: the path's number wins, front matter fills a gap."""
        raw = self._front.values.get(key)
        written = whole_number(raw) if raw is not None else None
        if raw is not None and written is None:
            self._add(key, f"{key}-value", f"`{key}: {raw}` is not a whole number; ignored")
        if in_path is not None and written is not None and in_path != written:
            self._add(key, "path-conflict", f"`{key}: {written}` but the path says {in_path}; the path counts")
        number = in_path if in_path is not None else written
        if number is None and key == "lesson":
            return position(self._front.values.get("sidebar_position"))
        bounds = BOUNDS[key]
        if number is not None and number not in bounds:
            self._add(key, f"{key}-range", f"{key} {number} is outside {bounds.start} to {bounds.stop - 1}; kept")
        return number

    def add_unresolved(self, line: int, message: str) -> None:
        """Add an include that cannot be read."""
        self._findings.append(Finding(self._path, line, "unresolved-include", message))

    def findings(self, audience: Audience) -> tuple[Finding, ...]:
        """Return all findings, those on the audience included."""
        for key, value, wrong in audience.unusable:
            self._add(key, "audience-value", f"`{key}: {value}` {wrong}")
        return tuple(sorted(self._findings, key=lambda finding: finding.line or 0))

    def _add(self, key: str, rule: str, message: str) -> None:
        self._findings.append(Finding(self._path, self._front.lines.get(key), rule, message))

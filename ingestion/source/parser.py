"""Parse one lesson: text to title, place, audience and body, with everything odd reported and nothing guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ingestion.languages import DEFAULT_LANGUAGE, language_of
from ingestion.markdown.anchors import HeadingIds
from ingestion.markdown.blocks import walk
from ingestion.markdown.headings import Outline
from ingestion.markdown.parser import parse_page
from ingestion.markdown.placeholders import says_nothing_yet
from ingestion.markdown.syntax import ANY, Syntax
from ingestion.settings import Settings
from ingestion.source.addresses import generator_of, heading_ids, lesson_url
from ingestion.source.audience import Audience, read_audience, with_custom_tables
from ingestion.source.book_order import Entry
from ingestion.source.editions import stands_for_folder, without_number
from ingestion.source.findings import Finding
from ingestion.source.generators import of
from ingestion.source.generators.protocol import Generator, PageFacts
from ingestion.source.hierarchy import Place
from ingestion.source.metadata.front_matter import FrontMatter
from ingestion.source.metadata.page import audience_findings, numbers_of, page_place, read_metadata
from ingestion.source.page_text import PageText, read_page_text
from ingestion.source.reader import SourceText

MOST_READ = 10_000
"""Characters of a page from which its language is guessed."""

_CODE = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|`[^`\n]*`|https?://\S+", re.MULTILINE | re.DOTALL
)

_VOLATILE_KEYS = frozenset(("date", "created", "updated", "last_modified", "last_update", "default_lang_commit"))
"""Keys that say when a page was touched, not what it says: they never cause a write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A parsed lesson. `page` is what readers see of its body, which starts after front matter.

    `syntax` is how the body is read. `includes` and `published_until` are those of its IngestionRecord.
    `docs_version` is the version of a site that has several, None elsewhere. `chapter_title` is the chapter that the
    book's own contents give the page.
    """

    path: str
    file_hash: str
    title: str
    page: PageText
    body_offset: int
    module: str
    chapter: int | None
    lesson: int | None
    audience: Audience
    language: str
    doc_type: str
    slug: str | None
    doc_id: str | None
    aliases: tuple[str, ...]
    heading_ids: HeadingIds
    url: str
    front_matter: str
    findings: tuple[Finding, ...]
    includes: Mapping[str, str] = field(default_factory=dict)
    syntax: Syntax = ANY
    published_until: str = ""
    docs_version: str | None = None
    docs_version_rank: int = 0
    chapter_title: str | None = None

    @property
    def body(self) -> str:
        """Return the text that readers see, with that of included files."""
        return self.page.text

    def whole_line(self, number: int) -> int:
        """Return the line of the file for a line of the page before what it hides was cut."""
        origins = self.page.whole.origins
        return (origins[number - 1] if origins else number) + self.body_offset

    def line(self, number: int) -> int:
        """Return the line of the file for a line of what is shown: that of the directive for an included one."""
        return (self.page.origins[number - 1] if self.page.origins else number) + self.body_offset


def page_address(source: SourceText, front: FrontMatter, settings: Settings) -> str:
    """Return the address of a page with this metadata, or "" where its site has none for it."""
    if source.published:
        return source.published.url
    facts = PageFacts(source.path, with_custom_tables(front.values))
    heading = partial(first_heading, front.body, page_syntax(facts, source, settings))
    return lesson_url(facts._replace(heading=heading), settings, source.site)


def parse_lesson(source: SourceText, settings: Settings, front: FrontMatter | None = None) -> Lesson:
    """Return the lesson in a file; raises as `read_metadata` does. Metadata that is merely odd makes findings.

    `front` is its metadata, where they are read already. A page that takes far more work than its size allows raises
    LessonError too.
    """
    front = front or read_metadata(source, settings)
    place = page_place(source.path, source.entry, settings)
    module = next((module for module in settings.modules if module.name == place.module), None)
    audience = read_audience(front.values, module, front.repeated)
    numbers, facts = numbers_of(source.path, front, place), PageFacts(source.path, with_custom_tables(front.values))
    unusable = audience_findings(source.path, front, audience)
    syntax, ids = page_syntax(facts, source, settings), heading_ids(settings, source.site)
    page = read_page_text(source, front, settings, syntax, ids)
    return Lesson(
        path=source.path,
        file_hash=source.sha256,
        title=facts.text("title") or first_heading(page.text, syntax) or _name(source.path, source.entry),
        page=page,
        body_offset=front.body_offset,
        module=place.module,
        chapter=numbers.chapter,
        lesson=numbers.lesson,
        audience=audience,
        language=facts.text("lang") or place.language or settings.book.language or written_in(page),
        doc_type=_doc_type(place, page.text, syntax),
        slug=facts.text("slug"),
        doc_id=facts.text("id"),
        aliases=tuple(facts.texts("aliases", "redirect_from")),
        heading_ids=ids,
        url=page_address(source, front, settings),
        front_matter=_raw(front.values),
        findings=_findings(source.path, front, page, (*numbers.findings, *unusable)),
        includes=page.whole.files,
        syntax=syntax,
        published_until=front.published_until,
        chapter_title=_generator(source, settings).chapter(facts, source.site, source.entry or Entry()),
        **_version(source),
    )


def _findings(path: str, front: FrontMatter, page: PageText, others: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return what is odd about a page, in the order of its lines: its metadata, its text, and the others."""
    odd = [Finding(path, line, rule, message) for line, rule, message in front.problems]
    odd += [Finding(path, each.line + front.body_offset, each.rule, each.message) for each in page.whole.problems]
    return tuple(sorted((*odd, *others), key=lambda finding: finding.line or 0))


def written_in(page: PageText) -> str:
    """Return the language that a page is written in, English where its prose does not tell."""
    prose = _CODE.sub(" ", page.text[: 4 * MOST_READ])[:MOST_READ]
    return language_of(prose) or DEFAULT_LANGUAGE


def page_syntax(page: PageFacts, source: SourceText, settings: Settings) -> Syntax:
    """Return how a page is read: by its site, else by the generator whose style of addresses the book names."""
    return _generator(source, settings).syntax(page, source.site)


def _generator(source: SourceText, settings: Settings) -> Generator:
    return of(source.site) if source.site else generator_of(settings, None)


def _version(source: SourceText) -> dict[str, Any]:
    """Return the version of a page of a site that has several, and its rank: 0 for the one that is shown unasked."""
    version = of(source.site).version(source.path, source.site) if source.site else None
    return {"docs_version": version[0], "docs_version_rank": version[1]} if version else {}


def first_heading(body: str, syntax: Syntax = ANY) -> str | None:
    """Return the title of the first H1, else of the first heading."""
    page, blocks = parse_page(body, syntax)
    headings = Outline(page, blocks, walk(blocks)).headings
    first = next((heading for heading in headings if heading.level == 1), headings[0] if headings else None)
    return first.title.strip() or None if first else None


def _name(path: str, entry: Entry | None) -> str:
    """Return what the book's contents call the page, else its file's name without number and hyphens.

    README and index stand for their folder.
    """
    file = PurePosixPath(path)
    name = file.parent.name if stands_for_folder(path) and file.parent.name else file.stem
    return title_of(path, entry) or without_number(name).replace("-", " ").replace("_", " ").strip() or file.name


def title_of(path: str, entry: Entry | None) -> str | None:
    """Return what the book's contents call a page: its own title, or that of the folder for which it stands."""
    if entry is None:
        return None
    if entry.title:
        return entry.title
    is_folder = stands_for_folder(path) and "/" in path
    return entry.folder_titles[-1] if is_folder and entry.folder_titles else None


def _doc_type(place: Place, body: str, syntax: Syntax) -> str:
    page, blocks = parse_page(body, syntax)
    is_stub = place.doc_type == "lesson" and says_nothing_yet(page, walk(blocks), syntax)
    return "stub" if is_stub else place.doc_type


def _raw(values: Mapping[str, Any]) -> str:
    """Return the whole mapping as JSON text, keys sorted, without what only says when the page was touched."""
    kept = {key: value for key, value in values.items() if key not in _VOLATILE_KEYS}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else ""

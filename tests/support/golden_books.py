"""What a run makes of small sites of every generator: `tests/golden/books.json`, one entry a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingestion.chunking.chunks import chunk_lesson
from ingestion.errors import LessonError
from ingestion.ids import LessonKey
from ingestion.models import DocumentChunk
from ingestion.settings import Settings
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.crawler import Crawl, SourceFile
from ingestion.source.metadata.page import UnpublishedPage
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source
from tests.generators.books.addresses import DOCUSAURUS_INSTANCES, HUGO_PATTERNS, JEKYLL_PATTERNS, VITEPRESS_REWRITES
from tests.generators.books.common import PLAIN, write_site
from tests.generators.books.docusaurus import DOCUSAURUS
from tests.generators.books.hugo import HUGO
from tests.generators.books.jekyll import JEKYLL
from tests.generators.books.mdbook import MDBOOK
from tests.generators.books.mkdocs import MATERIAL, MKDOCS
from tests.generators.books.vitepress import VITEPRESS
from tests.support.golden_files import FOLDER

FILE = FOLDER / "books.json"
_CONFIG = "docusaurus.config.js"
_DOCUSAURUS = "url: 'https://x.example', baseUrl: '/b/', i18n: {defaultLocale: 'en', locales: ['en', 'ur']}"
_COMMUNITY = "{id: 'community', path: 'community', routeBasePath: 'people'}"
BOOKS: Mapping[str, Mapping[str, str]] = {
    "docusaurus": {**DOCUSAURUS, _CONFIG: f"module.exports = {{{_DOCUSAURUS}}};\n"},
    "docusaurus-instances": {
        **DOCUSAURUS_INSTANCES,
        _CONFIG: f"module.exports = {{{_DOCUSAURUS}, plugins: [['content-docs', {_COMMUNITY}]]}};\n",
    },
    "hugo": HUGO,
    "hugo-patterns": HUGO_PATTERNS,
    "jekyll": JEKYLL,
    "jekyll-patterns": JEKYLL_PATTERNS,
    "mdbook": MDBOOK,
    "mkdocs": MKDOCS,
    "mkdocs-material": MATERIAL,
    "vitepress": VITEPRESS,
    "vitepress-rewrites": VITEPRESS_REWRITES,
    "starlight": {
        "astro.config.mjs": "export default { site: 'https://x.example' };\n",
        **{f"src/content/docs/{path}": text for path, text in PLAIN.items()},
    },
    "unknown": PLAIN,
}
_SETTINGS = {"crawl.versions": True, "crawl.translations": True}


def render_book(name: str, folder: Path) -> dict[str, Any]:
    """Return what a run makes of a book that is written to `folder`: its site, each page, and what is left out."""
    write_site(folder, BOOKS[name])
    settings = load_settings(_SETTINGS, environ={})
    found = crawl_book(folder, settings)
    if not found.site or not found.site.base_url:
        settings = load_settings({**_SETTINGS, "book.base_url": "https://x.example"}, environ={})
    pages = {file.path: _page(file, settings) for file in found.files}
    return {
        "site": _site(found, folder),
        "skipped": {each.path: each.reason for each in found.skipped},
        "pages": pages,
    }


def _site(found: Crawl, folder: Path) -> dict[str, Any] | None:
    site = found.site
    if site is None:
        return None
    facts = ("generator", "docs", "title", "language", "languages", "before_docs", "before_root")
    return {
        "config": site.config.relative_to(folder).as_posix(),
        "base_url": site.base_url,
        **{name: getattr(site, name) for name in facts},
    }


def _page(file: SourceFile, settings: Settings) -> dict[str, Any]:
    try:
        lesson = parse_lesson(read_source(file), settings)
    except UnpublishedPage as unpublished:
        return {"unpublished": unpublished.reason}
    except LessonError as error:
        return {"failed": [error.line, error.reason]}
    key = LessonKey(
        book_id="b",
        module=lesson.module,
        chapter=lesson.chapter,
        lesson=lesson.lesson,
        source_file=lesson.path,
    )
    chunks = chunk_lesson(lesson, key, settings, embedding="e")
    place = (lesson.module, lesson.chapter, lesson.lesson, lesson.language, lesson.doc_type, lesson.docs_version)
    return {
        "title": lesson.title,
        "url": lesson.url,
        "place": " ".join(map(str, place)),
        "findings": " ".join(f"{finding.line}:{finding.rule}" for finding in lesson.findings),
        "anchors": " ".join(f"#{anchor}" for chunk in chunks for anchor in chunk.metadata.section_anchors),
        "chunks": " ".join(map(_chunk, chunks)),
    }


def _chunk(chunk: DocumentChunk) -> str:
    lines = f"{chunk.metadata.line_start}-{chunk.metadata.line_end}"
    return f"{lines}:{chunk.id[:8]}:{chunk.embed_key[:8]}"


def as_text(books: Mapping[str, Any]) -> str:
    """Return the file's text: a line for each fact of a page, so that a difference shows the page and the fact."""
    return json.dumps(books, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def expected() -> dict[str, Any]:
    """Return what the file holds."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found

"""The text of a new `bookwise.toml`: what was found as values, what can be chosen as comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingestion.source.contents import Contents
from ingestion.source.site import Site

SHOWN_MODULES = 12


@dataclass(frozen=True, slots=True)
class Edition:
    """A language and version of a book; `version` is empty for the pages in its docs folder.

    `indexed` of its `pages` are indexed with the settings as they are.
    """

    language: str
    version: str
    pages: int
    indexed: int


def config_text(
    book_id: str,
    docs: str,
    site: Site | None,
    contents: Contents,
    editions: Sequence[Edition],
    beside: str | None = None,
) -> str:
    """Return the configuration of a book; `beside` is the folder of a site that does not hold the lessons."""
    return "\n".join((*_book(book_id, docs, site, beside), "", *_crawl(editions), "", *_modules(contents))) + "\n"


def toml_string(text: str) -> str:
    """Return the text as a string of TOML."""
    return re.sub(
        "[\x7f\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False)
    )


def _book(book_id: str, docs: str, site: Site | None, beside: str | None) -> Iterator[str]:
    yield "# How bookwise reads this book. A line after `#` is a choice: remove the mark to make it."
    yield "# Secrets have no place here; keys belong in the environment or in `.env`."
    yield ""
    yield "[book]"
    yield "# The book's id in the index. Another id is another book, so keep it."
    yield f"id = {toml_string(book_id)}"
    yield "# The folder of the lessons, relative to this file."
    yield f"docs = {toml_string(docs)}"
    if beside:
        yield "# The folder of the site, which does not hold the lessons."
        yield f"site = {toml_string(beside)}"
    if site and site.title:
        yield f"title = {toml_string(site.title)}"
    if site and site.base_url:
        yield f"# The address of the lessons' folder, if it is not what {site.config.name} says:"
        yield f"# base_url = {toml_string(site.base_url)}"
    else:
        yield "# The address of the lessons' folder on the site, so that citations are links."
        yield '# base_url = "https://example.org/my-book"'
    if not site:
        yield "# How the site makes addresses: docusaurus, mdbook, mkdocs, hugo, jekyll, vitepress, starlight, …"
        yield '# style = "docusaurus"'
    yield "# The language of pages that do not name theirs."
    yield f"{'' if site and site.language else '# '}language = {toml_string((site and site.language) or 'en')}"


def _crawl(editions: Sequence[Edition]) -> Iterator[str]:
    yield "[crawl]"
    yield "# Patterns, as in .gitignore, of what is no lesson."
    yield '# exclude = ["drafts/", "CONTRIBUTING.md"]'
    left_out = [edition for edition in editions if not edition.indexed]
    languages = sorted({edition.language for edition in left_out if not edition.version})
    versions = sorted({edition.version for edition in left_out if edition.version})
    if languages:
        yield f"# Index the translations too: {_listed(languages)}."
        yield "# translations = true"
    if versions:
        yield f"# Index the older versions too: {_listed(versions)}."
        yield "# versions = true"


def _modules(contents: Contents) -> Iterator[str]:
    names = sorted(contents.modules)
    yield f"# Modules are named after folders: {_listed(names)}."
    yield "# An entry gives one a title, other names, and what its lessons get where they declare nothing:"
    yield "# [[modules]]"
    yield f"# name = {toml_string(names[0])}"
    yield '# title = "What readers call it"'
    yield '# aliases = ["another-name"]'
    yield "# hardware_tier = 1"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN_MODULES} more" if len(names) > SHOWN_MODULES else ""
    return ", ".join(toml_string(name)[1:-1] for name in names[:SHOWN_MODULES]) + more

"""MkDocs and Material: `mkdocs.yml`."""

from __future__ import annotations

import re
from pathlib import Path

from ingestion.book_files import read_book_text
from ingestion.source.generators.values import clean, joined, lines, one
from ingestion.source.javascript import Values
from ingestion.source.site import Site
from ingestion.source.site_config import read_config

_UNICODE_SLUGS = re.compile(
    r"^[^#\n]*slugify:\s*!!python/(?:name:pymdownx\.slugs\.uslugify|"
    r"object/apply:pymdownx\.slugs\.slugify\b[^!]{0,80}\bcase:\s*[\"']?lower\b(?!-))",
    re.M,
)
"""How Material's documentation names headings; the tag is no value that reading the file gives."""


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    values = read_config(config)
    return Site(
        generator="mkdocs",
        folder=folder,
        config=config,
        docs=clean(one(values, "docs_dir") or "docs"),
        url=joined(one(values, "site_url") or "", ""),
        title=one(values, "site_name"),
        language=one(values, "theme", "language"),
        directory_urls=one(values, "use_directory_urls") != "false",
        # Both are the built-in ones of MkDocs; a site's own patterns come after them.
        excluded=(".*", "/templates/", *lines(values, "exclude_docs")),
        drafts=lines(values, "draft_docs"),
        unicode_slugs=_UNICODE_SLUGS.search(read_book_text(config)) is not None,
        snippets=_snippets(values),
    )


def _snippets(values: Values) -> tuple[str, ...]:
    """Return the base folders of pymdownx.snippets; `!relative` names them by variables."""
    folders = values.get(("markdown_extensions", "pymdownx.snippets", "base_path")) or (".",)
    docs = clean(one(values, "docs_dir") or "docs")
    return tuple(folder.replace("$config_dir", ".").replace("$docs_dir", docs) for folder in folders)

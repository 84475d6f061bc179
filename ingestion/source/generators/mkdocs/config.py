"""MkDocs and Material: `mkdocs.yml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingestion.source.site import UNKNOWN, HeadingOptions, Site
from ingestion.source.site_reading.documents import read_document, read_text, values_of
from ingestion.source.site_reading.javascript import Values
from ingestion.source.site_reading.values import clean, joined, lines, one

_SLUGIFY = re.compile(
    r"^[^#\n]*slugify:\s*(?P<tag>!!python/(?:name|object/apply):)?(?P<name>[\w.]+):?(?P<options>[^!#]{0,120})", re.M
)
"""What names headings; the tag is no value that reading the file gives."""

_CASE = re.compile(r"\bcase:\s*[\"']?(?P<case>[\w-]+)")
_PERCENT = re.compile(r"\bpercent_encode:\s*[\"']?true", re.I)
_NAMED = {
    "uslugify": "lower",
    "uslugify_cased": "none",
    "uslugify_encoded": "lower%",
    "slugify_unicode": "unicode",
}
_WITH_ATTRIBUTES = ("attr_list", "extra", "pymdownx.extra")


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    document = read_document(config)
    values = values_of(document)
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
        headings=HeadingOptions(
            slugs=_slugs(read_text(config)),
            separator=one(values, "markdown_extensions", "toc", "separator") or "-",
            attributes=_has_attributes(document),
        ),
        snippets=_snippets(values),
    )


def _snippets(values: Values) -> tuple[str, ...]:
    """Return the base folders of pymdownx.snippets; `!relative` names them by variables."""
    folders = values.get(("markdown_extensions", "pymdownx.snippets", "base_path")) or (".",)
    docs = clean(one(values, "docs_dir") or "docs")
    return tuple(folder.replace("$config_dir", ".").replace("$docs_dir", docs) for folder in folders)


def _slugs(text: str) -> str:
    """Return how headings are named: as the style `mkdocs` calls it, or `unknown`."""
    found = _SLUGIFY.search(text)
    if found is None:
        return ""
    module, _, name = found["name"].rpartition(".")
    if module not in ("pymdownx.slugs", "markdown.extensions.toc"):
        return UNKNOWN
    if name != "slugify":
        return _NAMED.get(name, UNKNOWN)
    if module != "pymdownx.slugs":
        return ""
    case = _CASE.search(found["options"])
    return (case["case"] if case else "none") + ("%" if _PERCENT.search(found["options"]) else "")


def _has_attributes(document: Any) -> bool:
    """Whether an id in braces is read: by an extension, which a configuration that this one inherits may name too."""
    if not isinstance(document, Mapping) or "INHERIT" in document:
        return True
    listed = document.get("markdown_extensions") or ()
    names = {str(name) for each in listed for name in (each if isinstance(each, Mapping) else [each])}
    return any(name.removeprefix("markdown.extensions.") in _WITH_ATTRIBUTES for name in names)

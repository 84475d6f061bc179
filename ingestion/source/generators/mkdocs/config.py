"""MkDocs and Material: `mkdocs.yml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ingestion.source.site import Site
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


UNKNOWN = "unknown"
_SCRIPTED = "a script of the site names headings, which is not run: links have no anchor"


class HeadingOptions(NamedTuple):
    """What a site's configuration says of the anchors of headings.

    `slugs` names how they are made, empty for the generator's own way and `unknown` for a way that only running it
    tells. `separator` stands between words, and `attributes` tells that an id in braces is none of the text.
    """

    slugs: str = ""
    separator: str = "-"
    attributes: bool = True


OWN_HEADINGS = HeadingOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only MkDocs knows of a site: how headings are named, and the folders of snippets, relative to its own."""

    headings: HeadingOptions = OWN_HEADINGS
    snippets: tuple[str, ...] = (".",)


def facts_of(site: Site | None) -> Facts:
    """Return what a site's configuration says, the defaults where it is not known."""
    return site.facts if site and isinstance(site.facts, Facts) else Facts()


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    document = read_document(config)
    values = values_of(document)
    slugs = _slugs(read_text(config))
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
        facts=Facts(
            headings=HeadingOptions(
                slugs=slugs,
                separator=one(values, "markdown_extensions", "toc", "separator") or "-",
                attributes=_has_attributes(document),
            ),
            snippets=_snippets(values),
        ),
        notes=(f"{config.name}: {_SCRIPTED}",) if slugs == UNKNOWN else (),
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

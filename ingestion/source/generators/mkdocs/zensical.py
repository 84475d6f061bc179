"""`zensical.toml`: what it says, in the form of `mkdocs.yml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingestion.source.site_reading.values import mapping, scalar

_DEFAULT_EXTENSIONS = (
    *("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "toc"),
    *("pymdownx.arithmatex", "pymdownx.betterem", "pymdownx.caret", "pymdownx.details", "pymdownx.emoji"),
    *("pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.keys", "pymdownx.magiclink", "pymdownx.mark"),
    *("pymdownx.smartsymbols", "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.tasklist", "pymdownx.tilde"),
)
"""The extensions of a site that names none."""

_FAMILIES = ("pymdownx", "pymdownx.blocks", "zensical", "zensical.extensions")
"""Names of which TOML makes tables, as in `pymdownx.tasklist.custom_checkbox = true`."""


def as_mkdocs(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table `project`, else the whole file, as `mkdocs.yml` would say it: all values are text."""
    project = mapping(_as_text(document.get("project", document)))
    extensions = project.get("markdown_extensions")
    if extensions is None:
        return {**project, "markdown_extensions": list(_DEFAULT_EXTENSIONS)}
    if isinstance(extensions, Mapping):
        return {**project, "markdown_extensions": dict(_extensions(extensions))}
    return project


def _as_text(value: Any) -> Any:
    """Return nested tables and lists with their scalars as a configuration in YAML gives them."""
    if isinstance(value, Mapping):
        return {key: _as_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner) for inner in value]
    return scalar(value)


def _extensions(written: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, options in written.items():
        full = f"{above}.{name}" if above else name
        if full in _FAMILIES:
            yield from _extensions(mapping(options), full)
        else:
            yield full, options

"""Astro with Starlight: `astro.config.*`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.source.sidebars import chapters_in
from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import read_text
from ingestion.source.site_reading.javascript import javascript_document, javascript_values
from ingestion.source.site_reading.values import joined, one


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only Starlight knows of a site: `sidebar` is the titles above pages by address."""

    sidebar: Mapping[str, str] = field(default_factory=dict)


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    text = read_text(config)
    values = javascript_values(text)
    slash = {"always": True, "never": False}.get(one(values, "trailingSlash") or "")
    language = next((texts[0] for path, texts in values.items() if path[-1] == "defaultLocale"), None)
    names = (path[path.index("locales") + 1] for path in values if "locales" in path[:-1])
    return Site(
        generator="astro",
        folder=folder,
        config=config,
        docs="src/content/docs",
        url=joined(one(values, "site"), one(values, "base")),
        language=language,
        languages=tuple(dict.fromkeys(names)),
        trailing_slash=slash,
        facts=Facts(sidebar=chapters_in(javascript_document(text))),
    )

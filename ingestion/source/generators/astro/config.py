"""Astro with Starlight: `astro.config.*`."""

from __future__ import annotations

from pathlib import Path

from ingestion.source.site import Site
from ingestion.source.site_reading.documents import read_config
from ingestion.source.site_reading.values import joined, one


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    values = read_config(config)
    address = one(values, "site") or ""
    slash = {"always": True, "never": False}.get(one(values, "trailingSlash") or "")
    language = next((texts[0] for path, texts in values.items() if path[-1] == "defaultLocale"), None)
    names = (path[path.index("locales") + 1] for path in values if "locales" in path[:-1])
    return Site(
        generator="astro",
        folder=folder,
        config=config,
        docs="src/content/docs",
        url=joined(address, one(values, "base") or "") if address else "",
        language=language,
        languages=tuple(dict.fromkeys(names)),
        trailing_slash=slash,
    )

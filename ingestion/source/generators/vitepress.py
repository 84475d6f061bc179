"""VitePress: `.vitepress/config.*`."""

from __future__ import annotations

from pathlib import Path

from ingestion.source.generators.values import clean, one
from ingestion.source.site import Site
from ingestion.source.site_config import read_config


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    values = read_config(config)
    pages = config.parent.parent
    return Site(
        generator="vitepress",
        folder=pages,
        config=config,
        docs=clean(one(values, "srcDir") or "."),
        route=(one(values, "base") or "").strip("/"),
        title=one(values, "title"),
        language=one(values, "lang"),
        directory_urls=False,
        trailing_slash=None,
        excluded=values.get(("srcExclude",), ()),
    )

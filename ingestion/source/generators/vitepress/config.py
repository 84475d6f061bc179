"""VitePress: `.vitepress/config.*`."""

from __future__ import annotations

import re
from pathlib import Path

from ingestion.source.site import Site
from ingestion.source.site_reading.documents import read_text
from ingestion.source.site_reading.javascript import javascript_values, without_texts
from ingestion.source.site_reading.values import clean, joined, one

_REWRITES = re.compile(r"\brewrites\b\s*(?P<plain>:\s*\{(?:\s*(?:\"\"|[\w$]+)\s*:\s*\"\"\s*,?)*\s*\})?")


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    text = read_text(config)
    values = javascript_values(text)
    pages = config.parent.parent
    rewrites = _REWRITES.search(without_texts(text))
    return Site(
        generator="vitepress",
        folder=pages,
        config=config,
        docs=clean(one(values, "srcDir") or "."),
        url=joined(one(values, "sitemap", "hostname") or "", ""),
        route=(one(values, "base") or "").strip("/"),
        title=one(values, "title"),
        language=one(values, "lang") or one(values, "locales", "root", "lang"),
        directory_urls=one(values, "cleanUrls") == "true",
        excluded=values.get(("srcExclude",), ()),
        rules=tuple((path[-1], texts[0]) for path, texts in values.items() if path[:-1] == ("rewrites",)),
        unknown_addresses="`rewrites` is made by a script" if rewrites and not rewrites["plain"] else "",
    )

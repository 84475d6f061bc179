"""VitePress: `.vitepress/config.*`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.source.sidebars import chapters_in
from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import read_text
from ingestion.source.site_reading.javascript import javascript_document, javascript_values, without_texts
from ingestion.source.site_reading.values import by_key, clean, joined, one

_REWRITES = re.compile(r"\brewrites\b\s*(?P<plain>:\s*\{(?:\s*(?:\"\"|[\w$]+)\s*:\s*\"\"\s*,?)*\s*\})?")

_SCRIPTED = "`rewrites` is a script, and scripts are not run: passages have no URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only VitePress knows of a site: the patterns that move pages, whether a script makes them, and `sidebar`,
    the titles above pages by address.
    """

    rewrites: tuple[tuple[str, str], ...] = ()
    has_scripted_rewrites: bool = False
    sidebar: Mapping[str, str] = field(default_factory=dict)


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    text = read_text(config)
    values = javascript_values(text)
    pages = config.parent.parent
    rewrites = _REWRITES.search(without_texts(text))
    is_scripted = rewrites is not None and not rewrites["plain"]
    return Site(
        generator="vitepress",
        folder=pages,
        config=config,
        docs=clean(one(values, "srcDir") or "."),
        url=joined(one(values, "sitemap", "hostname")),
        route=(one(values, "base") or "").strip("/"),
        title=one(values, "title"),
        language=one(values, "lang") or one(values, "locales", "root", "lang"),
        directory_urls=one(values, "cleanUrls") == "true",
        excluded=values.get(("srcExclude",), ()),
        facts=Facts(
            rewrites=by_key(values, ("rewrites",)),
            has_scripted_rewrites=is_scripted,
            sidebar=chapters_in(javascript_document(text)),
        ),
        notes=(f"{config.name}: {_SCRIPTED}",) if is_scripted else (),
    )

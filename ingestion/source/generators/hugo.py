"""Hugo: `hugo.*`, `config.*` and `config/_default/`."""

from __future__ import annotations

from pathlib import Path

from ingestion.source.generators.values import clean, joined, one
from ingestion.source.site import Site
from ingestion.source.site_config import read_config


def read(folder: Path, config: Path) -> Site | None:
    """Return the site that a configuration file describes."""
    values = {tuple(name.lower() for name in path): texts for path, texts in read_config(config).items()}
    if config.name.startswith("config.") and ("baseurl",) not in values:
        return None
    docs = clean(one(values, "contentdir") or "content")
    languages = tuple(sorted({path[1] for path in values if path[0] == "languages" and len(path) > 2}))
    own = ((language, one(values, "languages", language, "contentdir") or docs) for language in languages)
    return Site(
        generator="hugo",
        folder=config.parent.parent.parent if config.parent.name == "_default" else folder,
        config=config,
        docs=docs,
        url=joined(one(values, "baseurl") or "", ""),
        title=one(values, "title"),
        language=one(values, "defaultcontentlanguage") or "en",
        languages=languages,
        language_folders=tuple((name, path[len(docs) + 1 :]) for name, path in own if path.startswith(f"{docs}/")),
        default_in_folder=one(values, "defaultcontentlanguageinsubdir") == "true",
        directory_urls=one(values, "uglyurls") != "true",
    )

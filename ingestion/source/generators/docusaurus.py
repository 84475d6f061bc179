"""Docusaurus: the docs plugin of `docusaurus.config.*`, and the versions in `versions.json`."""

from __future__ import annotations

import json
from pathlib import Path

from ingestion.book_files import read_book_text
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.generators.values import clean, flag, joined, one
from ingestion.source.site import Site
from ingestion.source.site_config import Values, read_config


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    values = read_config(config)
    options = _docs_options(values)
    base = one(values, "baseUrl") or "/"
    address = one(values, "url") or ""
    versions = _versions(folder)
    disabled = options.get("disableVersioning") == "true"
    return Site(
        generator="docusaurus",
        folder=folder,
        config=config,
        docs=clean(options.get("path", "docs")),
        url=joined(address, base) if address else "",
        route=options.get("routeBasePath", "docs").strip("/"),
        title=one(values, "title"),
        language=one(values, "i18n", "defaultLocale") or "en",
        languages=values.get(("i18n", "locales"), ()),
        versions=() if disabled else versions,
        last_version=options.get("lastVersion") or (versions[0] if versions and not disabled else "current"),
        trailing_slash=flag(one(values, "trailingSlash")),
        number_prefixes=options.get("numberPrefixParser") != "false",
        mdx_format=one(values, "markdown", "format") or "mdx",
    )


def _docs_options(values: Values) -> dict[str, str]:
    """Return the options of the docs plugin: those of the preset, else those of the plugin itself."""
    for head in (("presets", "docs"), ("plugins",)):
        found = {path[-1]: texts[0] for path, texts in values.items() if path[:-1] == head}
        if found:
            return found
    return {}


def _versions(folder: Path) -> tuple[str, ...]:
    try:
        listed = json.loads(read_book_text(folder / "versions.json"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{folder / 'versions.json'}: cannot be read: {explain(error)}") from error
    return tuple(version for version in listed if isinstance(version, str)) if isinstance(listed, list) else ()

"""Docusaurus: the docs plugins of `docusaurus.config.*`, and the versions in `versions.json`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ingestion.source.editions import CURRENT_VERSION
from ingestion.source.sidebars import chapters_of
from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import is_own_file, read_document, read_text
from ingestion.source.site_reading.javascript import (
    ObjectLiteral,
    Values,
    javascript_document,
    javascript_objects,
    javascript_values,
)
from ingestion.source.site_reading.values import clean, flag, items, joined, one

_PRESET = ("presets", "docs")
_PLUGINS = ("plugins",)
_DOCS_PLUGIN = "content-docs"
_DEFAULT = "default"
SCRIPTS = ("js", "ts", "cjs", "mjs", "json")
"""How the file of sidebars may end where the options do not name it by a literal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only Docusaurus knows of a site; the defaults are those of a site whose configuration is not known.

    `versions` are newest first, `last_version` is the one that readers see unasked (`current` for the pages in the
    docs folder), and `shown_version` the same among those that are indexed. `version_routes` are the parts of
    addresses that the configuration gives to versions. `number_prefixes` tells whether numbers before names are
    dropped from addresses. `mdx_format` tells which pages are MDX: all (`mdx`), none (`md`), or by name (`detect`).
    `unpublished` are versions that the site has no pages of. `included`, where there are any, and `excluded` are the
    patterns (of globby, in the docs folder) of files with and without a page. `sidebars` are the titles above the
    pages, by version.
    """

    versions: tuple[str, ...] = ()
    last_version: str = CURRENT_VERSION
    shown_version: str = CURRENT_VERSION
    version_routes: tuple[tuple[str, str], ...] = ()
    number_prefixes: bool = True
    mdx_format: str = "detect"
    unpublished: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    sidebars: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes: its first docs plugin, the others as its instances."""
    script = read_text(config)
    values, objects = javascript_values(script), javascript_objects(script)
    base = one(values, "baseUrl") or "/"
    whole = Site(
        generator="docusaurus",
        folder=folder,
        config=config,
        docs="docs",
        url=joined(one(values, "url"), base),
        title=one(values, "title"),
        language=one(values, "i18n", "defaultLocale") or "en",
        languages=values.get(("i18n", "locales"), ()),
        trailing_slash=flag(one(values, "trailingSlash")),
        facts=Facts(mdx_format=one(values, "markdown", "format") or "mdx"),
    )
    plugins = _docs_plugins(objects, has_preset=one(values, *_PRESET) != "false")
    first, *others = (_with_options(whole, plugin, objects, values) for plugin in plugins)
    return replace(first, instances=tuple(others))


def _docs_plugins(objects: Sequence[ObjectLiteral], *, has_preset: bool) -> list[ObjectLiteral]:
    """The options of the preset's docs, then those of each docs plugin; never none."""
    plugins = [each for each in objects if each.path == _PLUGINS and each.head.endswith(_DOCS_PLUGIN)]
    if {each.values.get("id", _DEFAULT) for each in plugins} == {_DEFAULT}:
        return plugins  # which stand for the preset's
    preset = next((each for each in objects if each.path == _PRESET), ObjectLiteral(_PRESET, {}, ""))
    return [preset, *plugins] if has_preset or not plugins else plugins


def _with_options(site: Site, plugin: ObjectLiteral, objects: Sequence[ObjectLiteral], values: Values) -> Site:
    """Return the site with the docs of one plugin."""
    options = plugin.values
    name = options.get("id", _DEFAULT)
    instance = "" if name == _DEFAULT else name
    versions = () if options.get("disableVersioning") == "true" else _versions(site.folder, instance)
    published = _published(versions, options, values.get((*plugin.path, "onlyIncludeVersions"), ()))
    return replace(
        site,
        instance=instance,
        docs=clean(options.get("path", "docs")),
        route=options.get("routeBasePath", "docs").strip("/"),
        facts=replace(
            facts_of(site),
            versions=versions,
            last_version=_last(versions, options, published),
            version_routes=tuple(_version_routes(plugin, objects)),
            number_prefixes=options.get("numberPrefixParser") != "false",
            unpublished=tuple(each for each in (CURRENT_VERSION, *versions) if each not in published),
            included=values.get((*plugin.path, "include"), ()),
            excluded=values.get((*plugin.path, "exclude"), ()),
            sidebars=dict(_sidebars(site.folder, options.get("sidebarPath"), instance, versions)),
        ),
    )


def _published(versions: Sequence[str], options: Mapping[str, str], only: Sequence[str]) -> tuple[str, ...]:
    """The versions that the site has pages of."""
    has_current = not versions or options.get("includeCurrentVersion") != "false"
    every = [*([CURRENT_VERSION] if has_current else []), *versions]
    return tuple(each for each in every if not only or each in only) or tuple(every)


def _last(versions: Sequence[str], options: Mapping[str, str], published: Sequence[str]) -> str:
    """The version that readers see unasked: the configuration's, else the newest that is published."""
    chosen = options.get("lastVersion")
    return chosen or next((each for each in versions if each in published), CURRENT_VERSION)


def _version_routes(plugin: ObjectLiteral, objects: Sequence[ObjectLiteral]) -> Iterator[tuple[str, str]]:
    """The parts of addresses that the options of a plugin give to versions."""
    start = (*plugin.path, "versions")
    for each in objects:
        is_own = each.path[: len(start)] == start and len(each.path) == len(start) + 1
        if is_own and "path" in each.values:
            yield each.path[-1], each.values["path"].strip("/")


def _sidebars(
    folder: Path, written: str | None, instance: str, versions: Sequence[str]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the titles above the pages of each version, as far as its sidebars are written as literals."""
    names = [written] if written else [f"sidebars.{ending}" for ending in SCRIPTS]
    before = f"{instance}_" if instance else ""
    files = [(CURRENT_VERSION, name) for name in (names if written != "false" else ())]
    files += [(version, f"{before}versioned_sidebars/version-{version}-sidebars.json") for version in versions]
    for version, name in files:
        file = Path(os.path.normpath(folder / name))
        if file.is_relative_to(folder) and is_own_file(file):
            yield version, chapters_of(_document(file))


def _document(file: Path) -> Any:
    return read_document(file) if file.suffix == ".json" else javascript_document(read_text(file))


def _versions(folder: Path, instance: str) -> tuple[str, ...]:
    file = folder / (f"{instance}_versions.json" if instance else "versions.json")
    listed = read_document(file) if os.path.lexists(file) else None
    return tuple(version for version in items(listed) if isinstance(version, str))

"""Hugo: `hugo.*`, `config.*`, and the files of `config/_default/`, each of which holds the part it is named for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import DATA_ENDINGS, read_document, texts_below, values_of
from ingestion.source.site_reading.javascript import Values
from ingestion.source.site_reading.values import clean, items, joined, mapping, one, texts

_CONTENT = "content"
_KINDS = ("page", "section")


class Mount(NamedTuple):
    """A folder of pages, where in the tree of the site they appear, and their language where it is one's own.

    `excluded` are patterns of files in it that are left out.
    """

    source: str
    target: str
    language: str | None = None
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only Hugo knows of a site.

    It may take its pages from several folders, some for one language: `mounts` names them. `default_in_folder` tells
    that addresses name the default language too, `rules` are the patterns of addresses (`permalinks`) by kind and
    section, and `sections` are the folders with an `_index.md`, where patterns need them. `ignored` are regular
    expressions of files without a page, and `params` the texts that pages show by `param`. `menus` are the names of
    the entries of menus by their identifiers.
    """

    mounts: tuple[Mount, ...] = ()
    default_in_folder: bool = False
    rules: tuple[tuple[str, str], ...] = ()
    sections: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    params: tuple[tuple[str, str], ...] = ()
    menus: tuple[tuple[str, str], ...] = ()

    def mount_of(self, path: str) -> Mount | None:
        """Return the mounted folder that a file of the docs folder lies in."""
        return next((mount for mount in self.mounts if path.startswith(f"{mount.source}/".lstrip("/"))), None)

    def page_path(self, path: str) -> str | None:
        """Return the path of a file of the docs folder as the site has it; None for one that is not mounted."""
        if not self.mounts:
            return path
        mount = self.mount_of(path)
        return mount and f"{mount.target}/{path.removeprefix(mount.source).strip('/')}".lstrip("/")


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site | None:
    """Return the site that a configuration file describes; None for one of another program."""
    in_folder = config.parent.name == "_default"
    document = mapping(_with_lower_keys(read_document(config)))
    if in_folder:
        document = _with_parts(config, document)
    if config.name.startswith("config.") and "baseurl" not in document:
        return None
    values = values_of(document)
    mounts = list(_mounts(document))
    docs = os.path.commonpath([mount.source for mount in mounts])
    return Site(
        generator="hugo",
        folder=config.parent.parent.parent if in_folder else folder,
        config=config,
        docs=docs or ".",
        url=joined(one(values, "baseurl")),
        title=one(values, "title"),
        language=one(values, "defaultcontentlanguage") or "en",
        languages=tuple(sorted(mapping(document.get("languages")))),
        directory_urls=one(values, "uglyurls") != "true",
        facts=_facts(document, values, [mount._replace(source=_below(docs, mount.source)) for mount in mounts]),
    )


def _facts(document: Mapping[str, Any], values: Values, mounts: list[Mount]) -> Facts:
    return Facts(
        mounts=tuple(sorted(mounts, key=lambda mount: -len(mount.source))) if mounts != [Mount("", "")] else (),
        default_in_folder=one(values, "defaultcontentlanguageinsubdir") == "true",
        rules=tuple(_permalinks(mapping(document.get("permalinks")))),
        ignored=texts(document.get("ignorefiles")),
        params=texts_below(values, "params"),
        menus=tuple(_menus(document.get("menus") or document.get("menu"))),
    )


def _with_parts(config: Path, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration with what stands in the files beside its own."""
    files = (file for file in sorted(config.parent.iterdir()) if file.suffix[1:] in DATA_ENDINGS)
    parts = {file.stem.lower(): _with_lower_keys(read_document(file)) for file in files if file.stem != config.stem}
    # A file is named after the key that it adds to.
    added = {
        key: {**mapping(document.get(key)), **part} if isinstance(part, Mapping) else part
        for key, part in parts.items()
    }
    return {**document, **added}


def _mounts(document: Mapping[str, Any]) -> Iterator[Mount]:
    """The folders of pages: those that are mounted, else that of each language, else the one of the site."""
    mounted = map(mapping, items(mapping(document.get("module")).get("mounts")))
    if pages := [found for mount in mounted if (found := _mount(mount))]:
        yield from pages
        return
    yield Mount(clean(str(document.get("contentdir") or _CONTENT)), "")
    for language, options in mapping(document.get("languages")).items():
        if own := mapping(options).get("contentdir"):
            yield Mount(clean(str(own)), "", language)


def _mount(mount: Mapping[str, Any]) -> Mount | None:
    """Return a folder of pages that is mounted; None for one of other files, or outside of the site."""
    source, target = clean(str(mount.get("source"))), clean(str(mount.get("target")))
    if not f"{target}/".startswith(f"{_CONTENT}/") or ".." in source or source.startswith("/"):
        return None
    return Mount(source, target.removeprefix(_CONTENT).strip("/"), _language_of(mount), tuple(_excluded(mount)))


def _excluded(mount: Mapping[str, Any]) -> Iterator[str]:
    """The patterns of files that a mount leaves out (`excludeFiles`, since 0.153 `files` with `! `)."""
    yield from texts(mount.get("excludefiles"))
    yield from (pattern[1:].strip() for pattern in texts(mount.get("files")) if pattern.startswith("!"))


def _menus(written: Any) -> Iterator[tuple[str, str]]:
    for entries in mapping(written).values():
        for entry in map(mapping, items(entries)):
            if isinstance(entry.get("name"), str):
                yield str(entry.get("identifier") or entry["name"]), entry["name"]


def _language_of(mount: Mapping[str, Any]) -> str | None:
    """The one language of a folder, as Hugo reads it since 0.153 (`sites.matrix.languages`) or before (`lang`)."""
    matrix = mapping(mapping(mount.get("sites")).get("matrix"))
    languages = matrix.get("languages")
    named = languages if isinstance(languages, list) else [mount.get("lang") or languages]
    return named[0] if len(named) == 1 and isinstance(named[0], str) else None


def _permalinks(written: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The pattern of each kind of page and section; without a kind it is for pages."""
    for name, value in written.items():
        if name in _KINDS and isinstance(value, Mapping):
            yield from ((f"{name}/{section}", str(pattern)) for section, pattern in value.items())
        elif isinstance(value, str):
            yield f"page/{name}", value


def _below(folder: str, path: str) -> str:
    inner = PurePosixPath(path).relative_to(folder or ".").as_posix()
    return "" if inner == "." else inner


def _with_lower_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key).lower(): _with_lower_keys(inner) for key, inner in value.items()}
    return [_with_lower_keys(inner) for inner in value] if isinstance(value, list) else value

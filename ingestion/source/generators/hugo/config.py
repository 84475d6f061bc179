"""Hugo: `hugo.*`, `config.*`, and the files of `config/_default/`, each of which holds the part it is named for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ingestion.source.site import Mount, Site
from ingestion.source.site_reading.documents import DATA_ENDINGS, read_document, values_of
from ingestion.source.site_reading.values import clean, joined, one

_CONTENT = "content"
_KINDS = ("page", "section")


def read(folder: Path, config: Path) -> Site | None:
    """Return the site that a configuration file describes; None for one of another program."""
    document = _mapping(_with_lower_keys(read_document(config)))
    if config.parent.name == "_default":
        document = _with_parts(config, document)
    if config.name.startswith("config.") and "baseurl" not in document:
        return None
    values = values_of(document)
    mounts = list(_mounts(document))
    docs = os.path.commonpath([mount.source for mount in mounts])
    inner = [mount._replace(source=_below(docs, mount.source)) for mount in mounts]
    return Site(
        generator="hugo",
        folder=config.parent.parent.parent if config.parent.name == "_default" else folder,
        config=config,
        docs=docs or ".",
        url=joined(one(values, "baseurl") or "", ""),
        title=one(values, "title"),
        language=one(values, "defaultcontentlanguage") or "en",
        languages=tuple(sorted(_mapping(document.get("languages")))),
        mounts=tuple(sorted(inner, key=lambda mount: -len(mount.source))) if inner != [Mount("", "")] else (),
        default_in_folder=one(values, "defaultcontentlanguageinsubdir") == "true",
        directory_urls=one(values, "uglyurls") != "true",
        rules=tuple(_permalinks(_mapping(document.get("permalinks")))),
    )


def _with_parts(config: Path, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration with what stands in the files beside its own."""
    files = (file for file in sorted(config.parent.iterdir()) if file.suffix[1:] in DATA_ENDINGS)
    parts = {file.stem.lower(): _with_lower_keys(read_document(file)) for file in files if file.stem != config.stem}
    return {**document, **parts}


def _mounts(document: Mapping[str, Any]) -> Iterator[Mount]:
    """The folders of pages: those that are mounted, else that of each language, else the one of the site."""
    listed = _mapping(document.get("module")).get("mounts")
    mounted = [_mapping(mount) for mount in listed] if isinstance(listed, list) else []
    pages = [
        Mount(clean(str(mount.get("source"))), target[len(_CONTENT) :].strip("/"), _language_of(mount))
        for mount in mounted
        if (target := clean(str(mount.get("target")))) == _CONTENT or target.startswith(f"{_CONTENT}/")
    ]
    if pages := [mount for mount in pages if ".." not in mount.source and not mount.source.startswith("/")]:
        yield from pages
        return
    docs = clean(str(document.get("contentdir") or _CONTENT))
    yield Mount(docs, "")
    for language, options in _mapping(document.get("languages")).items():
        if own := _mapping(options).get("contentdir"):
            yield Mount(clean(str(own)), "", language)


def _language_of(mount: Mapping[str, Any]) -> str | None:
    """The one language of a folder, as Hugo reads it since 0.153 (`sites.matrix.languages`) or before (`lang`)."""
    matrix = _mapping(_mapping(mount.get("sites")).get("matrix"))
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


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _with_lower_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key).lower(): _with_lower_keys(inner) for key, inner in value.items()}
    return [_with_lower_keys(inner) for inner in value] if isinstance(value, list) else value

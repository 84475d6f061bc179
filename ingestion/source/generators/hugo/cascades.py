"""What a section of Hugo hands down to its pages: metadata (`cascade`), and its title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import LessonError
from ingestion.settings.path_patterns import PathPattern, compile_glob
from ingestion.source.crawler import SourceFile
from ingestion.source.generators.hugo.config import facts_of
from ingestion.source.generators.hugo.pages import folders_of, is_bundle_page
from ingestion.source.generators.protocol import HandedDown
from ingestion.source.reader import SourceText, read_source
from ingestion.source.site import Site

Cascades = Mapping[str, Sequence[Mapping[str, Any]]]
"""The blocks of metadata that the section of each folder hands down."""

_MOST_LINES = 200
_SIGNS = {"---": ":", "+++": "="}
_SPECIAL = frozenset("\"'\\#:=&*{}[]|>")
"""What may mean something in a title, so that a parser must read it."""


def handed_down(site: Site | None, files: Sequence[SourceFile]) -> HandedDown:
    """Return what sections hand down, their titles as menus show them, and those that cannot be read, by folder."""
    found: dict[str, Sequence[Mapping[str, Any]]] = {}
    lost: dict[str, str] = {}
    titles: dict[str, str] = {}
    for file in files:
        folder, _, name = file.path.rpartition("/")
        if name.startswith("_index."):
            try:
                source = read_source(file)
                if not _is_home(file.path, site) and (title := _title(source.decode())):
                    titles.setdefault(folder, title)
                if blocks := _blocks(source):
                    found[folder] = blocks
            except LessonError:
                lost[folder] = file.path
    return HandedDown(values_of=partial(_inherited, cascades=found), told=found, lost=lost, titles=titles)


def _is_home(path: str, site: Site | None) -> bool:
    placed = site.in_docs(path) if site else path
    inner = facts_of(site).page_path(placed) if placed else None
    return inner is not None and "/" not in inner


def _title(text: str) -> str | None:
    """Return `linkTitle`, else `title`; read without a parser where they are plain, since each run asks all."""
    titles = _plain_titles(text)
    if titles is None:
        from ingestion.source.metadata.front_matter import UnreadableMetadata, split_front_matter

        try:
            values = split_front_matter(text).values
        except UnreadableMetadata:
            return None
        titles = {key.lower(): value for key, value in values.items() if isinstance(value, str)}
    return titles.get("linktitle") or titles.get("title")


def _plain_titles(text: str) -> dict[str, str] | None:
    mark, *lines = text.split("\n", _MOST_LINES)
    found: dict[str, str] = {}
    for line, following in zip(lines, (*lines[1:], ""), strict=True):
        if line.rstrip() == mark.rstrip() or line.startswith("["):
            return found
        key, _, value = line.partition(_SIGNS.get(mark.rstrip(), "\n"))
        if (name := key.rstrip().lower()) in ("title", "linktitle"):
            words = _unquoted(value.strip())
            if following[:1].isspace() or not words[:1].isalnum() or set(words) & _SPECIAL:
                return None
            found[name] = words
    return None


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] in ("'", '"') and text[-1:] == text[:1] else text


def _blocks(source: SourceText) -> list[Mapping[str, Any]]:
    if b"cascade" not in source.data.lower():
        return []
    # Imported late: most books have no cascade, and a run with nothing to do parses nothing.
    from ingestion.source.metadata.front_matter import UnreadableMetadata, split_front_matter

    try:
        values = split_front_matter(source.decode()).values
    except UnreadableMetadata as error:
        raise LessonError(source.path, error.reason, error.line) from error
    cascade = next((value for key, value in values.items() if key.lower() == "cascade"), None)
    blocks = [block for block in (cascade if isinstance(cascade, list) else [cascade]) if isinstance(block, Mapping)]
    try:
        for target in filter(None, map(_target, blocks)):
            _pages(target)
    except ValueError as error:
        raise LessonError(source.path, f"the target of its cascade: {error}") from error
    return blocks


def _inherited(path: str, cascades: Cascades) -> Mapping[str, Any]:
    """Return the metadata that sections hand down to a page, that of its own folder included; the nearest counts."""
    values: dict[str, Any] = {}
    if cascades:
        for folder in folders_of(path):
            for block in cascades.get(folder, ()):
                target = _target(block)
                if target is None or _is_meant(path, target):
                    values |= {
                        str(key).lower(): value for key, value in block.items() if key not in ("target", "_target")
                    }
    return values


def _target(block: Mapping[str, Any]) -> Mapping[str, Any] | None:
    target = block.get("target") or block.get("_target")
    return target if isinstance(target, Mapping) else None


def _pages(target: Mapping[str, Any]) -> PathPattern:
    return compile_glob(str(target.get("path") or "/**").lower())


def _is_meant(path: str, target: Mapping[str, Any]) -> bool:
    """Whether a page is the target of a block, by its path and kind; by what else it may be chosen is not known."""
    page = PurePosixPath(path)
    is_section = page.name.startswith("_index.")
    kind = "home" if path.startswith("_index.") else "section" if is_section else "page"
    address = page.parent if is_section or is_bundle_page(path) else page.with_suffix("")
    is_kind = str(target.get("kind") or kind) == kind
    return is_kind and _pages(target).match(f"/{address.as_posix()}".lower()) is not None

"""Metadata that a section of Hugo hands down to its pages (`cascade`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import LessonError
from ingestion.settings.path_patterns import PathPattern, compile_glob
from ingestion.source.crawler import SourceFile
from ingestion.source.generators.hugo.pages import folders_of, is_bundle_page
from ingestion.source.generators.protocol import HandedDown
from ingestion.source.reader import read_source

Cascades = Mapping[str, Sequence[Mapping[str, Any]]]
"""The blocks of metadata that the section of each folder hands down."""


def handed_down(files: Sequence[SourceFile]) -> HandedDown:
    """Return what sections hand down (`cascade` in `_index.md`), and those that cannot be read, by folder."""
    found: dict[str, Sequence[Mapping[str, Any]]] = {}
    lost: dict[str, str] = {}
    for file in files:
        folder, _, name = file.path.rpartition("/")
        if name.startswith("_index."):
            try:
                if blocks := _blocks(file):
                    found[folder] = blocks
            except LessonError:
                lost[folder] = file.path
    return HandedDown(values_of=partial(_inherited, cascades=found), told=found, lost=lost)


def _blocks(file: SourceFile) -> list[Mapping[str, Any]]:
    source = read_source(file)
    if b"cascade" not in source.data.lower():
        return []
    # Imported late: most books have no cascade, and a run with nothing to do parses nothing.
    from ingestion.source.front_matter import UnreadableMetadata, split_front_matter

    try:
        values = split_front_matter(source.decode()).values
    except UnreadableMetadata as error:
        raise LessonError(file.path, error.reason, error.line) from error
    cascade = next((value for key, value in values.items() if key.lower() == "cascade"), None)
    blocks = [block for block in (cascade if isinstance(cascade, list) else [cascade]) if isinstance(block, Mapping)]
    try:
        for target in filter(None, map(_target, blocks)):
            _pages(target)
    except ValueError as error:
        raise LessonError(file.path, f"the target of its cascade: {error}") from error
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

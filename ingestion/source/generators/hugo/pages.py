"""What Hugo makes of folders: bundles that are one page, and metadata that a section hands down to its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import LessonError
from ingestion.settings.path_patterns import PathPattern, compile_glob
from ingestion.source.crawler import Crawl, Skipped, SourceFile
from ingestion.source.reader import read_source
from ingestion.source.site import Site

Cascades = Mapping[str, Sequence[Mapping[str, Any]]]
"""The blocks of metadata that the section of each folder hands down."""


def leaf_bundles(files: Sequence[SourceFile]) -> frozenset[str]:
    """Return the folders that Hugo makes one page of: those with an `index.md`, apart from the docs folder itself."""
    folders = (file.path.rpartition("/")[0] for file in files if _is_bundle_page(file.path))
    return frozenset(folder for folder in folders if folder)


def reason_in_bundle(path: str, bundles: frozenset[str]) -> str | None:
    """Return why Hugo makes no page of a file: it is a resource of the page in its folder, or in one above."""
    if not bundles:
        return None
    holder = next((folder for folder in _folders(path) if folder in bundles), None)
    if holder is None or (holder == path.rpartition("/")[0] and _is_bundle_page(path)):
        return None
    return f"belongs to the page of {holder}/, so that the site has no page for it"


def sections_of(files: Sequence[SourceFile], site: Site) -> tuple[str, ...]:
    """Return the folders with an `_index.md`, of which patterns of addresses (`:sections`) are made."""
    if not any(":sections" in pattern for _, pattern in site.rules):
        return ()
    paths = (site.page_path(file.path) for file in files)
    return tuple(sorted({path.rpartition("/")[0] for path in paths if path and "/_index." in path}))


def _is_bundle_page(path: str) -> bool:
    return PurePosixPath(path).name.split(".")[0] == "index"


def _folders(path: str) -> Iterator[str]:
    """The folders that a file lies in, outermost first."""
    parents = [parent.as_posix() for parent in PurePosixPath(path).parents]
    return ("" if folder == "." else folder for folder in reversed(parents))


def read_cascades(files: Sequence[SourceFile]) -> tuple[Cascades, Mapping[str, str]]:
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
    return found, lost


def without_lost_sections(found: Crawl, lost: Mapping[str, str]) -> Crawl:
    """Return the crawl without the pages of sections that cannot be read: they may be drafts, or for a higher tier.

    The sections' own files stay, and fail as lessons.
    """
    if not lost:
        return found
    files = [
        file
        for file in found.files
        if all(lost.get(folder, file.path) == file.path for folder in _folders(file.path))
    ]
    folders = [
        Skipped(
            f"{folder}/" if folder else "./",
            f"its pages stay as they are until {PurePosixPath(path).name} can be read, for it may hide them",
        )
        for folder, path in lost.items()
    ]
    return replace(found, files=tuple(files), unreadable=tuple(sorted((*found.unreadable, *folders))))


def _blocks(file: SourceFile) -> list[Mapping[str, Any]]:
    source = read_source(file)
    if b"cascade" not in source.data.lower():
        return []
    # Imported late: most books have no cascade, and a run with nothing to do parses nothing.
    from ingestion.source.front_matter import UnreadableMetadata, split_front_matter

    try:
        values = split_front_matter(source.decode(), "hugo").values
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


def inherited(path: str, cascades: Cascades) -> Mapping[str, Any]:
    """Return the metadata that sections hand down to a page, that of its own folder included; the nearest counts."""
    values: dict[str, Any] = {}
    if cascades:
        for folder in _folders(path):
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
    address = page.parent if is_section or _is_bundle_page(path) else page.with_suffix("")
    is_kind = str(target.get("kind") or kind) == kind
    return is_kind and _pages(target).match(f"/{address.as_posix()}".lower()) is not None

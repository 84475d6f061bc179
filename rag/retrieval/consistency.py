"""A reader never mixes two versions of a lesson, even while a run is rewriting it.

A run writes a lesson's new chunks before it deletes the old ones, so for a moment both are there. Chunks of one
version share `source_file_hash`, and a version is whole when as many are there as each says (`total_chunks`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.protocol import PointReader
from ingestion.vector_stores.types import StoredPoint

TRIES = 40
PAUSE = 0.025
"""Seconds between two looks at a lesson of which no version is whole: a write takes less."""

T = TypeVar("T")


def settled(look: Callable[[], T | None], *, otherwise: Callable[[], T | None]) -> T:
    """Return what `look` finds as soon as it is not None, else `otherwise`; the store may be in the middle of a
    write.
    """
    for _ in range(TRIES):
        found = look()
        if found is not None:
            return found
        time.sleep(PAUSE)
    found = otherwise()
    assert found is not None
    return found


def whole_versions(store: PointReader, points: Mapping[str, StoredPoint]) -> dict[str, str] | None:
    """Return the version to show of each lesson that the points mix, by path; None while one of them has none
    whole.
    """
    chosen: dict[str, str] = {}
    for path, versions in _versions(points.values()).items():
        if len(versions) > 1:
            whole = newest_whole(store, points.values(), path)
            if whole is None:
                return None
            chosen[path] = whole
    return chosen


def only(points: Mapping[str, StoredPoint], versions: Mapping[str, str]) -> dict[str, StoredPoint]:
    """Return the points without those of other versions of these lessons."""
    return {
        point_id: point
        for point_id, point in points.items()
        if versions.get(point.payload["source_file"]) in (None, point.payload["source_file_hash"])
    }


def newest_whole(store: PointReader, points: Iterable[StoredPoint], path: str) -> str | None:
    """Return the hash of the version of a lesson that was written last, of those that are whole."""
    own = [point.payload for point in points if point.payload["source_file"] == path]
    newest_of = {
        payload["source_file_hash"]: payload
        for payload in sorted(own, key=lambda payload: str(payload["updated_at"]))
    }
    whole = []
    for version, payload in newest_of.items():
        place = Equals("book_id", payload["book_id"]), Equals("source_file", path)
        if store.count(Where((*place, Equals("source_file_hash", version)))) == payload["total_chunks"]:
            whole.append((payload["updated_at"], version))
    return max(whole)[1] if whole else None


def _versions(points: Iterable[StoredPoint]) -> dict[str, set[str]]:
    versions: dict[str, set[str]] = {}
    for point in points:
        versions.setdefault(point.payload["source_file"], set()).add(point.payload["source_file_hash"])
    return versions

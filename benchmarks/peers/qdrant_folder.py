"""Qdrant's client over a folder, as the peers that store there open and read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

COLLECTION, DIMENSIONS = "book", 256


def open_collection(work: Path) -> Any:
    """Return a client whose collection is there."""
    from qdrant_client import QdrantClient
    from qdrant_client.models import Distance, VectorParams

    work.mkdir(parents=True, exist_ok=True)
    client = QdrantClient(path=str(work / "qdrant"))
    if not client.collection_exists(COLLECTION):
        client.create_collection(COLLECTION, VectorParams(size=DIMENSIONS, distance=Distance.COSINE))
    return client


def payloads(client: Any, fields: bool | list[str] = True) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the id and payload of every point."""
    offset: Any = None
    while True:
        points, offset = client.scroll(COLLECTION, limit=1000, offset=offset, with_payload=fields)
        yield from ((str(point.id), point.payload or {}) for point in points)
        if offset is None:
            return

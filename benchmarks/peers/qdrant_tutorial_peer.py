"""The algorithm of Qdrant's tutorial on incremental embedding updates, written here after its description.

The id of a point follows from page, section and number; a point whose stored content hash is the same is left alone;
each run reads the whole collection, embeds what is new or changed, and deletes the ids that no page has any more.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import uuid
from pathlib import Path
from typing import Any

CHUNK_CHARS = 1600


def sections(text: str) -> list[tuple[str, str]]:
    """Heading and text of each section."""
    parts = re.split(r"^(#{1,6} .*)$", text, flags=re.MULTILINE)
    found = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    return [(heading, body.strip()) for heading, body in found if body.strip()]


def chunks_of(docs: Path) -> dict[str, dict[str, Any]]:
    """Every chunk by id."""
    found = {}
    for path in sorted(docs.rglob("*.md")):
        source = str(path.relative_to(docs))
        for heading, body in sections(path.read_text(encoding="utf-8")):
            for number, start in enumerate(range(0, len(body), CHUNK_CHARS)):
                text = body[start : start + CHUNK_CHARS]
                key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{source}#{heading}#{number}"))
                digest = hashlib.sha256(text.encode()).hexdigest()
                found[key] = {"source": source, "text": text, "hash": digest}
    return found


def sync(docs: Path, work: Path, url: str) -> None:
    from openai import OpenAI
    from qdrant_client import QdrantClient
    from qdrant_client.models import Distance, PointIdsList, PointStruct, VectorParams

    work.mkdir(parents=True, exist_ok=True)
    client = QdrantClient(path=str(work / "qdrant"))
    if not client.collection_exists("book"):
        client.create_collection("book", VectorParams(size=256, distance=Distance.COSINE))
    stored: dict[str, str] = {}
    offset: Any = None
    while True:
        points, offset = client.scroll("book", limit=1000, offset=offset, with_payload=["hash"])
        stored |= {str(point.id): (point.payload or {})["hash"] for point in points}
        if offset is None:
            break
    wanted = chunks_of(docs)
    new = [key for key, chunk in wanted.items() if stored.get(key) != chunk["hash"]]
    service = OpenAI(base_url=url, api_key="sk-none")
    for start in range(0, len(new), 100):
        batch = new[start : start + 100]
        reply = service.embeddings.create(model="m", input=[wanted[key]["text"] for key in batch])
        client.upsert(
            "book",
            [
                PointStruct(id=key, vector=item.embedding, payload=wanted[key])
                for key, item in zip(batch, reply.data, strict=True)
            ],
        )
    gone = [key for key in stored if key not in wanted]
    if gone:
        client.delete("book", PointIdsList(points=gone))
    client.close()


def dump(work: Path) -> None:
    from qdrant_client import QdrantClient

    client = QdrantClient(path=str(work / "qdrant"))
    offset: Any = None
    while True:
        points, offset = client.scroll("book", limit=1000, offset=offset)
        for point in points:
            print(json.dumps([(point.payload or {})["source"], (point.payload or {})["text"]]))
        if offset is None:
            return


if __name__ == "__main__":
    if sys.argv[1] == "sync":
        sync(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
    else:
        dump(Path(sys.argv[2]))

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

from benchmarks.peers.qdrant_folder import open_collection, payloads

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
    from qdrant_client.models import PointIdsList, PointStruct

    client = open_collection(work)
    stored = {key: payload["hash"] for key, payload in payloads(client, ["hash"])}
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
    for _, payload in payloads(open_collection(work)):
        print(json.dumps([payload["source"], payload["text"]]))


if __name__ == "__main__":
    if sys.argv[1] == "sync":
        sync(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
    else:
        dump(Path(sys.argv[2]))

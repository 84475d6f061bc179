"""What applying a plan would do, without doing it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ingestion.models import DocumentChunk
from ingestion.report import ChunkCounts
from ingestion.sync.file_groups import ChunkedFile, ChunkGroup, compare_group
from ingestion.sync.known_vectors import KnownVectors, tokens_to_embed
from ingestion.vector_stores.protocol import VectorStore


def look_through(
    groups: Iterable[ChunkGroup],
    store: VectorStore | None,
    known: KnownVectors,
    counts: ChunkCounts,
    lacking: Callable[[DocumentChunk], object] | None = None,
) -> Iterator[ChunkedFile]:
    """The files, compared with the store; counts what would be embedded, reused, written and deleted.

    `lacking` is called with each chunk to write whose text has no vector.
    """
    asked: set[str] = set()
    for group in groups:
        files = compare_group(group, store)
        new = [chunk for file in files for chunk in file.chunks.write]
        unknown = {chunk.embed_key: chunk for chunk in known.missing(new)}
        for chunk in new if lacking else ():
            if lacking and chunk.embed_key in unknown:
                lacking(chunk)
        missing = [chunk for chunk in unknown.values() if chunk.embed_key not in asked]
        asked |= {chunk.embed_key for chunk in missing}
        counts.embedded += len(missing)
        counts.reused += len(new) - len(missing)
        counts.tokens += tokens_to_embed(missing)
        for file in files:
            file.count(counts)
        yield from files

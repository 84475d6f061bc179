"""Opens the embedded engine's files, repairs what a crash left, and turns the engine's failures into ours."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as qe

from ingestion.errors import IndexInUse, VectorStoreError
from ingestion.vector_stores.edge.index_files import MIN_FREE_BYTES, bytes_of_holes, is_in_memory
from ingestion.vector_stores.filters import PAYLOAD_INDEXES, IndexType
from ingestion.vector_stores.ranking import DENSE, SPARSE
from ingestion.vector_stores.types import REBUILD

logger = logging.getLogger(__name__)

# Graph links cost minutes and lose passages. Every vector is looked at, by its code of four bits a number, which
# is made as the point is written: a quarter of the time of a scan in full. The best are weighed again in full.
_NO_GRAPH = qe.HnswIndexConfig(m=0, payload_m=0, ef_construct=100, full_scan_threshold=10_000)
_CODES = qe.TurboQuantQuantizationConfig(bits=qe.TurboQuantBitSize.Bits4, memory=qe.Memory.Pinned)

_MAPPED = qe.Memory.Cold
"""Read as it is asked for. It is so of sealed segments alone: the lists of an open one are in memory in any case."""

_INDEX_PARAMS: dict[IndexType, qe.KeywordIndexParams | qe.IntegerIndexParams] = {
    "tenant": qe.KeywordIndexParams(is_tenant=True, enable_hnsw=False, memory=_MAPPED),
    "keyword": qe.KeywordIndexParams(enable_hnsw=False, memory=_MAPPED),
    "integer": qe.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False, memory=_MAPPED),
}

_SEGMENT_POINTS = 400_000
"""Sealed segments are merged up to so many points; merging takes memory in proportion."""


def _layout(dimensions: int, memory: qe.Memory, optimizers: qe.EdgeOptimizersConfig | None = None) -> qe.EdgeConfig:
    """Return what a shard is made of: cosine vectors with codes, and BM25 vectors."""
    return qe.EdgeConfig(
        vectors={DENSE: qe.EdgeVectorParams(size=dimensions, distance=qe.Distance.Cosine, memory=qe.Memory.Cached)},
        sparse_vectors={SPARSE: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf, memory=memory)},
        hnsw_config=_NO_GRAPH,
        quantization_config=_CODES,
        payload_memory=memory,
        id_tracker_memory=memory,
        optimizers=optimizers,
    )


def open_layout(dimensions: int) -> qe.EdgeConfig:
    """Return the layout of a new shard, which is small: read ahead as it is opened.

    Else every payload is read from the disk again by each process, which takes as long as the search.
    """
    return _layout(dimensions, qe.Memory.Cached)


def sealed_layout(dimensions: int) -> qe.EdgeConfig:
    """Return the layout of what is compacted: all is sealed, and mapped. Only vectors are read ahead: a search weighs
    hundreds of them, and took half as long again without.
    """
    optimizers = qe.EdgeOptimizersConfig(
        indexing_threshold=1,  # kilobytes
        max_segment_size=_SEGMENT_POINTS * dimensions * 4 // 1024,
        default_segment_number=16,
    )
    return _layout(dimensions, _MAPPED, optimizers)


def check_space(path: Path) -> None:
    """Raise VectorStoreError unless there is room to write."""
    free = shutil.disk_usage(path).free
    if free < MIN_FREE_BYTES:
        raise VectorStoreError(f"{free >> 20} MiB are free in {path}, {MIN_FREE_BYTES >> 20} MiB are needed to write")


def check_room_to_open(path: Path) -> None:
    """Raise VectorStoreError where the engine would die of opening a shard: on a full file system in memory.

    Its files have holes, and there even to read one takes room: without it the system ends the process by SIGBUS.
    """
    free = shutil.disk_usage(path).free
    if free < MIN_FREE_BYTES and is_in_memory(path) and (holes := bytes_of_holes(path)) > free:
        raise VectorStoreError(
            f"{free >> 20} MiB are free in {path}, which lies in memory (tmpfs): to open the index takes "
            f"{holes >> 20} MiB; make room there, or keep the index on a disk"
        )


@contextmanager
def engine_errors(what: str) -> Iterator[None]:
    """Raise VectorStoreError for whatever the engine raises while the block runs.

    It knows no exception classes, and a panic in it is a BaseException that `except Exception` would let pass.
    """
    try:
        yield
    except VectorStoreError:
        raise
    except Exception as exc:
        raise VectorStoreError(f"{what}: {exc}") from exc
    except BaseException as exc:
        if type(exc).__name__ != "PanicException":
            raise
        raise VectorStoreError(f"{what}: the engine crashed: {exc}") from exc


def create_shard(path: Path, dimensions: int) -> qe.EdgeShard:
    """Return a new, empty shard with an index on each filtered field."""
    with engine_errors(f"cannot create an index in {path}"):
        check_space(path.parent)
        path.mkdir()
        shard = qe.EdgeShard.create(str(path), open_layout(dimensions))
        _complete_indexes(shard, path)
    return shard


def load_shard(path: Path, config: qe.EdgeConfig | None = None) -> qe.EdgeShard:
    """Open a shard, replaying its log; every write that was acknowledged is in it. Only `config` changes its layout.

    A log that cannot be replayed is set aside once: then all is there that was written before the last
    checkpoint, and nothing later was recorded as done. Raises VectorStoreError if that does not help either.
    """
    check_room_to_open(path)
    # An optimisation that was killed leaves its unfinished segments for ever.
    shutil.rmtree(path / "temp_segments", ignore_errors=True)
    try:
        shard = _load(path, config)
    except IndexInUse:
        raise
    except VectorStoreError as error:
        shard = _load_without_log(path, config, error)
    with engine_errors(f"cannot read the index in {path}"):
        _complete_indexes(shard, path)
    return shard


def _load(path: Path, config: qe.EdgeConfig | None) -> qe.EdgeShard:
    with engine_errors(f"cannot open the index in {path}"):
        try:
            return qe.EdgeShard.load(str(path), config)
        except Exception as exc:
            if "WouldBlock" in str(exc):
                raise IndexInUse(f"the index in {path} is in use by another process") from exc
            raise


def _load_without_log(path: Path, config: qe.EdgeConfig | None, error: VectorStoreError) -> qe.EdgeShard:
    log, aside = path / "wal", path.with_name("wal-damaged")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        log.rename(aside)
    except OSError as exc:
        raise VectorStoreError(f"{error}; {REBUILD}") from exc
    try:
        shard = _load(path, config)
    except VectorStoreError as exc:
        # Not the log's fault: put back what the next attempt, or another version, may be able to read.
        shutil.rmtree(log, ignore_errors=True)
        aside.rename(log)
        raise VectorStoreError(f"{error}; {REBUILD}") from exc
    logger.warning(
        "the index in %s could not replay its log, which is set aside in %s; the next ingest writes again what "
        "is missing (%s)",
        path,
        aside,
        error,
    )
    return shard


def _complete_indexes(shard: qe.EdgeShard, path: Path) -> None:
    """Add the payload indexes that an older shard lacks."""
    there = shard.info().payload_schema
    for field, kind in PAYLOAD_INDEXES.items():
        wanted = qe.PayloadSchemaType.Integer if kind == "integer" else qe.PayloadSchemaType.Keyword
        if field not in there:
            shard.update(qe.UpdateOperation.create_field_index(field, _INDEX_PARAMS[kind]))
        elif there[field].data_type != wanted:
            raise VectorStoreError(f"{path} has an index of another type on {field}; {REBUILD}")


def map_indexes(shard: qe.EdgeShard) -> None:
    """Make the payload indexes anew that an older shard keeps in memory for good."""
    for field, there in shard.info().payload_schema.items():
        if field in PAYLOAD_INDEXES and getattr(there.params, "memory", None) != _MAPPED:
            shard.update(qe.UpdateOperation.delete_field_index(field))
            shard.update(qe.UpdateOperation.create_field_index(field, _INDEX_PARAMS[PAYLOAD_INDEXES[field]]))


def open_points(shard: qe.EdgeShard) -> int:
    """Return how many points are in no sealed segment: there a point counts twice as indexed, else once, for BM25."""
    info = shard.info()
    return max(0, 2 * info.points_count - info.indexed_vectors_count)

"""How a collection on a server is made from the settings, and where an existing one differs from them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter
from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.filters import IndexType
from ingestion.vector_stores.ranking import DENSE, SPARSE
from ingestion.vector_stores.server.options import NOT_OPTIONS, options_of, unknown_options
from ingestion.vector_stores.types import REBUILD, Schema

logger = logging.getLogger(__name__)

METADATA = "bookwise"
"""The key of our mark in a collection's metadata; a collection without it is not ours."""

RUNS = "runs"
"""Where our mark holds the ids of runs, by book."""

STRICT = rest.StrictModeConfig(enabled=True, unindexed_filtering_retrieve=False, unindexed_filtering_update=False)
"""Strict mode of every collection of ours: a filter without an index is a mistake, and would read every payload."""

# Only the tenant gets graph links of its own: with links for every field a load takes ten times as long.
INDEX_PARAMS: dict[IndexType, rest.KeywordIndexParams | rest.IntegerIndexParams] = {
    "tenant": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, is_tenant=True),
    "keyword": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, enable_hnsw=False),
    "integer": rest.IntegerIndexParams(
        type=rest.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
    ),
}

_REPORTED = {
    "hnsw_config": "hnsw_config",
    "optimizers_config": "optimizer_config",
    "wal_config": "wal_config",
}
"""Where a collection's information names what was asked for at its creation; the rest is in its `params`."""


def metadata_of(info: rest.CollectionInfo) -> dict[str, Any] | None:
    """Return our mark in the metadata of a collection, None for one that bookwise did not make."""
    mark = (info.config.metadata or {}).get(METADATA)
    return mark if isinstance(mark, dict) else None


def creation(collection: str, schema: Schema, settings: QdrantSettings) -> Callable[[QdrantClient], bool]:
    """Return the request that creates a collection; raises ConfigurationError as `options_of` does."""
    dense: dict[str, Any] = {"size": schema.dimensions, "distance": "Cosine"}
    sparse: dict[str, Any] = {"modifier": "idf"}
    if settings.vectors_on_disk:
        dense["on_disk"] = True
        # Beside quantised vectors the postings are most of what is in memory (benchmarks/sizing.py).
        sparse["index"] = {"on_disk": True}
    wanted = options_of(settings) | {
        "vectors": {DENSE: dense},
        "sparse_vectors": {SPARSE: sparse},
        "metadata": {METADATA: schema.as_json()},
    }
    request = TypeAdapter(rest.CreateCollection).validate_python(wanted)
    return lambda client: client.create_collection(
        collection,
        vectors_config=request.vectors,
        sparse_vectors_config=request.sparse_vectors,
        strict_mode_config=STRICT,
        metadata=request.metadata,
        **{name: getattr(request, name) for name in wanted if name not in NOT_OPTIONS},
    )


def differences(config: rest.CollectionConfig, settings: QdrantSettings) -> Iterator[str]:
    """Yield where a collection differs from the settings (`qdrant.options.shard_number is 1, not 4`), and what to do.

    Options that the client or the server does not know are among them.
    """
    yield from unknown_options(settings)
    wanted = options_of(settings)
    reported = config.model_dump(mode="json", exclude_none=True)
    params = reported.get("params", {})
    asked, made = _kind(wanted.pop("quantization_config", None)), _kind(reported.get("quantization_config"))
    there = {name: reported.get(_REPORTED[name]) if name in _REPORTED else params.get(name) for name in wanted}
    yield from _different("qdrant.options", wanted, there)
    on_disk = (params.get("vectors") or {}).get(DENSE, {}).get("on_disk", False)
    yield from _different("qdrant.vectors_on_disk", settings.vectors_on_disk, on_disk)
    yield from _different("qdrant.options.quantization_config", asked, made)


def replicas_of(info: rest.CollectionInfo | None) -> int:
    """Return how many replicas of its shards a collection is to have."""
    return (info.config.params.replication_factor if info else None) or 1


def runs_of(info: rest.CollectionInfo) -> dict[str, str]:
    """Return the id of the run that last wrote each book, which our mark holds."""
    runs = (metadata_of(info) or {}).get(RUNS)
    return {str(book): str(run) for book, run in runs.items()} if isinstance(runs, dict) else {}


def with_runs(info: rest.CollectionInfo, runs: Mapping[str, str]) -> dict[str, Any]:
    """Return the metadata of a collection with these ids added to our mark."""
    return {METADATA: (metadata_of(info) or {}) | {RUNS: runs_of(info) | dict(runs)}}


def rescored(settings: QdrantSettings, most: float | None = None) -> rest.QuantizationSearchParams | None:
    """Return how quantised vectors are searched: twice the candidates, or the most that the server allows, ranked by
    the vectors themselves.
    """
    if "quantization_config" not in options_of(settings):
        return None
    return rest.QuantizationSearchParams(rescore=True, oversampling=min(2.0, most or 2.0))


def _different(name: str, wanted: Any, there: Any) -> Iterator[str]:
    if isinstance(wanted, Mapping) and isinstance(there, Mapping):
        for key, value in wanted.items():
            yield from _different(f"{name}.{key}", value, there.get(key))
    elif there is None and wanted is not None:
        yield f"{name} is not known to the server, which ignored it; remove it, or use a newer server"
    elif None not in (wanted, there) and there != wanted:
        yield f"{name} is {_text(there)}, not {_text(wanted)}; {REBUILD}"


def _kind(quantization: Any) -> str:
    """Return `int8`, the kind of another quantization (`binary`, `product` …), or `none`."""
    if not quantization:
        return "none"
    kind = next(iter(quantization))
    return "int8" if kind == "scalar" else str(kind)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

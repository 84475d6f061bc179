"""How a collection on a server is made from the settings, and where one that is there differs from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.filters import IndexType
from ingestion.vector_stores.ranking import DENSE, SPARSE
from ingestion.vector_stores.types import Schema

METADATA = "bookwise"
"""The key of our schema in a collection's metadata; a collection without it is not ours."""

# Only the tenant gets graph links of its own: with links for every field a load takes ten times as long.
INDEX_PARAMS: dict[IndexType, rest.KeywordIndexParams | rest.IntegerIndexParams] = {
    "tenant": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, is_tenant=True),
    "keyword": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, enable_hnsw=False),
    "integer": rest.IntegerIndexParams(
        type=rest.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
    ),
}


def create_collection(client: QdrantClient, collection: str, schema: Schema, settings: QdrantSettings) -> None:
    """Create the collection, unless an attempt whose answer was lost has done so."""
    if client.collection_exists(collection):
        return
    on_disk = settings.vectors_on_disk or None
    dense = rest.VectorParams(size=schema.dimensions, distance=rest.Distance.COSINE, on_disk=on_disk)
    client.create_collection(
        collection,
        vectors_config={DENSE: dense},
        sparse_vectors_config={SPARSE: rest.SparseVectorParams(modifier=rest.Modifier.IDF)},
        on_disk_payload=settings.payload_on_disk,
        shard_number=settings.shards,
        replication_factor=settings.replicas,
        write_consistency_factor=settings.write_consistency,
        hnsw_config=_hnsw(settings),
        quantization_config=_quantization(settings),
        # A filter that has no index is a mistake of ours, and would scan every payload on the server.
        strict_mode_config=rest.StrictModeConfig(
            enabled=True, unindexed_filtering_retrieve=False, unindexed_filtering_update=False
        ),
        metadata={METADATA: schema.as_json()},
    )


def differences(config: rest.CollectionConfig, settings: QdrantSettings) -> Iterator[str]:
    """Where the collection was made with other settings: `qdrant.shards is 1, not 4`."""
    params = config.params
    dense = params.vectors[DENSE] if isinstance(params.vectors, dict) else None
    scalar = isinstance(config.quantization_config, rest.ScalarQuantization)
    facts: list[tuple[str, Any, Any]] = [
        ("shards", params.shard_number, settings.shards),
        ("replicas", params.replication_factor, settings.replicas),
        ("write_consistency", params.write_consistency_factor, settings.write_consistency),
        ("vectors_on_disk", bool(dense and dense.on_disk), settings.vectors_on_disk),
        ("payload_on_disk", params.on_disk_payload, settings.payload_on_disk),
        ("quantization", "int8" if scalar else "none", settings.quantization),
        ("hnsw_m", config.hnsw_config.m, settings.hnsw_m),
        ("hnsw_ef", config.hnsw_config.ef_construct, settings.hnsw_ef),
    ]
    for name, there, wanted in facts:
        if None not in (there, wanted) and there != wanted:
            yield f"qdrant.{name} is {_text(there)}, not {_text(wanted)}"


def rescored(settings: QdrantSettings) -> rest.SearchParams | None:
    """How to search quantised vectors: twice the candidates, ranked by the vectors themselves."""
    if settings.quantization == "none":
        return None
    return rest.SearchParams(quantization=rest.QuantizationSearchParams(rescore=True, oversampling=2.0))


def _hnsw(settings: QdrantSettings) -> rest.HnswConfigDiff | None:
    if settings.hnsw_m is None and settings.hnsw_ef is None:
        return None
    return rest.HnswConfigDiff(m=settings.hnsw_m, ef_construct=settings.hnsw_ef)


def _quantization(settings: QdrantSettings) -> rest.ScalarQuantization | None:
    if settings.quantization == "none":
        return None
    scalar = rest.ScalarQuantizationConfig(type=rest.ScalarType.INT8, quantile=0.99, always_ram=True)
    return rest.ScalarQuantization(scalar=scalar)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

"""The settings of a Qdrant server: how to talk to it, and how a collection is made there."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import choice, number, setting, switch


@dataclass(frozen=True, slots=True, kw_only=True)
class QdrantSettings:
    """Those from `qdrant_shards` on shape a collection when it is made; None leaves the choice to the server."""

    qdrant_grpc: bool = setting(
        False, switch, toml="qdrant.grpc", env="BOOKWISE_QDRANT_GRPC", help="talk gRPC to the server instead of REST"
    )
    qdrant_grpc_port: int = setting(
        6334, number(1, 65535), toml="qdrant.grpc_port", env="BOOKWISE_QDRANT_GRPC_PORT", help="its port"
    )
    qdrant_timeout: int = setting(
        60,
        number(1, 3600),
        toml="qdrant.timeout",
        env="BOOKWISE_QDRANT_TIMEOUT",
        help="seconds for one request to the server",
    )
    qdrant_in_flight: int = setting(
        2,
        number(1, 16),
        toml="qdrant.in_flight",
        env="BOOKWISE_QDRANT_IN_FLIGHT",
        help="write requests to the server at a time",
    )
    qdrant_defer_chunks: int = setting(
        100_000,
        number(0, 10**9),
        toml="qdrant.defer_chunks",
        env="BOOKWISE_QDRANT_DEFER_CHUNKS",
        help="a first load of more chunks is indexed at its end, not as it comes",
    )
    qdrant_shards: int | None = setting(
        None, number(1, 1024), toml="qdrant.shards", env="BOOKWISE_QDRANT_SHARDS", help="shards of a new generation"
    )
    qdrant_replicas: int | None = setting(
        None,
        number(1, 64),
        toml="qdrant.replicas",
        env="BOOKWISE_QDRANT_REPLICAS",
        help="copies of each shard in a cluster; 2 outlives the loss of a node",
    )
    qdrant_write_consistency: int | None = setting(
        None,
        number(1, 64),
        toml="qdrant.write_consistency",
        env="BOOKWISE_QDRANT_WRITE_CONSISTENCY",
        help="copies that must have a write before it counts",
    )
    qdrant_vectors_on_disk: bool = setting(
        False,
        switch,
        toml="qdrant.vectors_on_disk",
        env="BOOKWISE_QDRANT_VECTORS_ON_DISK",
        help="map vectors from disk, for indexes larger than memory",
    )
    qdrant_payload_on_disk: bool = setting(
        True,
        switch,
        toml="qdrant.payload_on_disk",
        env="BOOKWISE_QDRANT_PAYLOAD_ON_DISK",
        help="keep the texts on disk; indexed fields are in memory all the same",
    )
    qdrant_quantization: str = setting(
        "none",
        choice("none", "int8"),
        toml="qdrant.quantization",
        env="BOOKWISE_QDRANT_QUANTIZATION",
        help="`int8` keeps a quarter of each vector in memory; worth it from about a million",
    )
    qdrant_hnsw_m: int | None = setting(
        None,
        number(4, 128),
        toml="qdrant.hnsw_m",
        env="BOOKWISE_QDRANT_HNSW_M",
        help="links of a vector in the search graph, by the server's default 16",
    )
    qdrant_hnsw_ef: int | None = setting(
        None,
        number(4, 4096),
        toml="qdrant.hnsw_ef",
        env="BOOKWISE_QDRANT_HNSW_EF",
        help="candidates looked at when the graph is built, by the server's default 100",
    )

"""Settings of a Qdrant server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.settings.validators import (
    Secret,
    parse_bool,
    parse_choice,
    parse_int,
    parse_secret,
    parse_text,
    parse_url,
    setting,
)


def addresses(listed: str) -> tuple[str, ...]:
    """Return the addresses of a server's nodes, which commas separate."""
    return tuple(address.strip() for address in listed.split(",") if address.strip())


def parse_urls(raw: Any) -> str:
    """Read the address of a server, or those of a cluster's nodes with commas between them."""
    listed = addresses(parse_text(raw))
    if not listed:
        raise ValueError("is not an http:// or https:// address")
    return ",".join(parse_url(address) for address in listed)


def parse_ca_file(raw: Any) -> Path:
    """Read the path of a file that exists."""
    path = Path(parse_text(raw)).expanduser()
    if not path.is_file():
        raise ValueError(f"{path} is not a file")
    return path


def parse_table(raw: Any) -> Mapping[str, Any]:
    """Read a table, which in the environment is written as JSON."""
    try:
        value = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{raw!r} is not a table")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class QdrantSettings:
    """How to talk to a Qdrant server and how to make a collection there.

    The fields from `shards` on shape a collection when it is made; None leaves the choice to the server.
    """

    url: str | None = setting(
        None,
        parse_urls,
        env="QDRANT_URL",
        help="Qdrant server; several addresses of a cluster with commas between them",
    )
    api_key: Secret | None = setting(
        None, parse_secret, env="QDRANT_API_KEY", in_file=False, help="key of the Qdrant server"
    )
    copy_api_key: Secret | None = setting(
        None,
        parse_secret,
        env="BOOKWISE_COPY_API_KEY",
        in_file=False,
        help="key of the server that `copy --to` names",
    )
    collection: str = setting("bookwise", parse_text, env="QDRANT_COLLECTION_NAME", help="name of the index")
    grpc: bool = setting(
        False, parse_bool, env="BOOKWISE_QDRANT_GRPC", help="talk gRPC to the server instead of REST"
    )
    grpc_port: int = setting(6334, parse_int(1, 65535), env="BOOKWISE_QDRANT_GRPC_PORT", help="its port")
    ca_file: Path | None = setting(
        None,
        parse_ca_file,
        env="BOOKWISE_QDRANT_CA_FILE",
        help="certificate of the authority that signed the server's, where it is a private one",
    )
    timeout: int = setting(
        60, parse_int(1, 3600), env="BOOKWISE_QDRANT_TIMEOUT", help="seconds for one request to the server"
    )
    in_flight: int = setting(
        2, parse_int(1, 16), env="BOOKWISE_QDRANT_IN_FLIGHT", help="write requests to the server at a time"
    )
    defer_chunks: int = setting(
        100000,
        parse_int(0, 10**9),
        env="BOOKWISE_QDRANT_DEFER_CHUNKS",
        help="a first load of more chunks is indexed at its end, not as it comes",
    )
    shards: int | None = setting(
        None, parse_int(1, 1024), env="BOOKWISE_QDRANT_SHARDS", help="shards of a new generation"
    )
    replicas: int | None = setting(
        None,
        parse_int(1, 64),
        env="BOOKWISE_QDRANT_REPLICAS",
        help="copies of each shard in a cluster; 2 outlives the loss of a node",
    )
    write_consistency: int | None = setting(
        None,
        parse_int(1, 64),
        env="BOOKWISE_QDRANT_WRITE_CONSISTENCY",
        help="copies that must have a write before it counts",
    )
    vectors_on_disk: bool = setting(
        False,
        parse_bool,
        env="BOOKWISE_QDRANT_VECTORS_ON_DISK",
        help="map vectors and BM25 postings from disk, for indexes larger than memory",
    )
    payload_on_disk: bool = setting(
        True,
        parse_bool,
        env="BOOKWISE_QDRANT_PAYLOAD_ON_DISK",
        help="keep the texts on disk; indexed fields are in memory all the same",
    )
    quantization: str = setting(
        "none",
        parse_choice("none", "int8"),
        env="BOOKWISE_QDRANT_QUANTIZATION",
        help="`int8` keeps a quarter of each vector in memory; worth it from about a million",
    )
    hnsw_m: int | None = setting(
        None,
        parse_int(4, 128),
        env="BOOKWISE_QDRANT_HNSW_M",
        help="links of a vector in the search graph, by the server's default 16",
    )
    hnsw_ef: int | None = setting(
        None,
        parse_int(4, 4096),
        env="BOOKWISE_QDRANT_HNSW_EF",
        help="candidates looked at when the graph is built, by the server's default 100",
    )
    options: Mapping[str, Any] | None = setting(
        None,
        parse_table,
        env="BOOKWISE_QDRANT_OPTIONS",
        help="options of a new collection by Qdrant's own names, passed through to the server",
    )

"""Settings of a Qdrant server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.settings.validators import (
    Secret,
    parse_bool,
    parse_int,
    parse_secret,
    parse_table,
    parse_text,
    parse_url,
    setting,
    table_setting,
)


def addresses(listed: str) -> tuple[str, ...]:
    """Return the addresses of a server's nodes, which commas separate."""
    return tuple(address.strip() for address in listed.split(",") if address.strip())


def parse_urls(raw: Any) -> str:
    """Parse the URL of a server, or the comma-separated URLs of a cluster's nodes."""
    listed = addresses(parse_text(raw))
    if not listed:
        raise ValueError("is not an http:// or https:// address")
    return ",".join(parse_url(address) for address in listed)


def parse_ca_file(raw: Any) -> Path:
    """Parse the path of an existing file."""
    path = Path(parse_text(raw)).expanduser()
    if not path.is_file():
        raise ValueError(f"{path} is not a file")
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class QdrantClientSettings:
    """Options of the Qdrant client, by the client's own names."""

    prefer_grpc: bool = setting(False, parse_bool, help="use gRPC instead of REST")
    grpc_port: int = setting(6334, parse_int(1, 65535), help="its port")
    timeout: int = setting(60, parse_int(1, 3600), help="timeout of a request to the server in seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class QdrantSettings:
    """Connection to a Qdrant server, and options of collections there."""

    url: str | None = setting(
        None,
        parse_urls,
        env="QDRANT_URL",
        help="URL of the Qdrant server, or several URLs of a cluster, separated by commas",
    )
    api_key: Secret | None = setting(
        None, parse_secret, env="QDRANT_API_KEY", in_file=False, help="key of the Qdrant server"
    )
    copy_api_key: Secret | None = setting(
        None,
        parse_secret,
        env="BOOKWISE_COPY_API_KEY",
        in_file=False,
        help="key of the target server of `copy --to`",
    )
    collection: str = setting("bookwise", parse_text, env="QDRANT_COLLECTION_NAME", help="name of the index")
    ca_file: Path | None = setting(
        None,
        parse_ca_file,
        env="BOOKWISE_QDRANT_CA_FILE",
        help="certificate of the server's certificate authority, if it is private",
    )
    client: QdrantClientSettings = table_setting(
        QdrantClientSettings, env="BOOKWISE_QDRANT_CLIENT", help="options of the Qdrant client"
    )
    vectors_on_disk: bool = setting(
        False,
        parse_bool,
        env="BOOKWISE_QDRANT_VECTORS_ON_DISK",
        help="keep vectors and BM25 postings on disk, for indexes larger than memory",
    )
    options: Mapping[str, Any] | None = setting(
        None,
        parse_table,
        env="BOOKWISE_QDRANT_OPTIONS",
        is_table=True,
        help="options of a new collection by Qdrant's own names, such as `replication_factor`, passed through to the "
        "server",
    )

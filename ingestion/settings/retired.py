"""Settings of earlier releases: where each is now, or what to do without it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ingestion.settings.validators import parse_table

logger = logging.getLogger(__name__)

_LIMITS = {
    "api": ("rate", "client_rate", "read_rate", "daily_questions", "daily_cost", "max_connections"),
    "embedding": (
        "in_flight",
        "request_inputs",
        "request_tokens",
        "input_tokens",
        "requests_per_minute",
        "tokens_per_minute",
    ),
}

MOVED: Mapping[str, str] = {
    **{f"{table}.{name}": f"{table}.limits.{name}" for table, names in _LIMITS.items() for name in names},
    **{f"book.{name}": f"book.addresses.{name}" for name in ("trailing_slash", "directory_urls", "number_prefixes")},
    **{f"confidence.{name}": f"confidence.fitted.{name}" for name in ("model", "weights", "levels")},
    "qdrant.grpc": "qdrant.client.prefer_grpc",
    "qdrant.grpc_port": "qdrant.client.grpc_port",
    "qdrant.timeout": "qdrant.client.timeout",
    "qdrant.shards": "qdrant.options.shard_number",
    "qdrant.replicas": "qdrant.options.replication_factor",
    "qdrant.write_consistency": "qdrant.options.write_consistency_factor",
    "qdrant.payload_on_disk": "qdrant.options.on_disk_payload",
    "qdrant.hnsw_m": "qdrant.options.hnsw_config.m",
    "qdrant.hnsw_ef": "qdrant.options.hnsw_config.ef_construct",
    "qdrant.quantization": "qdrant.options.quantization_config",
}
"""Where the value of a setting is read now: an entry of the table that is named first."""

GONE: Mapping[str, str] = {
    "trust.hosts": "a book cannot name hosts; add the book to `trust.folders`",
    "agent.history_tokens": "a conversation gets at most a quarter of `agent.context_tokens`",
    "api.body_timeout": "a request body must arrive within 30 seconds",
    "api.client_connections": "one client gets at most a fifth of `api.limits.max_connections`",
    "qdrant.in_flight": "two write requests run at a time",
    "qdrant.defer_chunks": "a first load of more than 100,000 chunks is indexed at its end",
}
"""What replaces a removed setting."""

_VALUES: Mapping[str, Mapping[Any, Any]] = {
    "qdrant.quantization": {"int8": {"scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}}, "none": None}
}


VARIABLES: Mapping[str, str] = {
    ("" if name.startswith("agent.") else "BOOKWISE_") + name.upper().replace(".", "_"): name
    for name in (*MOVED, *GONE)
}
"""The environment variables of earlier releases, each with the setting that it was."""


def carried_over(values: Mapping[str, Any], old: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return a source's values with retired names moved to their current ones; warns of each name once."""
    carried = dict(values)
    for name, raw in old.items():
        if name in GONE:
            logger.warning("%s (%s) is no longer a setting and is ignored: %s", name, source, GONE[name])
            continue
        table, keys = ".".join(MOVED[name].split(".")[:2]), MOVED[name].split(".")[2:]
        logger.warning("%s (%s) has moved to %s and still works; please move it", name, source, MOVED[name])
        value = _VALUES[name].get(raw, raw) if name in _VALUES else _plain(raw)
        if value is not None:
            carried[table] = _with(carried.get(table, {}), keys, value)
    return carried


def _with(raw: Any, keys: list[str], value: Any) -> Any:
    """Return a table with an entry; what it has by its own name counts, and what is no table is named when read."""
    try:
        table = deepcopy(dict(parse_table(raw)))
    except ValueError:
        return raw
    inner = table
    for key in keys[:-1]:
        inner = inner.setdefault(key, {})
    inner.setdefault(keys[-1], value)
    return table


def _plain(raw: Any) -> Any:
    """Return the number or word that an environment variable writes."""
    try:
        return json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        return raw

"""The health of a server or cluster: nodes, shards, replicas and their states, the optimizer, missing indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from qdrant_client import models as rest

from ingestion.errors import RequestFailed
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.filters import PAYLOAD_INDEXES
from ingestion.vector_stores.health import Health
from ingestion.vector_stores.server.client import Server
from ingestion.vector_stores.server.collection import differences, replicas_of
from ingestion.vector_stores.server.limits import limits_of
from ingestion.vector_stores.server.state_collection import INDEX_PARAMS as STATE_INDEXES
from ingestion.vector_stores.server.state_collection import few_replicas

T = TypeVar("T")

_WORKING = ("Active", "ActiveRead", "Listener")
"""States of a replica that answers, by the server's names; a newer server may know more than the client."""


def cluster_health(server: Server, index: str, state: str, settings: QdrantSettings) -> Health:
    """Return the health of the collection behind the alias `index` and of its state collection.

    What the key may not see is left out, and named.
    """
    facts: list[tuple[str, str]] = []
    warnings: list[str] = []
    _add_nodes(server, facts, warnings)
    info = _allowed(server, warnings, index, lambda client: client.get_collection(index))
    if info is not None:
        facts += _facts_of(info)
        warnings += _warnings_of(index, info, PAYLOAD_INDEXES)
        warnings += [f"collection {index}: {difference}" for difference in differences(info.config, settings)]
        _add_replicas(server, index, info, facts, warnings)
    state_info = _allowed(server, warnings, state, lambda client: client.get_collection(state))
    if state_info is not None:
        warnings += _warnings_of(state, state_info, STATE_INDEXES)
        _add_replicas(server, state, state_info, facts, warnings)
        warnings += few_replicas(state, state_info, replicas_of(info))
    return Health(server.version(), tuple(facts), tuple(warnings))


def lost_replicas(server: Server, collection: str) -> list[str]:
    """Return the replicas of a collection that do not work, in words; empty too where the key may not see them."""
    try:
        cluster = server.call(
            f"reading the shards of {collection!r}", lambda client: client.collection_cluster_info(collection)
        )
    except RequestFailed:
        return []
    return [
        f"shard {shard} of {collection} on node {peer} is {state.value.lower()}"
        for shard, peer, state in _replicas(cluster)
        if state.value not in _WORKING
    ]


def _allowed(server: Server, warnings: list[str], what: str, request: Any) -> Any:
    """Return an answer, None where there is nothing; a missing right is a warning."""
    try:
        return server.find(f"reading {what}", request)
    except RequestFailed as error:
        if error.status not in (401, 403):
            raise
        warnings.append(f"the key may not see {what}")
        return None


def _add_nodes(server: Server, facts: list[tuple[str, str]], warnings: list[str]) -> None:
    status = _allowed(server, warnings, "the cluster", lambda client: client.cluster_status())
    if status is None or status.status != "enabled":
        facts.append(("nodes", "1"))
        return
    facts.append(("nodes", str(len(status.peers))))
    for address, failure in sorted((status.message_send_failures or {}).items()):
        cause = failure.latest_error or f"{failure.count} failures"
        warnings.append(f"node {address} cannot be reached ({cause})")


def _facts_of(info: rest.CollectionInfo) -> Iterator[tuple[str, str]]:
    params, strict = info.config.params, info.config.strict_mode_config
    yield "shards", str(params.shard_number or 1)
    yield "replicas", str(replicas_of(info))
    yield "write consistency", str(params.write_consistency_factor or 1)
    yield "strict mode", "on" if strict and strict.enabled else "off"
    ok = info.optimizer_status == rest.OptimizersStatusOneOf.OK
    yield "status", f"{info.status.value}, optimizer {'ok' if ok else info.optimizer_status}"
    yield "points", f"{info.points_count or 0:,}"
    # Dense and sparse vectors are counted together.
    yield "indexed vectors", f"{info.indexed_vectors_count or 0:,} (dense and sparse)"


def _warnings_of(collection: str, info: rest.CollectionInfo, indexes: Any) -> Iterator[str]:
    missing = sorted(set(indexes) - info.payload_schema.keys())
    if missing:
        yield f"collection {collection} has no index on {', '.join(missing)}; `bookwise ingest` adds them"
    if info.status == rest.CollectionStatus.RED:
        yield f"collection {collection} cannot be optimized: {info.optimizer_status}"
    strict = info.config.strict_mode_config
    if not strict or not strict.enabled:
        yield f"collection {collection} is not in strict mode: a filter without an index would not be noticed"
    limits = limits_of(strict)
    for sentence in (*limits.problems(), *limits.drawbacks()):
        yield f"strict mode of collection {collection}: {sentence}"


def _add_replicas(
    server: Server, collection: str, info: rest.CollectionInfo, facts: list[tuple[str, str]], warnings: list[str]
) -> None:
    cluster = _allowed(
        server, warnings, f"the shards of {collection}", lambda client: client.collection_cluster_info(collection)
    )
    if cluster is None:
        return
    states = [state.value.lower() for _, _, state in _replicas(cluster)]
    counted = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(sorted(states)))
    facts.append((f"replicas of {collection}", counted))
    warnings += lost_replicas(server, collection)
    expected = replicas_of(info) * cluster.shard_count
    if len(states) < expected:
        warnings.append(f"collection {collection} has {len(states)} of {expected} replicas")


def _replicas(cluster: rest.CollectionClusterInfo) -> Iterator[tuple[int, int, rest.ReplicaState]]:
    for local in cluster.local_shards:
        yield local.shard_id, cluster.peer_id, local.state
    for remote in cluster.remote_shards:
        yield remote.shard_id, remote.peer_id, remote.state

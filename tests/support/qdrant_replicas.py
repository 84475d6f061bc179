"""The copies of collections on the nodes of the contract server: how writes reach them, and what a lost node does.

A weak write reaches the copies one by one and is overtaken on its way, so that two of them may be applied in
different orders; medium and strong ones pass through one place. A read sees the copy that is next to it.
"""

from __future__ import annotations

import random
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from tests.support.qdrant_rules import Refused

Ordering = Literal["weak", "medium", "strong"]

LONGEST_WAY = 0.002
"""Seconds that a weak write takes at most from one node to another."""


@dataclass
class Collection:
    """What the client's local mode does not keep of a collection."""

    made: rest.CreateCollection
    strict: rest.StrictModeConfig | None
    replicas: list[int]
    indexed: dict[str, dict[str, Any]] = field(default_factory=dict)
    ordered: threading.RLock = field(default_factory=threading.RLock)


class Replicas:
    """`nodes` databases; those in `away` neither answer nor are written."""

    def __init__(self, nodes: int = 1) -> None:
        self.nodes = nodes
        self.dbs = [QdrantClient(":memory:") for _ in range(nodes)]
        self.away: set[int] = set()
        self.collections: dict[str, Collection] = {}
        self.aliases: dict[str, str] = {}
        self.lock = threading.RLock()
        self._busy = [threading.RLock() for _ in range(nodes)]
        self._random = random.Random(7)

    @property
    def db(self) -> QdrantClient:
        """The first node's data."""
        return self.dbs[0]

    def placed(self, name: str, copies: int) -> list[int]:
        """Return the nodes that are to hold a new collection."""
        first = zlib.crc32(name.encode()) % self.nodes
        order = [(first + step) % self.nodes for step in range(self.nodes)]
        return [node for node in order if node not in self.away][:copies]

    def add(self, name: str, collection: Collection) -> None:
        """Create the collection on its nodes."""
        self.collections[name] = collection
        for node in collection.replicas:
            self._make(node, name)

    def remove(self, name: str) -> bool:
        """Delete a collection with its aliases; False where there is none of that very name."""
        with self.lock:
            collection = self.collections.pop(name, None)
            if collection is None:
                return False
            self.aliases = {alias: target for alias, target in self.aliases.items() if target != name}
        for node in collection.replicas:
            with self._busy[node]:
                self.dbs[node].delete_collection(name)
        return True

    def read(self, name: str, node: int, action: Callable[[QdrantClient], Any]) -> Any:
        """Read the copy of `node`, else another; raises Refused where none is left."""
        alive = self._alive(name)
        if not alive:
            raise Refused(500, f"Service internal error: 1 of 1 read operations failed for {name}")
        chosen = node if node in alive else self._random.choice(alive)
        with self._busy[chosen]:
            return action(self.dbs[chosen])

    def write(self, name: str, node: int, ordering: Ordering, action: Callable[[QdrantClient], Any]) -> Any:
        """Write every copy that is there; raises Refused where there are too few."""
        collection, alive = self.collections[name], self._alive(name)
        needed = min(collection.made.write_consistency_factor or 1, len(collection.replicas))
        if len(alive) < needed or (ordering == "strong" and collection.replicas[0] in self.away):
            raise Refused(500, f"Service internal error: {len(alive)} of {needed} replicas of {name} can be written")
        if ordering != "weak":
            with collection.ordered:
                answers = [self._apply(each, action) for each in alive]
            return answers[0]
        first = node if node in alive else alive[0]
        answer = self._apply(first, action)
        for other in alive:
            if other != first:
                time.sleep(self._random.uniform(0, LONGEST_WAY))
                self._apply(other, action)
        return answer

    def lose(self, node: int) -> None:
        """Take a node away, as if it were killed."""
        self.away.add(node)

    def bring_back(self, node: int) -> None:
        """Let a node return, with what was written while it was away."""
        with self.lock:
            for name, collection in self.collections.items():
                if node in collection.replicas and (alive := self._alive(name)):
                    self._copy(name, alive[0], node)
            for name in {each.name for each in self.dbs[node].get_collections().collections} - set(self.collections):
                self.dbs[node].delete_collection(name)
            self.away.discard(node)

    def cluster(self, node: int) -> dict[str, Any]:
        """Return what `GET /cluster` tells of the nodes."""
        if self.nodes == 1:
            return {"status": "disabled"}
        peers = {str(each + 1): {"uri": f"http://node-{each + 1}:6335/"} for each in range(self.nodes)}
        raft = {"term": 1, "commit": 1, "pending_operations": 0, "leader": 1, "role": "Leader", "is_voter": True}
        failures = {
            peers[str(each + 1)]["uri"]: {
                "count": 3,
                "latest_error": "connection refused",
                "latest_error_timestamp": "2026-11-29T00:00:00Z",
            }
            for each in sorted(self.away)
        }
        return {
            "status": "enabled",
            "peer_id": node + 1,
            "peers": peers,
            "raft_info": raft,
            "consensus_thread_status": {
                "consensus_thread_status": "working",
                "last_update": "2026-11-29T00:00:00Z",
            },
            "message_send_failures": failures,
        }

    def cluster_of(self, name: str, node: int) -> rest.CollectionClusterInfo:
        """Return where the shards of a collection lie and how they are."""
        collection = self.collections[name]
        local, remote = [], []
        for shard in range(collection.made.shard_number or self.nodes):
            for each in collection.replicas:
                state = rest.ReplicaState.DEAD if each in self.away else rest.ReplicaState.ACTIVE
                if each == node:
                    count = self.dbs[each].count(name).count
                    local.append(rest.LocalShardInfo(shard_id=shard, points_count=count, state=state))
                else:
                    remote.append(rest.RemoteShardInfo(shard_id=shard, peer_id=each + 1, state=state))
        return rest.CollectionClusterInfo(
            peer_id=node + 1,
            shard_count=collection.made.shard_number or self.nodes,
            local_shards=local,
            remote_shards=remote,
            shard_transfers=[],
        )

    def _alive(self, name: str) -> list[int]:
        return [node for node in self.collections[name].replicas if node not in self.away]

    def _apply(self, node: int, action: Callable[[QdrantClient], Any]) -> Any:
        with self._busy[node]:
            return action(self.dbs[node])

    def _make(self, node: int, name: str) -> None:
        made = self.collections[name].made
        with self._busy[node]:
            self.dbs[node].create_collection(
                name, vectors_config=made.vectors, sparse_vectors_config=made.sparse_vectors, metadata=made.metadata
            )

    def _copy(self, name: str, source: int, target: int) -> None:
        with self._busy[source], self._busy[target]:
            self.dbs[target].delete_collection(name)
            self._make(target, name)
            records = self.dbs[source].scroll(name, limit=10**9, with_payload=True, with_vectors=True)[0]
            points = [
                rest.PointStruct(id=each.id, vector=each.vector or {}, payload=each.payload) for each in records
            ]
            if points:
                self.dbs[target].upsert(name, points)

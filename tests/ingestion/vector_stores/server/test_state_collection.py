"""`<collection>_state`: as safe as the index, completed where an older version made it, never somebody else's."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from ingestion.errors import VectorStoreError
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.server.lease import _POINT
from ingestion.vector_stores.server.state_collection import INDEX_PARAMS
from tests.support.qdrant_server import KEY, QdrantServer, running

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.fixture
def qdrant() -> Iterator[QdrantServer]:
    """As a server is that has no strict mode of its own: what is ours is strict all the same."""
    with running(QdrantServer(strict=False, nodes=2)) as server:
        yield server


def write_once(qdrant: QdrantServer, settings: QdrantSettings | None = None) -> None:
    with ServerGenerations(connect(qdrant.url, KEY), "book", settings).writer(0):
        pass


def make_older(qdrant: QdrantServer, *points: dict[str, Any], indexed: bool = False, vectors: Any = None) -> None:
    """The collection as a version made it that knew no mark, no strict mode and only one index."""
    qdrant.answer("PUT", "/collections/book_state", {"vectors": vectors or {}})
    if indexed:
        schema = {"type": "keyword", "is_tenant": True}
        qdrant.answer("PUT", "/collections/book_state/index", {"field_name": "book_id", "field_schema": schema})
    if points:
        qdrant.answer("PUT", "/collections/book_state/points", {"points": list(points)})


def point(**payload: Any) -> dict[str, Any]:
    return {"id": str(uuid.uuid4()), "vector": {}, "payload": payload}


RECORD = point(format_version=1, book_id="robots", source_file="a.md")


def test_it_takes_replicas_and_consistency_from_the_settings_with_one_shard_our_mark_and_strict_mode(
    qdrant: QdrantServer,
) -> None:
    write_once(
        qdrant, QdrantSettings(options={"shard_number": 6, "replication_factor": 2, "write_consistency_factor": 1})
    )
    info = qdrant.answer("GET", "/collections/book_state")
    params = info.config.params
    assert (params.shard_number, params.replication_factor, params.write_consistency_factor) == (1, 2, 1)
    assert info.config.metadata == {"bookwise": {"state": 1}}
    strict = info.config.strict_mode_config
    assert strict.enabled and strict.unindexed_filtering_update is strict.unindexed_filtering_retrieve is False
    assert {name: each.data_type.value for name, each in info.payload_schema.items()} == {
        "book_id": "keyword",
        "owner": "keyword",
        "expires": "float",
    }


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("kind", ["empty", "records", "lease"])
def test_one_of_an_older_version_is_completed_when_a_writer_opens_it(
    qdrant: QdrantServer, kind: str, indexed: bool
) -> None:
    lease = {"id": _POINT, "vector": {}} | {
        "payload": {"owner": "x", "host": "h", "pid": 1, "expires": time.time() - 1}
    }
    points = {"empty": (), "records": (RECORD,), "lease": (lease, RECORD)}[kind]
    make_older(qdrant, *points, indexed=indexed)
    write_once(qdrant)
    info = qdrant.answer("GET", "/collections/book_state")
    assert info.config.metadata == {"bookwise": {"state": 1}} and info.payload_schema.keys() == INDEX_PARAMS.keys()
    assert qdrant.answer("POST", "/collections/book_state/points/count", {"exact": True}).count == (kind != "empty")


@pytest.mark.parametrize(
    ("points", "vectors"),
    [((point(title="a film"),), None), ((RECORD, point(owner="somebody")), None), ((), {"dense": {"size": 4}})],
)
def test_a_foreign_collection_of_that_name_is_an_error_and_stays_as_it_is(
    qdrant: QdrantServer, points: tuple[dict[str, Any], ...], vectors: Any
) -> None:
    make_older(qdrant, *points, vectors=vectors and {"dense": {"size": 4, "distance": "Cosine"}})
    with pytest.raises(VectorStoreError, match=r"'book_state' that bookwise did not make.*QDRANT_COLLECTION_NAME"):
        write_once(qdrant)
    info = qdrant.answer("GET", "/collections/book_state")
    assert not info.config.metadata and info.payload_schema == {} and info.points_count == len(points)


def test_fewer_replicas_than_set_are_a_warning_with_the_way_out(
    qdrant: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    write_once(qdrant)
    assert caplog.text == ""
    write_once(qdrant, QdrantSettings(options={"replication_factor": 2}))
    assert "book_state has 1 of 2 replicas" in caplog.text and "delete that collection" in caplog.text


def test_a_collection_that_was_deleted_between_two_runs_of_one_process_is_made_again(qdrant: QdrantServer) -> None:
    generations = ServerGenerations(connect(qdrant.url, KEY), "book")
    for _ in range(2):
        with generations.writer(0) as lease:
            lease.confirm()
        qdrant.remove("book_state")

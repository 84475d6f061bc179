"""Each request of the server store fits the interface as Qdrant describes it, and so does each answer here."""

from __future__ import annotations

import pytest

from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.bm25 import query_vector
from ingestion.vector_stores.filters import AnyOf, Equals, HasId, Range, Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.openapi import OpenApi
from tests.support.qdrant_server import KEY, QdrantServer, description, running
from tests.support.vector_points import SCHEMA, make_point, unit_vector

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

CHOSEN = QdrantSettings(
    vectors_on_disk=True,
    options={
        "shard_number": 4,
        "replication_factor": 2,
        "write_consistency_factor": 2,
        "on_disk_payload": False,
        "hnsw_config": {"m": 32, "ef_construct": 200},
        "quantization_config": {"scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}},
    },
)
IDS = [make_point(number).id for number in range(24)]


@pytest.mark.shared
@pytest.mark.parametrize("version", ["v1.17.x", "v1.19.x"])
def test_every_request_fits_qdrants_own_description(version: str) -> None:
    path = description(version)
    if not path.exists():
        pytest.skip("Qdrant's OpenAPI descriptions are not in ../shared")
    with running(QdrantServer(openapi=OpenApi(path))) as server:
        generations = ServerGenerations(connect(server.url, KEY), "book", CHOSEN)
        store = generations.create(SCHEMA)
        generations.activate(store)
        with generations.loading(store, 24):
            store.upsert([make_point(number) for number in range(24)])
        store.set_payloads({IDS[0]: make_point(0).payload})
        where = Where(
            (Equals("book_id", "robots"), AnyOf("module", ("ros2",)), AnyOf("chapter", (0, 1)), HasId(tuple(IDS))),
            (Range("hardware_tier", gte=4),),
        )
        store.search(dense=unit_vector(1), sparse=query_vector("node"), where=where, limit=3)
        assert store.values("module", where) == {"ros2": store.count(where)} != {"ros2": 0}
        assert store.rarity(query_vector("node").indices, Where((Equals("book_id", "robots"),)))
        assert store.values("lesson", Where((Equals("book_id", "robots"),)))
        assert store.retrieve(IDS[:2], vectors=True)
        assert list(store.scroll(where, fields=["module"], vectors=True))
        store.delete(where)
        generations.activate(generations.create(SCHEMA))
        generations.rollback()
        assert generations.drop_former()
        assert generations.open_active()
    assert server.violations == []

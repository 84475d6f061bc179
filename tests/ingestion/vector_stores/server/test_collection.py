"""The settings of a collection: what is sent when it is made, and what is said where one differs from them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import pytest
from qdrant_client.grpc import HealthCheckReply, HealthCheckRequest

from ingestion.errors import ConfigurationError, VectorStoreError
from ingestion.settings.loader import load_settings
from ingestion.settings.places import user_config
from ingestion.settings.qdrant import QdrantClientSettings, QdrantSettings
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.server import generations as generations_on_server
from ingestion.vector_stores.server import search_params
from ingestion.vector_stores.server.bulk_load import deferred_indexing
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point, unit_vector

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

INT8 = {"scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}}
CHOSEN = QdrantSettings(
    vectors_on_disk=True,
    options={
        "shard_number": 4,
        "replication_factor": 2,
        "write_consistency_factor": 2,
        "on_disk_payload": False,
        "hnsw_config": {"m": 32, "ef_construct": 200},
        "quantization_config": INT8,
    },
)


@pytest.fixture
def qdrant() -> Iterator[QdrantServer]:
    with running(QdrantServer()) as server:
        yield server


def generations_on(qdrant: QdrantServer, settings: QdrantSettings | None = None) -> ServerGenerations:
    return ServerGenerations(connect(qdrant.url, KEY), "book", settings)


def build(generations: ServerGenerations) -> None:
    with closing(generations.create(SCHEMA)) as store:
        store.upsert([make_point(0)])
        generations.activate(store)


def created(qdrant: QdrantServer) -> dict[str, object]:
    return next(body for verb, path, body in qdrant.requests if verb == "PUT" and path.count("/") == 2)


def test_without_settings_a_cluster_decides_for_itself(qdrant: QdrantServer) -> None:
    build(generations_on(qdrant))
    assert created(qdrant).keys() == {
        "vectors",
        "sparse_vectors",
        "on_disk_payload",
        "strict_mode_config",
        "metadata",
    }
    assert created(qdrant)["on_disk_payload"] is True


def test_every_setting_of_a_collection_is_sent(qdrant: QdrantServer) -> None:
    build(generations_on(qdrant, CHOSEN))
    sent = created(qdrant)
    assert (sent["shard_number"], sent["replication_factor"], sent["write_consistency_factor"]) == (4, 2, 2)
    assert sent["vectors"] == {"dense": {"size": 8, "distance": "Cosine", "on_disk": True}}
    assert sent["sparse_vectors"] == {"bm25": {"modifier": "idf", "index": {"on_disk": True}}}
    assert sent["on_disk_payload"] is False
    assert sent["hnsw_config"] == {"m": 32, "ef_construct": 200}
    assert sent["quantization_config"] == INT8


def test_quantised_vectors_are_rescored_and_words_are_not(
    qdrant: QdrantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_params, "EXACT_NUMBERS", 0)
    generations = generations_on(qdrant, CHOSEN)
    build(generations)
    store = generations.open_active()
    assert store is not None
    store.search(dense=unit_vector(1), sparse=make_point(0).sparse, where=Where(), limit=1)
    dense, sparse = qdrant.paths("POST", "/points/query/batch")[0]["searches"]
    assert dense["params"] == {"quantization": {"rescore": True, "oversampling": 2.0}}
    assert "params" not in sparse


def test_a_writer_is_told_what_takes_a_recreate_and_a_reader_is_not(
    qdrant: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    build(generations_on(qdrant))
    changed = generations_on(qdrant, QdrantSettings(options={"shard_number": 4, "quantization_config": INT8}))
    with caplog.at_level(logging.WARNING):
        assert changed.open_active()
        assert caplog.text == ""
        with changed.writer(0) as lease:
            assert changed.open_active(lease)
    assert "qdrant.options.shard_number is 1, not 4; run `bookwise ingest --mode recreate`" in caplog.text
    assert "qdrant.options.quantization_config is none, not int8" in caplog.text
    caplog.clear()
    with changed.writer(0) as lease:
        build(changed)
        assert changed.open_active(lease)
    assert caplog.text == ""


def test_options_go_through_to_the_server(qdrant: QdrantServer) -> None:
    options = {
        "shard_number": 3,
        "replication_factor": 5,
        "on_disk_payload": False,
        "wal_config": {"wal_capacity_mb": 64},
        "hnsw_config": {"m": 8, "on_disk": True},
        "quantization_config": {"binary": {"always_ram": True}},
        "optimizers_config": {"default_segment_number": 4},
    }
    build(generations_on(qdrant, QdrantSettings(options=options)))
    sent = created(qdrant)
    assert (sent["shard_number"], sent["replication_factor"], sent["on_disk_payload"]) == (3, 5, False)
    assert sent["hnsw_config"] == {"m": 8, "on_disk": True}
    assert sent["quantization_config"] == {"binary": {"always_ram": True}}
    assert sent["wal_config"] == {"wal_capacity_mb": 64}
    assert sent["optimizers_config"] == {"default_segment_number": 4}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shard_number": "many"}, r"qdrant\.options\.shard_number: input should be a valid integer"),
        ({"quantization_config": {"scalar": {"type": "int7"}}}, r"qdrant\.options\.quantization_config: "),
        ({"vectors": {"size": 4}}, r"qdrant\.options\.vectors is set by bookwise itself"),
    ],
)
def test_a_value_that_the_client_refuses_is_a_configuration_error(
    qdrant: QdrantServer, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        generations_on(qdrant, QdrantSettings(options=options)).create(SCHEMA)
    assert qdrant.paths("PUT", "/collections/book") == []


def test_every_quantization_of_the_client_is_passed_through(qdrant: QdrantServer) -> None:
    build(generations_on(qdrant, QdrantSettings(options={"quantization_config": {"turbo": {"memory": "cached"}}})))
    assert created(qdrant)["quantization_config"] == {"turbo": {"memory": "cached"}}


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        ({"shard_nummer": 3}, r"shard_nummer is not known .* not sent; did you mean `shard_number`\?"),
        ({"warp": {"factor": 9}}, r"warp is not known .* not sent; remove it, or install a newer qdrant-client"),
        ({"hnsw_config": {"nonsense": 1}}, r"hnsw_config\.nonsense is not known .* not sent"),
        ({"quantization_config": {"quarks": {"bits": 2}}}, r"quantization_config\.quarks is not known .* not sent"),
        (
            {"quantization_config": {"binary": {"always_rams": True}}},
            r"quantization_config\.binary\.always_rams is .* did you mean `always_ram`\?",
        ),
    ],
)
def test_an_option_that_the_client_does_not_know_is_left_out_with_a_warning(
    qdrant: QdrantServer, caplog: pytest.LogCaptureFixture, options: dict[str, Any], warning: str
) -> None:
    generations = generations_on(qdrant, QdrantSettings(options={**options, "wal_config": {"wal_capacity_mb": 64}}))
    build(generations)
    assert re.search(rf"qdrant\.options\.{warning}", caplog.text)
    assert created(qdrant)["wal_config"] == {"wal_capacity_mb": 64}
    assert not set(options) & created(qdrant).keys()
    assert any(re.search(warning, said) for said in generations.health().warnings)


def test_an_option_that_the_server_ignored_is_a_warning(
    qdrant: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    generations = generations_on(qdrant, QdrantSettings(options={"id_tracker": {"memory": "cold"}}))
    ignored = (
        "qdrant.options.id_tracker is not known to the server, which ignored it; remove it, or use a newer server"
    )
    build(generations)
    assert ignored in caplog.text
    caplog.clear()
    with generations.writer(0) as lease:
        generations.open_active(lease)
    assert ignored in caplog.text


def test_options_are_read_from_a_table_and_from_the_environment(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)}
    config = user_config(environ)
    assert config
    config.parent.mkdir(parents=True)
    config.write_text("[qdrant.options]\nshard_number = 3\n[qdrant.options.hnsw_config]\nm = 8\n")
    settings = load_settings({}, environ=environ | {"BOOKWISE_QDRANT_OPTIONS": '{"replication_factor": 2}'})
    assert settings.qdrant.options == {"shard_number": 3, "hnsw_config": {"m": 8}, "replication_factor": 2}
    settings = load_settings({}, environ={"BOOKWISE_QDRANT_OPTIONS": '{"shard_number": 4}'})
    assert settings.qdrant.options == {"shard_number": 4}
    with pytest.raises(ConfigurationError, match=r"BOOKWISE_QDRANT_OPTIONS .*is not JSON"):
        load_settings({}, environ={"BOOKWISE_QDRANT_OPTIONS": "{"})


# --- a large first load


@pytest.fixture(autouse=True)
def _small_loads_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generations_on_server, "DEFERRED_FROM", 10)


def thresholds(qdrant: QdrantServer) -> list[int]:
    return [body["optimizers_config"]["indexing_threshold"] for verb, _, body in qdrant.requests if verb == "PATCH"]


def test_a_large_load_is_indexed_at_its_end_and_waited_for(qdrant: QdrantServer) -> None:
    pauses: list[float] = []
    generations = ServerGenerations(connect(qdrant.url, KEY, sleep=pauses.append), "book")
    store = generations.create(SCHEMA)
    generations.activate(store)
    active = generations.open_active()
    assert active is not None
    with generations.loading(active, 11):
        active.upsert([make_point(number) for number in range(11)])
        assert thresholds(qdrant) == [0]
        qdrant.statuses = ["yellow", "grey", "green"]
    assert thresholds(qdrant) == [0, 10_000]
    assert len(pauses) == 2 and qdrant.statuses == []


def test_an_index_that_does_not_move_is_shown_and_then_left_to_the_server(
    qdrant: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    seconds, renewed = iter(range(0, 10_000, 7)), []
    server = connect(qdrant.url, KEY, sleep=lambda _: None)
    name = ServerGenerations(server, "book").create(SCHEMA).collection
    with deferred_indexing(server, name, still_ours=lambda: renewed.append(1), clock=lambda: float(next(seconds))):
        qdrant.statuses = ["yellow"] * 500
    assert "indexing 0 points: 0 vectors done" in caplog.text and "no indexing progress" in caplog.text
    assert 80 < len(renewed) < 100


def test_a_small_load_changes_no_setting(qdrant: QdrantServer) -> None:
    generations = generations_on(qdrant)
    with generations.loading(generations.create(SCHEMA), 10):
        pass
    assert thresholds(qdrant) == []


def test_an_index_that_cannot_be_made_is_an_error(qdrant: QdrantServer) -> None:
    generations = generations_on(qdrant)
    store = generations.create(SCHEMA)
    with pytest.raises(VectorStoreError, match="cannot be indexed"), generations.loading(store, 11):
        qdrant.statuses = ["red"]


def test_what_a_killed_load_left_is_mended_by_the_next_writer_and_not_by_a_reader(qdrant: QdrantServer) -> None:
    generations = generations_on(qdrant)
    build(generations)
    store = generations.open_active()
    assert store is not None
    with pytest.raises(KeyboardInterrupt), generations.loading(store, 11):
        raise KeyboardInterrupt
    assert generations.open_active() and thresholds(qdrant) == [0]
    with generations.writer(0) as lease:
        assert generations.open_active(lease)
    assert thresholds(qdrant) == [0, 10_000]


# --- connecting


def test_grpc_is_spoken_when_it_is_asked_for() -> None:
    keys: list[str] = []

    def health(request: HealthCheckRequest, context: grpc.ServicerContext) -> HealthCheckReply:
        keys.append(dict(context.invocation_metadata())["api-key"])
        return HealthCheckReply(title="loopback", version="1.16.0")

    handler = grpc.unary_unary_rpc_method_handler(
        health,
        request_deserializer=HealthCheckRequest.FromString,
        response_serializer=HealthCheckReply.SerializeToString,
    )
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("qdrant.Qdrant", {"HealthCheck": handler})])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with pytest.raises(VectorStoreError, match=r"is version 1\.16\.0"):
            connect(
                "http://127.0.0.1:1",
                KEY,
                QdrantSettings(client=QdrantClientSettings(prefer_grpc=True, grpc_port=port)),
            ).version()
    finally:
        server.stop(None).wait()
    assert keys == [KEY]


def test_a_path_in_the_url_is_a_prefix_of_every_request() -> None:
    with running(QdrantServer()) as server, pytest.raises(VectorStoreError, match=r"404 .*/behind/proxy"):
        connect(f"{server.url}/behind/proxy", KEY).version()

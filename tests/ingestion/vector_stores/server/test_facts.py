"""The contract server answers as a real Qdrant 1.18.3 did: every recorded answer, of which none may differ."""

from __future__ import annotations

import json

import pytest

from tests.support.qdrant_access import Access, access_of, token
from tests.support.qdrant_facts import ADMIN, differences, scenarios
from tests.support.qdrant_rules import Refused
from tests.support.qdrant_server import KEY, QdrantServer

pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")]

SCENARIOS = scenarios()
STRICT = "strict mode by default"
OPEN = [name for name in SCENARIOS if not name.startswith(("jwt", "keys", STRICT))]
TOKENS = {
    "jwt: global read": {"access": "r"},
    "jwt: read of the alias ka": {"access": [{"collection": "ka", "access": "r"}]},
    "jwt: read of the collection k": {"access": [{"collection": "k", "access": "r"}]},
    "jwt: read and write of k and ka": {
        "access": [{"collection": "k", "access": "rw"}, {"collection": "ka", "access": "rw"}]
    },
}

if not SCENARIOS:
    pytest.skip("the answers of a real Qdrant are not in ../shared", allow_module_level=True)


@pytest.mark.parametrize("name", [*OPEN, STRICT])
def test_every_answer_is_that_of_the_real_server(name: str) -> None:
    server = QdrantServer(strict=name == STRICT)
    assert list(differences(server, SCENARIOS[name], {"admin": ADMIN})) == []


def test_no_fact_is_left_out() -> None:
    assert sum(map(len, SCENARIOS.values())) == 187
    assert {*OPEN, STRICT, "keys", *TOKENS} == set(SCENARIOS)


def given(key: str | None) -> Access | Refused:
    try:
        return access_of(key, KEY, "reader")
    except Refused as refused:
        return refused


def shared_collections(server: QdrantServer) -> None:
    """What else was on the server when the facts were recorded."""
    for name in ("bookwise__20261129T003225-1d718a", "bookwise_state"):
        server.answer("PUT", f"/collections/{name}", {"vectors": {}})
    alias = {"collection_name": "bookwise__20261129T003225-1d718a", "alias_name": "bookwise"}
    server.answer("POST", "/collections/aliases", {"actions": [{"create_alias": alias}]})


def test_keys_may_do_what_they_may_on_the_real_server() -> None:
    server = QdrantServer(strict=False)
    shared_collections(server)
    keys = {"admin": ADMIN, "none": given(None), "read-only": given("reader"), "wrong": given("wrong.key.x")}
    assert list(differences(server, SCENARIOS["keys"], keys)) == []


@pytest.mark.parametrize("name", list(TOKENS))
def test_a_token_opens_what_it_names_and_nothing_else(name: str) -> None:
    server = QdrantServer(strict=False)
    shared_collections(server)
    made = [step for step in SCENARIOS["keys"] if "key" not in step]
    assert list(differences(server, made, {"admin": ADMIN})) == []
    steps = [step | {"body": json.loads(json.dumps(BODIES.get(step["path"])))} for step in SCENARIOS[name]]
    assert list(differences(server, steps, {"admin": given(token(KEY, TOKENS[name]))})) == []


BODIES = {
    "/collections/ka/points/count": {"exact": True},
    "/collections/k/points/count": {"exact": True},
    "/collections/ka/points?wait=true": {"points": [{"id": 1, "vector": {}, "payload": {}}]},
    "/collections/k/index?wait=true": {"field_name": "z", "field_schema": "keyword"},
    "/collections/aliases": {"actions": [{"delete_alias": {"alias_name": "ka"}}]},
    "/collections/new": {"vectors": {}},
}
"""The facts about tokens keep no bodies."""

"""Who is counted how: clients of a public key apart, questions apart from reads, a day's budget, trusted proxies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ingestion.errors import ConfigurationError
from ingestion.settings.loader import load_settings
from rag.api.app import create_app
from rag.api.http.clients import client_of
from tests.support.chat_api import QUESTION, add_key, book, indexed, is_problem
from tests.support.openai_chat import ChatServer

__all__ = ["book", "indexed"]

SEARCH = {"query": "what is a node"}
PROXY = "192.0.2.1"


def behind_proxy(book: Path, *, environ: dict[str, str] | None = None, **settings: Any) -> TestClient:
    """A client that reaches the server from the address of a proxy."""
    trusted = {"BOOKWISE_API_TRUSTED_PROXIES": PROXY} if environ is None else environ
    made = create_app(load_settings(settings, environ=trusted), book / "docs", open_to_all=False)
    return TestClient(made, base_url="http://127.0.0.1", client=(PROXY, 50000), raise_server_exceptions=False)


def from_client(key: dict[str, str], address: str) -> dict[str, str]:
    return key | {"X-Forwarded-For": address}


def test_a_visitor_who_asks_too_much_locks_out_no_other_visitor_of_the_page(book: Path) -> None:
    site = add_key("site", is_public=True)
    with behind_proxy(book, **{"api.limits": {"client_rate": "2"}}) as client:
        busy = [client.post("/search", json=SEARCH, headers=from_client(site, "203.0.113.1")) for _ in range(4)]
        other = client.post("/search", json=SEARCH, headers=from_client(site, "203.0.113.2"))
    assert [each.status_code for each in busy] == [200, 200, 429, 429] and is_problem(busy[-1], 429)
    assert other.status_code == 200


def test_a_hundred_cheap_requests_of_one_visitor_change_nothing_for_the_next(book: Path) -> None:
    site = add_key("site", is_public=True)
    with behind_proxy(book, **{"api.limits": {"rate": "5", "read_rate": "60"}}) as client:
        reads = [client.get("/books", headers=from_client(site, "203.0.113.1")).status_code for _ in range(100)]
        asked = client.post("/search", json=SEARCH, headers=from_client(site, "203.0.113.1"))
        other = client.get("/books", headers=from_client(site, "203.0.113.2"))
    assert reads.count(200) == 60 and reads.count(429) == 40
    assert asked.status_code == other.status_code == 200


def test_the_headers_tell_what_is_left(book: Path) -> None:
    key = add_key("mine")
    with behind_proxy(book, **{"api.limits": {"rate": "3"}}) as client:
        left = [client.post("/search", json=SEARCH, headers=key).headers["ratelimit-remaining"] for _ in range(4)]
        last = client.post("/search", json=SEARCH, headers=key)
    assert left == ["2", "1", "0", "0"]
    assert last.headers["ratelimit-limit"] == "3" and 0 < int(last.headers["ratelimit-reset"]) <= 61
    assert last.headers["retry-after"] == last.headers["ratelimit-reset"]


def test_a_forwarded_address_counts_only_from_a_proxy_that_is_named(book: Path) -> None:
    site = add_key("site", is_public=True)
    with behind_proxy(book, environ={}, **{"api.limits": {"client_rate": "1"}}) as client:
        asked = [
            client.post("/search", json=SEARCH, headers=from_client(site, f"203.0.113.{n}")).status_code
            for n in range(2)
        ]
    assert asked == [200, 429]


def test_what_a_visitor_writes_before_the_proxy_does_not_count(book: Path) -> None:
    site = add_key("site", is_public=True)
    with behind_proxy(book, **{"api.limits": {"client_rate": "1"}}) as client:
        forged = [f"198.51.100.{n}, 203.0.113.1" for n in range(2)]
        asked = [client.post("/search", json=SEARCH, headers=from_client(site, each)).status_code for each in forged]
    assert asked == [200, 429]


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("testclient", "testclient"),
    ],
)
def test_a_network_of_ipv6_is_one_client(address: str, counted: str) -> None:
    assert client_of(address) == counted


def test_a_public_key_answers_so_many_questions_a_day(book: Path) -> None:
    site, own = add_key("site", is_public=True), add_key("own")
    with behind_proxy(book, **{"api.limits": {"daily_questions": "2"}}) as client:
        statuses = [client.post("/chat/run", json=QUESTION, headers=site).status_code for _ in range(3)]
        refused = client.post("/chat/run", json=QUESTION, headers=site)
        assert client.post("/chat/run", json=QUESTION, headers=own).status_code == 200
        assert client.get("/books", headers=site).status_code == 200
    assert statuses == [200, 200, 429]
    assert is_problem(refused, 429) and int(refused.headers["retry-after"]) <= 86_400


def test_a_public_key_costs_no_more_than_its_day_may(book: Path) -> None:
    site = add_key("site", is_public=True)
    with ChatServer() as model:
        prices = {"api.limits": {"daily_cost": "0.00001"}, "api.token_price": "1", "openai.base_url": model.base_url}
        with behind_proxy(book, **prices) as client:
            statuses = [client.post("/chat/run", json=QUESTION, headers=site).status_code for _ in range(2)]
    assert statuses == [200, 429]


def test_a_budget_without_a_price_is_a_mistake_of_the_settings(book: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"api\.token_price"):
        behind_proxy(book, **{"api.limits": {"daily_cost": "1"}})


def test_who_guesses_keys_is_slowed_down(book: Path) -> None:
    add_key("real")
    with behind_proxy(book, **{"api.limits": {"read_rate": "3"}}) as client:
        statuses = [
            client.get("/books", headers={"Authorization": f"Bearer bw_guess{n}"}).status_code for n in range(5)
        ]
    assert statuses == [401, 401, 401, 429, 429]

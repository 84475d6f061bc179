"""The bound on requests a minute, counted in Redis by several servers, and what holds while Redis is away."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from tests.support.chat_api import add_key, book, indexed, is_problem, serving
from tests.support.socket_servers import redis_server

__all__ = ["book", "indexed"]

SEARCH = {"query": "what is a node"}


@pytest.fixture
def redis_url() -> Iterator[str]:
    with redis_server() as url:
        yield url


def test_servers_that_share_a_redis_share_the_count(book: Path, redis_url: str) -> None:
    key, other = add_key("busy"), add_key("other")
    store = {"api.limits": {"rate": "3"}, "api.rate_store": redis_url}
    with (
        serving(book, open_to_all=False, **store) as one,
        serving(book, open_to_all=False, **store) as two,
    ):
        statuses = [server.post("/search", json=SEARCH, headers=key).status_code for server in (one, two, one, two)]
        refused = one.post("/search", json=SEARCH, headers=key)
        assert statuses == [200, 200, 200, 429]
        assert is_problem(refused, 429) and 0 < int(refused.headers["retry-after"]) <= 61
        assert two.post("/search", json=SEARCH, headers=other).status_code == 200


def test_a_server_whose_redis_is_away_counts_alone(book: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("redis", reason="redis is not installed")
    key = add_key("busy")
    store = {"api.limits": {"rate": "2"}, "api.rate_store": "redis://:s3cret@127.0.0.1:1"}
    with (
        caplog.at_level(logging.WARNING),
        serving(book, open_to_all=False, **store) as client,
    ):
        statuses = [client.post("/search", json=SEARCH, headers=key).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    said = [str(vars(record)) for record in caplog.records]
    assert sum("counts on its own" in each for each in said) == 1 and not any("s3cret" in each for each in said)


@pytest.mark.parametrize("url", ["nonsense", "nonsense://127.0.0.1"])
def test_a_store_that_cannot_be_is_a_mistake_of_the_settings(book: Path, url: str) -> None:
    with pytest.raises(ConfigurationError, match="BOOKWISE_API_RATE_STORE"):
        serving(book, open_to_all=False, **{"api.rate_store": url})

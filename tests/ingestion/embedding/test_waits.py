"""How long whole runs wait for a service: as it asks, with growing waits, or not at all (cases C20 and C29)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from email.utils import formatdate

import pytest

from ingestion.embedding.batching import Limits
from ingestion.embedding.rate_limiter import RateLimiter
from ingestion.errors import EmbeddingError
from tests.ingestion.embedding.test_service import SIX, indexed, library, run, server
from tests.support.books import Library
from tests.support.openai_server import Answer, OpenAIServer, Reply, Request, dropped, embeddings, error
from tests.support.waits import LONGEST

__all__ = ["library", "server"]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the SDK would have slept; it does not."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


ASKED = 100
"""Seconds, so many that what passes before the client reads a date is little beside them."""


def in_seconds() -> dict[str, str]:
    return {"Retry-After": str(ASKED)}


def as_a_date() -> dict[str, str]:
    return {"Retry-After": formatdate(time.time() + ASKED, usegmt=True)}


def in_milliseconds() -> dict[str, str]:
    return {"retry-after-ms": str(ASKED * 1000)}


@pytest.mark.parametrize("asked", [in_seconds, as_a_date, in_milliseconds])
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_wait_is_as_long_as_the_service_asks(
    library: Library, server: OpenAIServer, waits: list[float], asked: Callable[[], dict[str, str]], status: int
) -> None:
    """Case C20."""
    server.script.extend([error(status, "later", headers=asked())] * 2)
    assert run(library, server, Limits(inputs=100)).chunks.embedded == 6
    assert len(waits) == 2 and all(ASKED / 2 < wait <= ASKED * 1.25 for wait in waits)
    assert indexed(library) == set(SIX)


@pytest.mark.parametrize("fault", [error(429, "later"), error(500, "oops"), error(503, "busy"), dropped])
def test_without_a_word_of_when_the_waits_grow_with_jitter(
    library: Library, server: OpenAIServer, waits: list[float], fault: Reply | Answer
) -> None:
    """Case C20."""
    server.script.extend([fault] * 3)
    assert run(library, server, Limits(inputs=100)).chunks.embedded == 6
    assert len(server.requests) == 4
    for wait, most in zip(waits, (0.5, 1.0, 2.0), strict=True):
        assert 0.75 * most <= wait <= most


def test_a_wait_of_more_than_two_minutes_ends_the_run_at_once(
    library: Library, server: OpenAIServer, waits: list[float]
) -> None:
    server.script.append(error(429, "tomorrow", headers={"Retry-After": "3600"}))
    with pytest.raises(EmbeddingError, match="still rate limited"):
        run(library, server, Limits(inputs=100))
    assert waits == []


def test_an_answer_after_the_timeout_is_asked_for_again_and_indexed_once(
    library: Library, server: OpenAIServer, waits: list[float]
) -> None:
    given_up = threading.Event()

    def late(request: Request) -> Reply:
        given_up.wait(LONGEST)
        return embeddings(request)

    def second(request: Request) -> Reply:
        given_up.set()
        return embeddings(request)

    server.script.extend([late, second])
    report = run(library, server, Limits(inputs=100), timeout=0.5)
    assert report.chunks.embedded == 6 == len(library.contents())
    assert len(server.requests) >= 2


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (error(429, "pay", code="insufficient_quota"), "quota is used up"),
        (error(401, "no"), "check OPENAI_API_KEY"),
        (error(404, "no", code="model_not_found"), "there is no model 'tiny'"),
    ],
)
def test_what_no_waiting_mends_is_said_once_and_what_is_done_stays_done(
    library: Library, server: OpenAIServer, waits: list[float], fault: Reply, said: str
) -> None:
    library.write({path: SIX[path] for path in list(SIX)[:2]})
    run(library, server)
    library.write(SIX)
    asked = len(server.requests)
    server.script.extend([fault] * 9)
    with pytest.raises(EmbeddingError, match=said):
        run(library, server)
    assert waits == [] and len(server.requests) - asked <= 2
    assert indexed(library) == set(list(SIX)[:2])
    server.script.clear()
    assert run(library, server).files == {"new": 4, "unchanged": 2}


def test_the_pace_of_the_service_is_kept(library: Library, server: OpenAIServer) -> None:
    waits: list[float] = []
    told = {"limit-requests": "60", "remaining-requests": "0", "reset-requests": "60s"}
    headers = {f"x-ratelimit-{name}": value for name, value in told.items()}
    server.script.extend([lambda request: Reply(embeddings(request).body, headers=headers)] * 6)
    stopped = RateLimiter(clock=lambda: 0.0, sleep=waits.append)
    run(library, server, Limits(inputs=1, in_flight=1), rate_limiter=stopped)
    assert waits == pytest.approx([1, 2, 3, 4, 5])

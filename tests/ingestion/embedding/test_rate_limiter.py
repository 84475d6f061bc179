"""The rate of requests, on a clock that moves only when someone sleeps."""

from __future__ import annotations

import pytest

from ingestion.embedding.rate_limiter import RateLimiter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def limiter_of(clock: Clock, requests: int | None = None, tokens: int | None = None) -> RateLimiter:
    return RateLimiter(requests, tokens, clock=lambda: clock.now, sleep=clock.sleep)


def headers(kind: str, limit: object, remaining: object, reset: str) -> dict[str, str]:
    told = {"limit": limit, "remaining": remaining, "reset": reset}
    return {f"x-ratelimit-{name}-{kind}": str(value) for name, value in told.items()}


def test_without_limits_nobody_waits(clock: Clock) -> None:
    limiter = limiter_of(clock)
    for _ in range(1000):
        limiter.wait(300_000)
    assert clock.slept == []


def test_a_set_number_of_requests_a_minute_is_kept(clock: Clock) -> None:
    limiter = limiter_of(clock, requests=60)
    for _ in range(60):
        limiter.wait(1)
    assert clock.slept == []
    for _ in range(30):
        limiter.wait(1)
    assert sum(clock.slept) == pytest.approx(30)


def test_a_set_number_of_tokens_a_minute_is_kept(clock: Clock) -> None:
    limiter = limiter_of(clock, tokens=6000)
    limiter.wait(6000)
    limiter.wait(500)
    assert clock.slept == [pytest.approx(5)]


def test_a_request_larger_than_a_minute_of_tokens_waits_for_a_full_minute_and_goes(clock: Clock) -> None:
    limiter = limiter_of(clock, tokens=6000)
    limiter.wait(50_000)
    limiter.wait(50_000)
    assert clock.slept == [pytest.approx(60)]


@pytest.mark.parametrize(
    ("reset", "seconds"), [("6m0s", 360), ("1.5s", 1.5), ("20ms", 0.02), ("1h2m", 3720), ("2", 2)]
)
def test_where_nothing_is_left_the_next_waits_as_the_service_says(clock: Clock, reset: str, seconds: float) -> None:
    limiter = limiter_of(clock)
    limiter.learn(headers("requests", 100, 0, reset))
    limiter.wait(1)
    assert clock.slept == [pytest.approx(seconds / 100)]


def test_what_is_left_is_used_without_waiting(clock: Clock) -> None:
    limiter = limiter_of(clock)
    limiter.learn(headers("tokens", 10_000, 4_000, "60s"))
    limiter.wait(4_000)
    assert clock.slept == []
    limiter.wait(1_000)
    assert clock.slept == [pytest.approx(10)]


def test_a_reply_never_gives_back_what_was_taken_since(clock: Clock) -> None:
    limiter = limiter_of(clock)
    limiter.learn(headers("requests", 10, 2, "8s"))
    limiter.wait(1)
    limiter.wait(1)
    limiter.learn(headers("requests", 10, 2, "8s"))
    limiter.wait(1)
    assert clock.slept == [pytest.approx(1)]


@pytest.mark.parametrize(
    "told", [{}, headers("tokens", "many", 0, "1s"), headers("tokens", 0, 0, "1s"), headers("tokens", 100, 100, "")]
)
def test_headers_that_say_nothing_hold_nobody(clock: Clock, told: dict[str, str]) -> None:
    limiter = limiter_of(clock)
    limiter.learn(told)
    limiter.wait(50)
    assert clock.slept == []

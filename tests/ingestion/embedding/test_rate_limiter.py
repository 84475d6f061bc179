"""The pace of requests, on a clock that moves only when someone sleeps."""

from __future__ import annotations

import pytest

from ingestion.embedding.rate_limiter import Pace


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


def pace_of(clock: Clock, requests: int | None = None, tokens: int | None = None) -> Pace:
    return Pace(requests, tokens, clock=lambda: clock.now, sleep=clock.sleep)


def headers(kind: str, limit: object, remaining: object, reset: str) -> dict[str, str]:
    told = {"limit": limit, "remaining": remaining, "reset": reset}
    return {f"x-ratelimit-{name}-{kind}": str(value) for name, value in told.items()}


def test_without_limits_nobody_waits(clock: Clock) -> None:
    pace = pace_of(clock)
    for _ in range(1000):
        pace.wait(300_000)
    assert clock.slept == []


def test_a_set_number_of_requests_a_minute_is_kept(clock: Clock) -> None:
    pace = pace_of(clock, requests=60)
    for _ in range(60):
        pace.wait(1)
    assert clock.slept == []
    for _ in range(30):
        pace.wait(1)
    assert sum(clock.slept) == pytest.approx(30)


def test_a_set_number_of_tokens_a_minute_is_kept(clock: Clock) -> None:
    pace = pace_of(clock, tokens=6000)
    pace.wait(6000)
    pace.wait(500)
    assert clock.slept == [pytest.approx(5)]


def test_a_request_larger_than_a_minute_of_tokens_waits_for_a_full_minute_and_goes(clock: Clock) -> None:
    pace = pace_of(clock, tokens=6000)
    pace.wait(50_000)
    pace.wait(50_000)
    assert clock.slept == [pytest.approx(60)]


@pytest.mark.parametrize(
    ("reset", "seconds"), [("6m0s", 360), ("1.5s", 1.5), ("20ms", 0.02), ("1h2m", 3720), ("2", 2)]
)
def test_where_nothing_is_left_the_next_waits_as_the_service_says(clock: Clock, reset: str, seconds: float) -> None:
    pace = pace_of(clock)
    pace.learn(headers("requests", 100, 0, reset))
    pace.wait(1)
    assert clock.slept == [pytest.approx(seconds / 100)]


def test_what_is_left_is_used_without_waiting(clock: Clock) -> None:
    pace = pace_of(clock)
    pace.learn(headers("tokens", 10_000, 4_000, "60s"))
    pace.wait(4_000)
    assert clock.slept == []
    pace.wait(1_000)
    assert clock.slept == [pytest.approx(10)]


def test_a_reply_never_gives_back_what_was_taken_since(clock: Clock) -> None:
    pace = pace_of(clock)
    pace.learn(headers("requests", 10, 2, "8s"))
    pace.wait(1)
    pace.wait(1)
    pace.learn(headers("requests", 10, 2, "8s"))
    pace.wait(1)
    assert clock.slept == [pytest.approx(1)]


@pytest.mark.parametrize(
    "told", [{}, headers("tokens", "many", 0, "1s"), headers("tokens", 0, 0, "1s"), headers("tokens", 100, 100, "")]
)
def test_headers_that_say_nothing_hold_nobody(clock: Clock, told: dict[str, str]) -> None:
    pace = pace_of(clock)
    pace.learn(told)
    pace.wait(50)
    assert clock.slept == []

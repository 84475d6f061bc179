"""Whole runs against a loopback service that fails in every way it can (cases C17, C19, C20 and C29)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.embedders.openai import OpenAIEmbedder
from ingestion.embedders.pace import Pace
from ingestion.embedders.packing import Limits
from ingestion.errors import EmbeddingError
from ingestion.report import IngestReport
from ingestion.tokens import count_tokens
from tests.books import Library, long_text, page
from tests.children import on_a_thread
from tests.openai_server import (
    Answer,
    OpenAIServer,
    Reply,
    Request,
    dropped,
    embeddings,
    error,
    in_base64,
    out_of_order,
    vector_of,
)

SOON = {"retry-after-ms": "1"}
BUSY = error(429, "slow down", code="rate_limit_exceeded", headers=SOON)
SIX = {f"0{number}-{word}.md": page(word, f"All about the {word}.") for number, word in enumerate("abcdef", 1)}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture(params=[None, on_a_thread], ids=["in this process", "apart"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Library:
    """A run that sends more than one request sends them from here, or from a child."""
    library = Library(tmp_path)
    library.write(SIX)
    library.apart = request.param
    return library


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the SDK would have slept; it does not."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def run(library: Library, server: OpenAIServer, limits: Limits | None = None, **options: Any) -> IngestReport:
    library.embedder = OpenAIEmbedder(  # type: ignore[assignment]
        "tiny",
        8,
        api_key="any",
        base_url=server.base_url,
        limits=limits or Limits(inputs=1, in_flight=2),
        **options,
    )
    return library.run()


def answered(server: OpenAIServer) -> list[str]:
    return [text for request in server.requests for text in request.body["input"]]


def unit_vector(text: str) -> tuple[float, ...]:
    vector = vector_of(text, 8)
    return tuple(np.round(vector / np.linalg.norm(vector), 5))


def indexed(library: Library) -> set[str]:
    return {each["source_file"] for each in library.contents().values()}


def short(request: Request) -> Reply:
    body = embeddings(request).body
    return Reply(body | {"data": body["data"][:-1]})


def of_another_size(request: Request) -> Reply:
    body = embeddings(request).body
    return Reply(body | {"data": [each | {"embedding": in_base64(vector_of("x", 5))} for each in body["data"]]})


PASSING: dict[str, Reply | Answer] = {
    "429": BUSY,
    "500": error(500, "oops", headers=SOON),
    "503": error(503, "busy"),
    "dropped": dropped,
    "out of order": out_of_order,
    "none": embeddings,
}
"""What a run gets over by itself."""

LASTING: dict[str, Reply | Answer] = {
    "quota": error(429, "pay", code="insufficient_quota"),
    "key": error(401, "no"),
    "refused": error(400, "invalid input", code="invalid_request_error"),
    "short": short,
    "another size": of_another_size,
    "another kind": Reply(b"<html>"),
}
"""What ends a run, or fails a lesson, until the next run."""


def until_all_is_indexed(library: Library, server: OpenAIServer, limits: Limits, most_runs: int) -> int:
    """Run again and again, as a user would; how often that took."""
    for number in range(1, most_runs + 1):
        try:
            if not run(library, server, limits, max_retries=9).failures:
                return number
        except EmbeddingError:
            pass
    raise AssertionError("there was no end")


@settings(max_examples=15, deadline=None)
@given(
    script=st.lists(st.sampled_from(sorted(PASSING | LASTING)), max_size=8),
    inputs=st.integers(1, 4),
    in_flight=st.integers(1, 4),
    apart=st.booleans(),
)
def test_whatever_fails_on_the_way_every_text_is_in_the_index_once(
    script: list[str], inputs: int, in_flight: int, apart: bool
) -> None:
    with TemporaryDirectory() as folder, OpenAIServer() as server, mock.patch.object(time, "sleep"):
        library = Library(Path(folder))
        library.apart = on_a_thread if apart else None
        library.write(SIX | {"07-again.md": SIX["01-a.md"]})
        server.script.extend((PASSING | LASTING)[each] for each in script)
        runs = until_all_is_indexed(library, server, Limits(inputs=inputs, in_flight=in_flight), len(script) + 1)
        assert runs == 1 or set(script) & set(LASTING)
        texts = set(answered(server))
        points = library.generations.points.values()
        stored = {point.payload["embed_key"]: tuple(np.round(point.dense, 5)) for point in points}
        assert set(stored.values()) == {unit_vector(text) for text in texts} and len(stored) == 6
        assert len(points) == 7 and set(SIX) < indexed(library)
        assert not library.run().pending


def test_where_nothing_fails_for_good_each_text_is_paid_for_once(library: Library, server: OpenAIServer) -> None:
    server.script.extend([BUSY, out_of_order, BUSY])
    report = run(library, server)
    assert report.chunks.embedded == 6 and not report.failures
    assert len(server.requests) == 6 + 2


def in_seconds() -> dict[str, str]:
    return {"Retry-After": "3"}


def as_a_date() -> dict[str, str]:
    return {"Retry-After": formatdate(time.time() + 4, usegmt=True)}


def in_milliseconds() -> dict[str, str]:
    return {"retry-after-ms": "3000"}


@pytest.mark.parametrize("asked", [in_seconds, as_a_date, in_milliseconds])
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_wait_is_as_long_as_the_service_asks(
    library: Library, server: OpenAIServer, waits: list[float], asked: Callable[[], dict[str, str]], status: int
) -> None:
    """Case C20."""
    server.script.extend([error(status, "later", headers=asked())] * 2)
    assert run(library, server, Limits(inputs=100)).chunks.embedded == 6
    assert len(waits) == 2 and all(2.5 < wait <= 4 for wait in waits)
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
    with pytest.raises(EmbeddingError, match="the rate limit holds"):
        run(library, server, Limits(inputs=100))
    assert waits == []


def test_an_answer_after_the_timeout_is_asked_for_again_and_indexed_once(
    library: Library, server: OpenAIServer, waits: list[float]
) -> None:
    given_up = threading.Event()

    def late(request: Request) -> Reply:
        given_up.wait(5)
        return embeddings(request)

    def second(request: Request) -> Reply:
        given_up.set()
        return embeddings(request)

    server.script.extend([late, second])
    report = run(library, server, Limits(inputs=100), timeout=0.5)
    assert report.chunks.embedded == 6 == len(library.contents()) and len(server.requests) == 2


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (error(429, "pay", code="insufficient_quota"), "quota is spent"),
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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(short, "5 vectors came back for 6 texts"), (of_another_size, "a vector of 5 numbers")],
)
def test_a_reply_that_does_not_fit_is_never_indexed(
    library: Library, server: OpenAIServer, wrong: Answer, said: str
) -> None:
    server.script.append(wrong)
    with pytest.raises(EmbeddingError, match=said):
        run(library, server, Limits(inputs=100))
    assert library.contents() == {}


def test_one_text_that_is_refused_fails_its_lesson_alone(library: Library, server: OpenAIServer) -> None:
    """Case C17, the 400."""

    def picky(request: Request) -> Reply:
        if any("the d." in text for text in request.body["input"]):
            return error(400, "invalid input", code="invalid_request_error")
        return embeddings(request)

    server.script.extend([picky] * 20)
    report = run(library, server, Limits(inputs=100))
    assert [(each.path, each.line) for each in report.failures] == [("04-d.md", 5)]
    assert "invalid input" in report.failures[0].reason
    assert indexed(library) == set(SIX) - {"04-d.md"}
    server.script.clear()
    assert run(library, server).changes == {"04-d.md": "new"}


def test_many_tokens_and_many_texts_take_as_few_requests_as_the_service_allows(
    library: Library, server: OpenAIServer
) -> None:
    """Case C17, corpora A and B in small: a service of a tenth of the bounds."""
    library.write({f"{number:03}.md": page(f"P{number}", long_text(f"w{number}", 30)) for number in range(60)})
    report = run(library, server, Limits(inputs=2048, tokens=3000, in_flight=4))
    assert len(server.requests) <= 1.15 * report.chunks.tokens / 3000 + 1
    assert len(answered(server)) == len(set(answered(server))) == report.chunks.embedded
    server.requests.clear()
    library.write({f"{number:03}.md": page(f"P{number}", f"Word {number}.") for number in range(205)})
    run(library, server, Limits(inputs=50, in_flight=4))
    assert [len(request.body["input"]) for request in server.requests].count(50) >= 4


def test_the_bounds_hold_where_a_token_is_less_than_two_characters(library: Library, server: OpenAIServer) -> None:
    """Case C17, corpus C: a page in Urdu, counted as the service counts."""
    urdu = "\n\n".join(f"روبوٹ نمبر {number} آہستہ آہستہ اپنے محور کے گرد گھومتا ہے۔ " * 12 for number in range(30))
    library.write({"urdu.md": page("روبوٹ", urdu, lang="ur")})

    def counting(request: Request) -> Reply:
        tokens = count_tokens(request.body["input"])
        over = sum(tokens) > 2000 or max(tokens) > 600
        return error(400, "too many tokens") if over else embeddings(request)

    server.script.extend([counting] * 200)
    report = run(library, server, Limits(inputs=2048, tokens=2000, input_tokens=600, in_flight=2))
    sent = [text for text in answered(server) if "روبوٹ" in text]
    assert not report.failures and sum(count_tokens(sent)) > sum(map(len, sent)) / 2
    assert report.chunks.embedded == len(answered(server)) == len(set(answered(server)))


def test_a_model_s_control_marks_are_plain_text(library: Library, server: OpenAIServer) -> None:
    """Case C19."""
    library.write({"marks.md": page("Marks", "The mark <|endoftext|> ends a text, <|fim_prefix|> begins one.")})
    report = run(library, server)
    assert report.chunks.tokens > 10 and not report.failures
    assert "<|endoftext|>" in answered(server)[0] and "<|endoftext|>" in library.texts_of("marks.md")


def test_the_pace_of_the_service_is_kept(library: Library, server: OpenAIServer) -> None:
    waits: list[float] = []
    told = {"limit-requests": "60", "remaining-requests": "0", "reset-requests": "60s"}
    headers = {f"x-ratelimit-{name}": value for name, value in told.items()}
    server.script.extend([lambda request: Reply(embeddings(request).body, headers=headers)] * 6)
    run(library, server, Limits(inputs=1, in_flight=1), pace=Pace(sleep=waits.append))
    assert waits == pytest.approx([1, 2, 3, 4, 5], abs=0.5)

"""Whole runs against a loopback service that fails in every way it can (cases C17, C19 and C29)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.embedding.batching import Limits
from ingestion.embedding.openai import OpenAIEmbedder
from ingestion.errors import EmbeddingError
from ingestion.report import IngestReport
from ingestion.tokens import count_tokens
from tests.support.books import Library, long_text, page
from tests.support.openai_server import (
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


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(SIX)
    return library


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
)
def test_whatever_fails_on_the_way_every_text_is_in_the_index_once(
    script: list[str], inputs: int, in_flight: int
) -> None:
    with TemporaryDirectory() as folder, OpenAIServer() as server, mock.patch.object(time, "sleep"):
        library = Library(Path(folder))
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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(short, "5 vectors were returned for 6 texts"), (of_another_size, "a vector of 5 numbers")],
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
    library.flags["index.max_delete"] = 100
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

"""Before a book's texts first leave this machine, every door says who gets them and for how much."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

import bookwise
from tests.support.books import page, write_book
from tests.support.chat_api import ended, serving
from tests.support.command_line import run
from tests.support.openai_server import OpenAIServer

PRICED = "to be embedded by text-embedding-3-small for $0.02 per million tokens"
LESSON = {"1-intro/1-a.md": page("A", "What it is about, told at length.")}


@pytest.fixture
def server(clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A service with a key, beside a book without an index."""
    write_book(clean_surroundings / "docs", LESSON)
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any-key-of-another-service")
        monkeypatch.setenv("BOOKWISE_BOOK", "mine")
        yield server


def done(*arguments: str) -> Result:
    """A command that ends well."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def test_one_book_says_it_before_its_first_run_and_before_a_new_index(server: OpenAIServer) -> None:
    assert f"would be sent to {server.host}, {PRICED}" in done("plan").stderr
    assert f"are sent to {server.host}, {PRICED}" in done("ingest").stderr
    assert "sent to" not in done("ingest").stderr
    write_book(Path("docs"), LESSON | {"1-intro/2-b.md": page("B", "More of it.")})
    assert "sent to" not in done("ingest").stderr
    assert "are sent to" in done("ingest", "--mode", "recreate").stderr


def test_a_price_that_is_not_known_is_not_passed_over(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_EMBEDDING_MODEL", "nomic-embed-text")
    assert "by nomic-embed-text at a price that is not known (embedding.price sets it)" in done("plan").stderr
    monkeypatch.setenv("BOOKWISE_EMBEDDING_PRICE", "0.5")
    assert "by nomic-embed-text for $0.5 per million tokens" in done("plan").stderr


def test_many_books_say_it_once(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOOKWISE_BOOK")
    for name in ("alpha", "beta"):
        write_book(Path("books") / name, LESSON)
    said = done("ingest", "--books", "books", "--dry-run").stderr
    assert said.count(f"would be sent to {server.host}, {PRICED}") == 1
    assert done("ingest", "--books", "books").stderr.count("are sent to") == 1


def test_a_program_gets_it_as_a_field_of_the_plan_and_in_its_log(
    server: OpenAIServer, caplog: pytest.LogCaptureFixture
) -> None:
    with bookwise.open_book() as book:
        plan = book.plan()
        assert plan.recipient is not None
        assert (plan.recipient.host, plan.recipient.price) == (server.host, 0.02)
        assert f"would be sent to {server.host}, {PRICED}" in caplog.text
        caplog.clear()
        assert book.ingest().as_json()["recipient"]["model"] == "text-embedding-3-small"
        assert f"are sent to {server.host}" in caplog.text


def test_a_server_tells_it_to_who_starts_the_run_and_in_its_log(
    server: OpenAIServer, clean_surroundings: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service = {"openai.base_url": server.base_url, "openai.api_key": "any-key", "book.id": "mine"}
    with serving(clean_surroundings, open_to_all=True, **service) as client:
        job = client.post("/ingest", json={}).json()
        assert job["recipient"] == {"host": server.host, "model": "text-embedding-3-small", "price": 0.02}
        ended(client, job["job_id"])
    assert f"are sent to {server.host}, {PRICED}" in caplog.text


def test_nobody_gets_them_where_they_are_embedded_here(
    clean_surroundings: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    write_book(clean_surroundings / "docs", LESSON)
    with bookwise.open_book() as book:
        assert book.plan().recipient is None
    assert "sent to" not in caplog.text

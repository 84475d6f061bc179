"""What a CI job is told when embedding fails: never "done" with exit code 0 (case C29)."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from tests.support.books import page, write_book
from tests.support.command_line import run
from tests.support.openai_server import OpenAIServer, Reply, Request, embeddings, error

SIX = {f"0{number}-{word}.md": page(word, f"All about the {word}.") for number, word in enumerate("abcdef", 1)}


@pytest.fixture
def book(clean_surroundings: Path) -> Path:
    write_book(clean_surroundings / "docs", SIX)
    return clean_surroundings


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        for name, value in {
            "OPENAI_API_KEY": "any",
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_EMBEDDING_DIMENSIONS": "8",
            "BOOKWISE_EMBEDDING_LIMITS": '{"request_inputs": 1}',
        }.items():
            monkeypatch.setenv(name, value)
        yield server


def ingest(*arguments: str) -> Result:
    return run("ingest", "--json", *arguments)


def held(book: Path) -> tuple[bytes, str]:
    """The records as they are written, and what the index says of itself."""
    return (book / ".ingestion_state.json").read_bytes(), run("info", "--json").stdout


def refuse_the_third(request: Request) -> Reply:
    refused = any("All about the c." in text for text in request.body["input"])
    return error(400, "this input is refused") if refused else embeddings(request)


def test_a_service_that_refuses_connections_is_exit_6_and_the_next_run_does_everything(
    book: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        with monkeypatch.context() as patch:
            patch.setattr(time, "sleep", lambda _: None)
            failed = ingest()
    assert failed.exit_code == 6 and "no connection" in failed.stderr
    assert json.loads(failed.stdout)["error"]
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    assert json.loads(ingest().stdout)["files"]["new"] == 6


def test_one_lesson_of_six_that_is_refused_is_exit_3_and_names_it(book: Path, server: OpenAIServer) -> None:
    server.script.extend([refuse_the_third] * 12)
    result = ingest()
    report = json.loads(result.stdout)
    assert result.exit_code == 3
    assert [failure["path"] for failure in report["failures"]] == ["03-c.md"] and report["files"]["new"] == 5
    server.script.clear()
    assert ingest().exit_code == 0


def test_no_lessons_and_a_wrong_path_are_errors_and_touch_nothing(book: Path, server: OpenAIServer) -> None:
    (book / "empty").mkdir()
    assert ingest().exit_code == 0
    before = held(book)
    for folder in ("empty", "no-such-folder"):
        result = ingest(folder)
        assert result.exit_code in (2, 5, 11) and json.loads(result.stdout)["error"]
    assert held(book) == before


def test_an_unset_key_where_the_service_is_chosen_is_exit_4(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKWISE_EMBEDDER", "openai")
    result = ingest()
    assert result.exit_code == 4 and "OPENAI_API_KEY" in result.stderr


def test_nothing_changed_is_exit_0_without_a_request(book: Path, server: OpenAIServer) -> None:
    assert ingest().exit_code == 0
    server.requests.clear()
    result = ingest()
    assert (result.exit_code, json.loads(result.stdout)["files"], server.requests) == (0, {"unchanged": 6}, [])

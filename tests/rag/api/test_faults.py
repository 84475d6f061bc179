"""What the chat API does when the model, its database, Qdrant or its own code fails; over real sockets."""

from __future__ import annotations

import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from bookwise.command_line import app as command_line
from ingestion.settings.validators import Secret
from ingestion.vector_stores.server import failures
from tests.support.api_servers import listening, roles, stream
from tests.support.chat_api import QUESTION, book, indexed, is_problem
from tests.support.openai_chat import ChatServer, calls, cites, says, says_nothing
from tests.support.openai_server import error
from tests.support.qdrant_server import KEY, Fault, QdrantServer, running

__all__ = ["book", "indexed"]

CLOSED = "http://127.0.0.1:1"


def test_a_model_that_breaks_off_leaves_what_the_book_holds_and_says_so(book: Path, model: ChatServer) -> None:
    model.script += [calls("node"), cites("A node is one program {0}.", finish=None)]
    body = QUESTION | {"session_id": str(uuid4())}
    with listening(book, **{"openai.base_url": model.base_url}) as client:
        events = stream(client, body)
        names, last = [name for name, _ in events], events[-1][1]
        assert names[-1] == "done" and "token" in names and "replaced" not in names
        assert "incomplete" in last["error"] and "stopped in the middle" in last["error"] and last["request_id"]
        assert last["response"] == "".join(told["text"] for name, told in events if name == "token")
        assert roles(client, body["session_id"]) == ["user", "assistant"]


def test_half_an_answer_of_which_the_book_holds_nothing_is_replaced(book: Path, model: ChatServer) -> None:
    model.script += [calls("node"), says("Nodes were invented in 1987 by Acme. Nobody", finish=None)]
    with listening(book, **{"openai.base_url": model.base_url}) as client:
        events = stream(client, QUESTION)
    [replaced] = [told["text"] for name, told in events if name == "replaced"]
    last = events[-1][1]
    assert last["response"] == replaced and last["replaced"] and last["error"] and "1987" not in replaced


def test_a_model_that_fails_with_nothing_to_quote_is_a_bad_gateway_and_keeps_nothing(
    book: Path, model: ChatServer
) -> None:
    body = {"message": "And who painted its ceiling in Rome?", "session_id": str(uuid4())}
    with listening(book, **{"openai.base_url": model.base_url}) as client:
        model.script += [error(401, "no such key")] * 2
        session = client.post("/chat/run", json=QUESTION).json()["session_id"]
        assert is_problem(client.post("/chat/run", json=body | {"session_id": session}), 502)
        assert roles(client, session) == ["user", "assistant"]


def test_an_answer_that_is_too_slow_is_not_waited_for(book: Path, model: ChatServer) -> None:
    go_on = threading.Event()
    model.script += [says_nothing(go_on), says_nothing(go_on)]
    with listening(book, **{"openai.base_url": model.base_url, "api.timeout": 3}) as client:
        late = client.post("/chat/run", json=QUESTION)
        last = stream(client, QUESTION)[-1]
        go_on.set()
    assert is_problem(late, 504)
    assert last[0] == "error" and last[1]["status"] == 504 and "BOOKWISE_API_TIMEOUT" in last[1]["detail"]


def test_a_thread_that_was_archived_goes_on_as_if_it_had_not_been(book: Path, model: ChatServer) -> None:
    with listening(book, **{"openai.base_url": model.base_url}) as client:
        session = client.post("/chat/run", json=QUESTION).json()["session_id"]
        client.app.state.services.turns.threads.archive(idle=timedelta(0))  # type: ignore[attr-defined]
        assert client.get("/threads").json()["threads"] == []
        assert client.get(f"/threads/{session}").json()["archived"]
        assert client.get("/threads?archived=true").json()["threads"][0]["thread_id"] == session
        model.requests.clear()
        client.post("/chat/run", json={"message": "What do they talk over?", "session_id": session})
        assert not client.get(f"/threads/{session}").json()["archived"]
        assert roles(client, session) == ["user", "assistant"] * 2
    assert QUESTION["message"] in [each["content"] for each in model.requests[0].body["messages"]]


def test_a_database_that_was_spoilt_is_told_and_used_again_once_it_is_mended(book: Path) -> None:
    file = book / ".bookwise" / "threads.sqlite"
    with listening(book) as client:
        session = client.post("/chat/run", json=QUESTION).json()["session_id"]
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        whole = file.read_bytes()
        file.write_bytes(b"no database" * (len(whole) // 11))
        refused = [
            client.post("/chat/run", json=QUESTION),
            client.get("/threads"),
            client.get(f"/threads/{session}"),
            client.delete(f"/threads/{session}"),
        ]
        events = stream(client, QUESTION)
        ready = client.get("/ready")
        file.write_bytes(whole)
        assert all(is_problem(each, 503) and each.headers["retry-after"] for each in refused)
        assert events[-1][0] == "error" and events[-1][1]["status"] == 503
        assert ready.status_code == 503 and "database" in ready.json()["checks"]["database"]
        assert client.post("/chat/run", json=QUESTION | {"session_id": session}).status_code == 200
        assert roles(client, session) == ["user", "assistant"] * 2


def test_a_database_that_is_down_at_the_start_is_asked_again_later(book: Path) -> None:
    nowhere = Secret("postgresql+psycopg://user:s3cret@127.0.0.1:1/none")
    with listening(book, **{"index.database_url": nowhere}) as client:
        with ThreadPoolExecutor(20) as clients:
            answers = list(clients.map(lambda _: client.post("/chat/run", json=QUESTION), range(20)))
        assert all(is_problem(each, 503) for each in answers)
        assert "s3cret" not in answers[0].text
        assert client.get("/health").status_code == 200 and client.get("/ready").status_code == 503


def test_a_qdrant_that_is_down_is_told_to_all_who_ask_at_once(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.001)
    with listening(book, **{"qdrant.url": CLOSED}) as client, ThreadPoolExecutor(20) as clients:
        answers = list(clients.map(lambda _: client.post("/search", json={"query": "a node"}), range(20)))
        assert all(is_problem(each, 503) and "Qdrant" in each.json()["detail"] for each in answers)
        assert stream(client, QUESTION)[-1][1]["status"] == 503
        assert client.get("/threads").status_code == client.get("/health").status_code == 200
        ready = client.get("/ready").json()["checks"]
    assert ready["database"] == "ok" and "Qdrant" in ready["index"]


def test_a_bug_is_a_problem_document_without_its_words(book: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("s3cret")

    with listening(book) as client:
        client.app.state.services.turns.threads.list = broken  # type: ignore[attr-defined]
        response = client.get("/threads")
        client.app.state.services.turns.threads.find = broken  # type: ignore[attr-defined]
        event = stream(client, QUESTION | {"session_id": str(uuid4())})[-1]
    assert is_problem(response, 500) and "s3cret" not in response.text
    assert event[0] == "error" and event[1]["status"] == 500 and "s3cret" not in json.dumps(event[1])
    assert caplog.text.count("RuntimeError: s3cret") == 2


def test_a_qdrant_that_goes_down_in_the_middle_is_told_and_used_again_when_it_is_back(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.001)
    with running(QdrantServer()) as qdrant:
        monkeypatch.setenv("QDRANT_URL", qdrant.url)
        monkeypatch.setenv("QDRANT_API_KEY", KEY)
        assert CliRunner().invoke(command_line, ["ingest", str(book / "docs")]).exit_code == 0
        with listening(book, **{"qdrant.url": qdrant.url, "qdrant.api_key": Secret(KEY)}) as client:
            before = client.post("/chat/run", json=QUESTION)
            qdrant.faults.append(down := Fault("/points", "drop", times=10_000))
            during = client.post("/chat/run", json=QUESTION)
            event = stream(client, QUESTION)[-1]
            down.times = 0
            after = client.post("/chat/run", json=QUESTION)
    assert before.status_code == after.status_code == 200
    assert is_problem(during, 503) and event[0] == "error" and event[1]["status"] == 503

"""What the chat API does when its parts fail, its clients misbehave, or many come at once; over real sockets."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid1, uuid4

import httpx
import pytest
from typer.testing import CliRunner

from cli import app as command_line
from ingestion.setting_values import Secret
from ingestion.vector_stores import server_calls
from rag.api.serving import settings_of
from tests.openai_chat import ChatServer, calls, cites, in_pieces, says, search_then_quote
from tests.openai_server import Reply, Request, error
from tests.qdrant_server import KEY, Fault, QdrantServer, running
from tests.rag.api.servers import events_of, listening
from tests.rag.api.test_api import NOBODYS_ID, QUESTION, book, indexed, is_problem

__all__ = ["book", "indexed"]

CLOSED = "http://127.0.0.1:1"


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def roles(client: httpx.Client, session: str) -> list[str]:
    return [each["role"] for each in client.get(f"/threads/{session}").json()["messages"]]


def stream(client: httpx.Client, body: dict[str, Any]) -> list[tuple[str, Any]]:
    with client.stream("POST", "/chat/stream", json=body) as response:
        return list(events_of(response))


def test_a_model_that_breaks_off_ends_the_stream_with_a_problem_and_keeps_nothing(
    book: Path, model: ChatServer
) -> None:
    model.script += [calls("node"), cites("A node is one program [0].", finish=None)]
    body = QUESTION | {"session_id": str(uuid4())}
    with listening(book, openai_base_url=model.base_url) as client:
        events = stream(client, body)
        names, last = [name for name, _ in events], events[-1][1]
        assert names[-1] == "error" and "token" in names and "done" not in names
        assert last["status"] == 502 and "broke off" in last["detail"] and last["request_id"]
        assert roles(client, body["session_id"]) == []
        assert stream(client, body)[-1][0] == "done"
        assert roles(client, body["session_id"]) == ["user", "assistant"]


def test_a_model_that_refuses_is_a_bad_gateway_for_a_single_answer(book: Path, model: ChatServer) -> None:
    model.script.append(error(401, "no such key"))
    with listening(book, openai_base_url=model.base_url) as client:
        assert is_problem(client.post("/chat/run", json=QUESTION), 502)
        assert client.post("/chat/run", json=QUESTION).status_code == 200


def test_a_model_that_is_too_slow_is_not_waited_for(book: Path, model: ChatServer) -> None:
    for_ever = threading.Event()
    model.script += [slow(for_ever), slow(for_ever)]
    with listening(book, openai_base_url=model.base_url, api_timeout=0.05) as client:
        late = client.post("/chat/run", json=QUESTION)
        last = stream(client, QUESTION)[-1]
        for_ever.set()
    assert is_problem(late, 504)
    assert last[0] == "error" and last[1]["status"] == 504 and "BOOKWISE_API_TIMEOUT" in last[1]["detail"]


def slow(until: threading.Event) -> Any:
    def reply(request: Request) -> Reply:
        until.wait(20)
        return says("too late")

    return reply


def test_a_client_that_leaves_before_the_whole_answer_ends_the_call_to_the_model_too(
    book: Path, model: ChatServer
) -> None:
    asked, ended = threading.Event(), threading.Event()

    model.script += [calls("node"), never_ending(asked, ended)]
    body = QUESTION | {"session_id": str(uuid4())}
    with listening(book, openai_base_url=model.base_url) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post("/chat/run", json=body, timeout=httpx.Timeout(20, read=1.0))
        assert asked.is_set() and ended.wait(10)
        assert roles(client, body["session_id"]) == []


def test_a_client_that_leaves_ends_the_call_to_the_model_and_keeps_nothing(book: Path, model: ChatServer) -> None:
    ended = threading.Event()

    model.script += [calls("node"), never_ending(threading.Event(), ended)]
    body = QUESTION | {"session_id": str(uuid4())}
    with listening(book, openai_base_url=model.base_url) as client:
        with client.stream("POST", "/chat/stream", json=body) as response:
            next(data for name, data in events_of(response) if name == "token")
        assert ended.wait(10)
        assert roles(client, body["session_id"]) == []
        assert client.get("/metrics").text.count("bookwise_streams 0.0") == 1


def never_ending(begun: threading.Event, ended: threading.Event) -> Reply:
    """Two words, and then a sign of life again and again until whoever reads it leaves."""

    def endless() -> Iterator[bytes]:
        begun.set()
        try:
            while not ended.wait(0.005):
                yield b": still thinking\n\n"
        finally:
            ended.set()

    return without_end(in_pieces(says("One", " program", finish=None), endless()))


def without_end(reply: Any) -> Reply:
    body = (piece for piece in reply.body if b"[DONE]" not in piece)
    return Reply(body, reply.status, reply.headers)


def test_two_questions_at_once_in_one_thread_are_answered_one_after_the_other(book: Path, model: ChatServer) -> None:
    session, go_on = str(uuid4()), threading.Event()

    def held(request: Request) -> Reply:
        go_on.wait(20)
        return search_then_quote(request)

    model.script.append(held)
    with listening(book, openai_base_url=model.base_url) as client, ThreadPoolExecutor(2) as clients:
        asked = [
            clients.submit(client.post, "/chat/run", json={"message": text, "session_id": session})
            for text in ("What is a node?", "What do nodes talk over?")
        ]
        go_on.set()
        assert [each.result().status_code for each in asked] == [200, 200]
        assert roles(client, session) == ["user", "assistant"] * 2


def test_a_thread_that_was_archived_goes_on_as_if_it_had_not_been(book: Path, model: ChatServer) -> None:
    with listening(book, openai_base_url=model.base_url) as client:
        session = client.post("/chat/run", json=QUESTION).json()["session_id"]
        client.app.state.server.conversations.threads.archive(idle=timedelta(0))  # type: ignore[attr-defined]
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
    with listening(book, database_url=nowhere) as client:
        with ThreadPoolExecutor(20) as clients:
            answers = list(clients.map(lambda _: client.post("/chat/run", json=QUESTION), range(20)))
        assert all(is_problem(each, 503) for each in answers)
        assert "s3cret" not in answers[0].text
        assert client.get("/health").status_code == 200 and client.get("/ready").status_code == 503


def test_a_qdrant_that_is_down_is_told_to_all_who_ask_at_once(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_calls, "FIRST_PAUSE", 0.001)
    with listening(book, qdrant_url=CLOSED) as client, ThreadPoolExecutor(20) as clients:
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
        client.app.state.server.conversations.threads.list = broken  # type: ignore[attr-defined]
        response = client.get("/threads")
        client.app.state.server.conversations.threads.get = broken  # type: ignore[attr-defined]
        event = stream(client, QUESTION | {"session_id": str(uuid4())})[-1]
    assert is_problem(response, 500) and "s3cret" not in response.text
    assert event[0] == "error" and event[1]["status"] == 500 and "s3cret" not in json.dumps(event[1])
    assert caplog.text.count("RuntimeError: s3cret") == 2


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"[" * 60_000),
        *(b'{"message": "\\ud800"}', b'{"message": NaN}', b'{"message": "a\\u0000b"}'),
        *(b'{"message": "x", "similarity_threshold": NaN}', b'{"message": {"a": 1}}'),
    ],
    ids=range(12),
)
def test_no_body_however_malformed_is_more_than_a_bad_request(api: httpx.Client, body: bytes) -> None:
    for path in ("/chat/run", "/chat/stream", "/search", "/ingest"):
        response = api.post(path, content=body, headers={"content-type": "application/json"})
        assert response.status_code in (400, 422) and is_problem(response, response.status_code)


def test_a_body_of_ten_megabytes_is_refused_with_and_without_its_length(api: httpx.Client) -> None:
    large = b"x" * 10_000_000
    pieces = (large[at : at + 65_536] for at in range(0, len(large), 65_536))
    for content in (large, pieces):
        response = api.post("/chat/run", content=content, headers={"content-type": "application/json"})
        assert is_problem(response, 413)
    assert api.post("/chat/run", json=QUESTION).status_code == 200


@pytest.mark.parametrize("wrong", ["no-uuid", str(uuid1()), NOBODYS_ID, "%00", "1" * 3000])
def test_what_is_no_uuid_of_version_4_is_refused_everywhere(api: httpx.Client, wrong: str) -> None:
    asked = [api.get(f"/threads/{wrong}"), api.delete(f"/threads/{wrong}")]
    asked += [api.post(path, json=QUESTION | {"session_id": wrong}) for path in ("/chat/run", "/chat/stream")]
    assert all(is_problem(each, 422) for each in asked)


def test_what_is_not_there_or_not_meant_is_a_problem_document_too(api: httpx.Client) -> None:
    unknown = uuid4()
    assert is_problem(api.get(f"/threads/{unknown}"), 404) and is_problem(api.delete(f"/threads/{unknown}"), 404)
    assert is_problem(api.get("/nothing"), 404) and is_problem(api.get("/chat/run"), 405)
    assert is_problem(api.get("/health", headers={"host": "evil.example"}), 400)


def test_an_idle_connection_is_kept_longer_than_clients_and_proxies_keep_theirs(api: httpx.Client) -> None:
    # Closed after 5 s, as by default, in the instant a client used it again, one failed with a reset.
    assert settings_of(api.app).timeout_keep_alive > 60  # type: ignore[attr-defined]


def test_two_hundred_clients_at_once_are_all_answered(api: httpx.Client) -> None:
    async def ask(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post("/chat/stream", json=QUESTION)

    async def ask_all() -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=api.base_url, limits=limits, timeout=60, trust_env=False) as client:
            return await asyncio.gather(*(ask(client) for _ in range(200)))

    answers = asyncio.run(ask_all())
    assert all("event: done" in each.text for each in answers)
    sessions = {each["thread_id"]: each["message_count"] for each in api.get("/threads?limit=1000").json()["threads"]}
    done = [json.loads(each.text.split("event: done\ndata: ")[1]) for each in answers]
    assert len({each["session_id"] for each in done}) == 200
    assert all(sessions[each["session_id"]] == 2 for each in done)


@pytest.fixture(scope="module")
def api(indexed: Path) -> Iterator[httpx.Client]:
    """One server for the tests that leave it as it was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(indexed)
        with listening(indexed, directory=str(indexed / ".bookwise")) as client:
            yield client


def test_a_qdrant_that_goes_down_in_the_middle_is_told_and_used_again_when_it_is_back(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_calls, "FIRST_PAUSE", 0.001)
    with running(QdrantServer()) as qdrant:
        monkeypatch.setenv("QDRANT_URL", qdrant.url)
        monkeypatch.setenv("QDRANT_API_KEY", KEY)
        assert CliRunner().invoke(command_line, ["ingest", str(book / "docs")]).exit_code == 0
        with listening(book, qdrant_url=qdrant.url, qdrant_api_key=Secret(KEY)) as client:
            before = client.post("/chat/run", json=QUESTION)
            qdrant.faults.append(down := Fault("/points", "drop", times=10_000))
            during = client.post("/chat/run", json=QUESTION)
            event = stream(client, QUESTION)[-1]
            down.times = 0
            after = client.post("/chat/run", json=QUESTION)
    assert before.status_code == after.status_code == 200
    assert is_problem(during, 503) and event[0] == "error" and event[1]["status"] == 503

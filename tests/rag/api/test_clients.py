"""Clients of the chat API that leave, that send what nobody can use, or that come many at once; over real sockets."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from rag.serving.sockets import connection_options
from tests.support.api_servers import events_of, listening, roles
from tests.support.chat_api import NOBODYS_ID, QUESTION, book, indexed, is_problem
from tests.support.openai_chat import ChatServer, calls, in_pieces, says, search_then_quote
from tests.support.openai_server import Reply, Request
from tests.support.waits import LONGEST

__all__ = ["book", "indexed"]


def test_a_client_that_leaves_before_the_whole_answer_ends_the_call_to_the_model_too(
    book: Path, model: ChatServer
) -> None:
    asked, ended = threading.Event(), threading.Event()

    model.script += [calls("node"), never_ending(asked, ended)]
    body = QUESTION | {"session_id": str(uuid4())}
    with listening(book, **{"openai.base_url": model.base_url}) as client:
        asyncio.run(ask_and_leave(str(client.base_url), body, asked))
        assert ended.wait(LONGEST)
        assert client.get(f"/threads/{body['session_id']}").status_code == 404


async def ask_and_leave(url: str, body: dict[str, Any], when: threading.Event) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=20, trust_env=False) as client:
        asking = asyncio.create_task(client.post("/chat/run", json=body))
        while not when.is_set():
            assert not asking.done()
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


def test_a_client_that_leaves_ends_the_call_to_the_model_and_keeps_nothing(book: Path, model: ChatServer) -> None:
    ended = threading.Event()

    model.script += [calls("node"), never_ending(threading.Event(), ended)]
    body = QUESTION | {"session_id": str(uuid4())}
    with listening(book, **{"openai.base_url": model.base_url}) as client:
        with client.stream("POST", "/chat/stream", json=body) as response:
            next(data for name, data in events_of(response) if name == "token")
        assert ended.wait(LONGEST)
        assert client.get(f"/threads/{body['session_id']}").status_code == 404
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
        go_on.wait(LONGEST)
        return search_then_quote(request)

    model.script.append(held)
    with listening(book, **{"openai.base_url": model.base_url}) as client, ThreadPoolExecutor(2) as clients:
        asked = [
            clients.submit(client.post, "/chat/run", json={"message": text, "session_id": session})
            for text in ("What is a node?", "What do nodes talk over?")
        ]
        go_on.set()
        assert [each.result().status_code for each in asked] == [200, 200]
        assert roles(client, session) == ["user", "assistant"] * 2


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


@pytest.mark.parametrize("wrong", ["no-uuid", "f47ac10a-58cc-11f0-8de9-0242ac120002", NOBODYS_ID, "%00", "1" * 3000])
def test_what_is_no_uuid_of_version_4_is_refused_everywhere(api: httpx.Client, wrong: str) -> None:
    asked = [api.get(f"/threads/{wrong}"), api.delete(f"/threads/{wrong}")]
    asked += [api.post(path, json=QUESTION | {"session_id": wrong}) for path in ("/chat/run", "/chat/stream")]
    assert all(is_problem(each, 422) for each in asked)


def test_what_is_not_there_or_not_meant_is_a_problem_document_too(api: httpx.Client) -> None:
    unknown = uuid4()
    assert is_problem(api.get(f"/threads/{unknown}"), 404) and is_problem(api.delete(f"/threads/{unknown}"), 404)
    assert is_problem(api.get("/nothing"), 404) and is_problem(api.get("/chat/run"), 405)
    assert is_problem(api.get("/health", headers={"host": "evil.example"}), 400)


def test_an_idle_connection_is_kept_longer_than_clients_and_proxies_keep_theirs() -> None:
    # Closed after 5 s, as by default, in the instant a client used it again, one failed with a reset.
    assert connection_options(drain_seconds=1)["timeout_keep_alive"] > 60


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
        with listening(indexed, **{"index.directory": str(indexed / ".bookwise")}) as client:
            yield client

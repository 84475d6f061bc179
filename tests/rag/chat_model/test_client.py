"""Whatever a service does to a connection is a ChatModelError that says what to do, by either client of the SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ingestion.errors import ChatModelError
from rag.chat_model import client
from rag.chat_model.client import ChatModel
from rag.chat_model.reply import Reply

KEY = "sk-a-key-that-must-not-show"
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
A_WORD = b'data: {"choices":[{"index":0,"delta":{"content":"A word"}}]}\n\n'
REST = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def says(*pieces: bytes) -> Handler:
    """Send these in answer to a request and hang up."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        writer.close()

    return handle


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


async def says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await reader.read()
    finally:
        writer.close()


async def asked(url: str, *, many: bool, timeout: float = 20.0) -> list[str | Reply]:
    model = ChatModel("m", api_key=KEY, base_url=url, temperature=0, max_answer_tokens=9, timeout=timeout, many=many)
    try:
        question = [{"role": "user", "content": "What is a node?"}]
        return [part async for part in model.reply(question, tools=[], tool_choice="none")]
    finally:
        await model.close()


async def answers(handler: Handler, *, many: bool, timeout: float = 20.0) -> list[str | Reply]:
    async with await asyncio.start_server(handler, "127.0.0.1", 0) as server:
        return await asked(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", many=many, timeout=timeout)


@pytest.fixture(autouse=True)
def asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_RETRIES", 0)


both_clients = pytest.mark.parametrize("many", [False, True], ids=["one reply at a time", "many replies at once"])


@both_clients
def test_a_reply_comes_piece_by_piece_and_whole_at_its_end(many: bool) -> None:
    *pieces, whole = asyncio.run(answers(says(STREAM, chunked(A_WORD), chunked(REST), b"0\r\n\r\n"), many=many))
    assert pieces == ["A word"] and isinstance(whole, Reply) and whole.text == "A word"


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ('{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}', (10, 3)),
        ('{"prompt_tokens":7,"completion_tokens":3}', (10, 3)),
        ('{"prompt_tokens":7,"completion_tokens":3,"total_tokens":60}', (60, 53)),
        ('{"completion_tokens":3}', (3, 3)),
        ('{"total_tokens":10}', (10, 0)),
        ('{"prompt_tokens":"7","completion_tokens":-3,"total_tokens":true}', (0, 0)),
        ("null", (0, 0)),
    ],
    ids=["all", "no sum", "thinking in the sum alone", "no prompt", "sum alone", "no counts", "none"],
)
def test_tokens_are_what_the_service_counts(usage: str, counted: tuple[int, int]) -> None:
    told = f'data: {{"choices":[],"usage":{usage}}}\n\n'.encode()
    handler = says(STREAM, chunked(A_WORD), chunked(told), chunked(REST), b"0\r\n\r\n")
    whole = asyncio.run(answers(handler, many=False))[-1]
    assert isinstance(whole, Reply) and (whole.tokens, whole.completion_tokens) == counted


@both_clients
@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (says(), "no connection .*; check the network and OPENAI_BASE_URL"),
        (says(STREAM, b"5\r\ndata:"), "no connection .*; check the network and OPENAI_BASE_URL"),
        (says(STREAM, chunked(A_WORD), b"0\r\n\r\n"), "stopped in the middle; ask again"),
        (says(b"SSH-2.0-OpenSSH_9.2\r\n"), "OPENAI_BASE_URL"),
        (says(STREAM, b"no length\r\n"), "OPENAI_BASE_URL"),
        (says(STREAM, chunked(b"data: no JSON\n\n"), b"0\r\n\r\n"), "not a chat completion; check OPENAI_BASE_URL"),
    ],
    ids=["hangs up", "breaks in a chunk", "ends too early", "is no HTTP", "has no chunks", "is no JSON"],
)
def test_a_service_that_does_not_hold_its_line_is_a_chat_model_error(many: bool, handler: Handler, said: str) -> None:
    with pytest.raises(ChatModelError, match=said) as raised:
        asyncio.run(answers(handler, many=many))
    assert KEY not in str(raised.value)


@both_clients
def test_a_service_that_is_not_there_is_no_connection(many: bool) -> None:
    with pytest.raises(ChatModelError, match=r"no connection .*; check the network"):
        asyncio.run(asked("http://127.0.0.1:1/v1", many=many))


@both_clients
def test_a_service_that_says_nothing_is_not_waited_for(many: bool) -> None:
    with pytest.raises(ChatModelError, match="no response in time; ask again, raise AGENT_TIMEOUT"):
        asyncio.run(answers(says_nothing, many=many, timeout=0.1))


def test_a_server_asks_a_service_that_says_nothing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_RETRIES", 2)
    connections = 0

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await says_nothing(reader, writer)

    with pytest.raises(ChatModelError, match="no response in time"):
        asyncio.run(answers(count, many=True, timeout=0.2))
    assert connections == 1

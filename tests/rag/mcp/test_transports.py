"""`bookwise mcp` as a process: over stdio and HTTP, how it starts, and how a signal ends it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from ingestion.extras import install_command
from rag.mcp.transports import refusal_of
from tests.support.books import write_book
from tests.support.command_line import PAGES, run
from tests.support.mcp_servers import (
    CARD,
    PROGRAM,
    QUERY,
    ROOT,
    address_of,
    files_of,
    folder,
    process,
    shared_index,
    stdio,
    text_of,
)
from tests.support.openai_chat import ChatServer, calls, says
from tests.support.openai_server import error
from tests.support.waits import LONGEST

__all__ = ["folder", "shared_index"]

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals there are other ones")


def test_over_stdio_a_client_searches_and_sees_a_new_generation(folder: Path) -> None:
    async def use() -> Any:
        async with Client(stdio_client(stdio(folder, "--tier", "4"))) as client:
            before = await client.call_tool("search_lessons", {"query": "purple giraffes"})
            new = {"module-1-ros2/chapter-1-basics/03-new.md": "# Giraffes\n\nPurple giraffes guard the gripper.\n"}
            write_book(folder / "docs", PAGES | new)
            ingest = [sys.executable, "-c", PROGRAM, "ingest", "--mode", "recreate"]
            environ = {"PYTHONPATH": str(ROOT)}
            await asyncio.to_thread(subprocess.run, ingest, cwd=folder, env=environ, check=True, capture_output=True)
            return new, before, await client.call_tool("search_lessons", {"query": "purple giraffes"})

    new, before, after = asyncio.run(use())
    assert files_of(before).isdisjoint(new) and files_of(after) >= new.keys()


def test_over_http_many_calls_at_once_are_answered(folder: Path) -> None:
    async def use(url: str) -> list[Any]:
        async with Client(url) as client:
            return await asyncio.gather(
                *(client.call_tool("search_lessons", {"query": CARD}) for _ in range(5)),
                *(client.call_tool("ask", {"question": QUERY}) for _ in range(5)),
            )

    with process(folder, "--http", "--port", "0") as server:
        results = asyncio.run(use(address_of(server)))
    assert len(results) == 10 and not any(each.is_error for each in results)


@pytest.mark.parametrize(
    ("made_with", "given", "status", "said"),
    [
        (("--highest-tier", "2"), True, 200, ""),
        (("--highest-tier", "1"), True, 403, "this key reads hardware tier 1 or lower, this server offers 2"),
        (("--book", "another"), True, 403, "this key reads another only"),
        ((), False, 401, "Authorization: Bearer"),
    ],
)
def test_over_http_a_key_opens_what_it_may_read_and_nothing_else(
    folder: Path, made_with: tuple[str, ...], given: bool, status: int, said: str
) -> None:
    secret = json.loads(run("keys", "add", "agent", *made_with, "--json").stdout)["secret"]
    with process(folder, "--http", "--port", "0", "--tier", "2") as server:
        headers = {"Authorization": f"Bearer {secret}"} if given else {}
        accepted = {"Accept": "application/json, text/event-stream"}
        answer = httpx.post(address_of(server), json=HELLO, headers=headers | accepted)
    assert answer.status_code == status and said in answer.text
    assert status == 200 or answer.headers["content-type"] == "application/problem+json"


def asked_over_http(folder: Path, questions: int, **environment: str) -> list[Any]:
    """What `ask` answers a public key, called that often."""
    secret = json.loads(run("keys", "add", "agent", "--public", "--json").stdout)["secret"]

    async def use(url: str) -> list[Any]:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"})
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            return [await client.call_tool("ask", {"question": QUERY}) for _ in range(questions)]

    with process(folder, "--http", "--port", "0", **environment) as server:
        return asyncio.run(use(address_of(server)))


def test_over_http_a_key_is_told_nothing_of_what_a_failing_service_said(folder: Path) -> None:
    with ChatServer() as service:
        service.script += [error(400, "org-fake1234 at 10.1.2.3", headers={"x-should-retry": "false"})]
        service.script += [calls(QUERY), says(refusal="org-fake1234 may not ask")]
        failed, refused = asked_over_http(folder, 2, OPENAI_BASE_URL=service.base_url, BOOKWISE_EMBEDDER="local")
    assert failed.structured_content["state"] == "completed" and "request id" in text_of(failed)
    assert refused.structured_content["state"] == "error" and "request id" in text_of(refused)
    said = f"{failed} {refused}"
    assert "org-fake" not in said and "10.1.2.3" not in said and "127.0.0.1" not in said


def test_over_http_questions_are_counted_apart_and_a_limit_per_day_is_not_evaded(folder: Path) -> None:
    first, second = asked_over_http(folder, 2, BOOKWISE_API_LIMITS='{"client_rate": 1}')
    assert not first.is_error
    assert second.is_error and "more than 1 questions per minute" in text_of(second)
    [limited] = asked_over_http(folder, 1, BOOKWISE_API_LIMITS='{"daily_questions": 5}')
    assert limited.is_error and "daily limit" in text_of(limited)


@posix
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_stdio_cleanly_with_nothing_but_the_protocol_on_stdout(
    folder: Path, end: signal.Signals
) -> None:
    with process(folder) as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write(json.dumps(HELLO) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "bookwise"
        server.send_signal(end)
        assert server.wait(LONGEST) == 0
        assert server.stdout.read() == "" and server.stderr.read() == ""


@posix
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_http_cleanly(folder: Path, end: signal.Signals) -> None:
    with process(folder, "--http", "--port", "0") as server:
        address_of(server)
        server.send_signal(end)
        assert server.wait(LONGEST) == 0
        assert server.stdout and server.stderr
        assert server.stdout.read() == "" and server.stderr.read() == ""


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        ("no json", -32700, None),
        ('{"jsonrpc": "2.0", "id": 7', -32700, None),
        ("[" * 100_000, -32700, None),
        ('{"jsonrpc": "2.0", "id": 7, "method": 1}', -32600, 7),
        ('{"id": "seven", "method": "ping"}', -32600, "seven"),
        ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": "no"}', -32600, 7),
        ('[{"jsonrpc": "2.0", "id": 7, "method": "ping"}]', -32600, None),
        ("3", -32600, None),
    ],
)
def test_a_line_that_is_no_request_is_answered(line: str, code: int, request_id: Any) -> None:
    answer = json.loads(refusal_of(line).model_dump_json(by_alias=True, exclude_unset=True))
    assert (answer["error"]["code"], answer["id"], answer["jsonrpc"]) == (code, request_id, "2.0")


def test_over_stdio_bad_lines_are_answered_and_the_next_request_is_served(folder: Path) -> None:
    with process(folder) as server:
        assert server.stdin and server.stdout
        server.stdin.write(f'no json\n\n{{"id": 5, "method": "ping"}}\n{json.dumps(HELLO)}\n')
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(3)]
        _, said = server.communicate("", timeout=20)
    assert server.returncode == 0 and said == ""
    by_id = {each["id"]: each for each in answers}
    assert by_id[None]["error"]["code"] == -32700 and by_id[5]["error"]["code"] == -32600
    assert by_id[1]["result"]["capabilities"].keys() >= {"tools", "resources", "prompts", "completions"}


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (("--module", "cooking"), 2, "known are "),
        (("--level", "D4"), 2, "invalid level 'D4'"),
        (("--book", "another"), 2, "no book 'another'"),
        (("--http", "--host", "203.0.113.1"), 2, "create one with `bookwise keys add NAME`"),
    ],
)
def test_a_start_that_cannot_work_says_why(folder: Path, flags: tuple[str, ...], code: int, said: str) -> None:
    ended = run("mcp", *flags)
    assert ended.exit_code == code and said in ended.stderr and ended.stdout == ""


def test_without_an_index_the_start_says_what_to_do() -> None:
    ended = run("mcp")
    assert ended.exit_code == 4 and "run `bookwise ingest DOCS` first" in ended.stderr


def test_without_the_extra_the_start_names_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each == "mcp" or each.startswith("mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "rag.mcp.server")
    ended = run("mcp")
    assert ended.exit_code == 4 and install_command("mcp") in ended.stderr

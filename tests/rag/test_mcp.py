"""The MCP server, by the library's own client: its tools and fences in this process, its transports as processes."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from ingestion.build import open_index
from ingestion.configuration import load_settings
from rag.mcp_server import build_server
from rag.mcp_tools import BookTools
from tests.books import write_book
from tests.openai_chat import ChatServer, calls, cites
from tests.openai_server import error
from tests.rag.mcp_servers import OPEN, PROGRAM, ROOT, address_of, call, play, process, stdio, text_of
from tests.test_cli import GPU, PAGES, QOS, copy_index, run

QUERY = "Who keeps the last message for late subscribers?"
CARD = "How much memory does the graphics card need?"
SECRET = "sk-secret-of-the-test"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals there are other ones")


@pytest.fixture(scope="module")
def shared_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("offered")
    write_book(folder / "docs", PAGES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("ingest").exit_code == 0
    return folder


@pytest.fixture
def folder(clean_surroundings: Path, shared_index: Path) -> Path:
    copy_index(shared_index, clean_surroundings)
    return clean_surroundings


def files_of(result: Any) -> set[str]:
    assert not result.is_error, text_of(result)
    return {each["source_file"] for each in result.structured_content["results"]}


def test_agents_are_told_three_typed_tools_and_the_fences(folder: Path) -> None:
    async def look(client: Client) -> Any:
        return client.instructions, (await client.list_tools()).tools

    told, tools = play(folder, {"hardware_tier_filter": 2, "language": "en"}, look)
    assert "hardware_tier_filter 2; language en" in told
    assert [each.name for each in tools] == ["search_lessons", "read_lesson", "ask"]
    for each in tools:
        assert each.description and each.output_schema["type"] == "object"
        assert not each.input_schema["additionalProperties"]
        assert all(field["description"] for field in each.input_schema["properties"].values())


def test_a_search_gives_the_response_of_the_command_and_whole_passages_as_text(folder: Path) -> None:
    found = call(folder, OPEN, "search_lessons", query=QUERY, limit=1)
    assert found.structured_content == json.loads(
        run("search", QUERY, "--limit", "1", "--tier", "4", "--json").stdout
    )
    assert f"source_file: {QOS}" in text_of(found)
    assert found.structured_content["results"][0]["text"] in text_of(found)


@pytest.mark.parametrize("field", ["source_file", "parent_doc_id"])
def test_what_a_passage_names_can_be_read_whole(folder: Path, field: str) -> None:
    passage = call(folder, OPEN, "search_lessons", query=QUERY).structured_content["results"][0]
    read = call(folder, OPEN, "read_lesson", reference=passage[field])
    assert read.structured_content["title"] == "Quality of service"
    assert text_of(read) == read.structured_content["text"] and "join late" in text_of(read)


def test_ask_without_a_model_quotes_the_book_and_says_so(folder: Path) -> None:
    answer = call(folder, OPEN, "ask", question=QUERY)
    assert answer.structured_content["state"] in ("completed", "low_confidence")
    assert "no language model was used" in text_of(answer) and "[1] Quality of service" in text_of(answer)


def test_ask_with_a_model_gives_its_answer_and_checked_sources(folder: Path) -> None:
    with ChatServer() as service:
        service.script += [calls("late subscribers"), cites("A publisher keeps its last message {0}.")]
        flags = {"openai_base_url": service.base_url, "embedder": "local"}
        answer = call(folder, OPEN, "ask", flags, question=QUERY)
    assert answer.structured_content["answer"] == "A publisher keeps its last message [1]."
    assert answer.structured_content["citations"][0]["source_file"] == QOS


def test_a_refusal_is_an_answer_with_its_reason(folder: Path) -> None:
    refused = call(folder, OPEN, "ask", question="Who won the world cup in 1998?")
    assert not refused.is_error and refused.structured_content["state"] == "no_results"
    assert "no answer: " in text_of(refused)


@pytest.mark.parametrize(
    "fence",
    [{"hardware_tier_filter": 2}, {"hardware_tier_filter": 4, "module_filter": "ros2"}],
    ids=["tier", "module"],
)
def test_nothing_outside_the_fences_is_found_read_or_named(folder: Path, fence: dict[str, Any]) -> None:
    assert GPU in files_of(call(folder, OPEN, "search_lessons", query=CARD))
    assert GPU not in files_of(call(folder, fence, "search_lessons", query=CARD, limit=20))
    read = call(folder, fence, "read_lesson", reference=GPU)
    near = call(folder, fence, "read_lesson", reference=GPU.replace("gpu", "gpus"))
    assert read.is_error and near.is_error and GPU not in text_of(near)
    assert text_of(read).startswith(f"no lesson '{GPU}'")
    answer = call(folder, fence, "ask", question=CARD)
    assert all(each["source_file"] != GPU for each in answer.structured_content["citations"])


def test_an_argument_narrows_the_fences(folder: Path) -> None:
    assert files_of(call(folder, OPEN, "search_lessons", query=CARD, module_filter="isaac")) == {GPU}
    assert GPU not in files_of(call(folder, OPEN, "search_lessons", query=CARD, hardware_tier_filter=1))


@pytest.mark.parametrize(("tool", "text"), [("search_lessons", "query"), ("ask", "question")])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hardware_tier_filter", 3),
        ("module_filter", "isaac"),
        ("proficiency_levels", ["A1", "C2"]),
        ("language", "ur"),
    ],
)
def test_no_argument_widens_a_fence(folder: Path, tool: str, text: str, name: str, value: Any) -> None:
    fences = {
        "hardware_tier_filter": 2,
        "module_filter": "ros2",
        "proficiency_levels": ("A1", "A2"),
        "language": "en",
    }
    refused = call(folder, fences, tool, **{text: CARD, name: value})
    assert refused.is_error and name in text_of(refused) and "outside the fence" in text_of(refused)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "query: Field required"),
        ({"query": "x"}, "query: String should have at least 3 characters"),
        ({"query": CARD, "limit": 21}, "limit: Input should be less than or equal to 20"),
        ({"query": CARD, "book_id": "another"}, "book_id: Extra inputs are not permitted"),
        ({"query": CARD, "proficiency_levels": []}, "proficiency_levels: "),
        ({"query": CARD, "module_filter": "cooking"}, "known are "),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(folder: Path, arguments: dict[str, Any], told: str) -> None:
    refused = call(folder, OPEN, "search_lessons", **arguments)
    assert refused.is_error and told in text_of(refused)


def test_a_tool_that_is_not_there_is_an_error_that_lists_the_tools(folder: Path) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match="search_lessons, read_lesson, ask"):
            await client.call_tool("delete_book", {})

    play(folder, OPEN, use)


def test_a_failing_service_is_told_without_the_key_and_without_a_traceback(folder: Path) -> None:
    with ChatServer() as service:
        service.script += [error(401, f"Incorrect API key provided: {SECRET}")] * 3
        flags = {"openai_base_url": service.base_url, "openai_api_key": SECRET, "embedder": "local"}
        failed = call(folder, OPEN, "ask", flags, question=QUERY)
    assert failed.is_error and "Traceback" not in text_of(failed) and SECRET not in text_of(failed)


def test_what_a_bug_says_stays_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        settings = load_settings({}, environ={})

        @asynccontextmanager
        async def reader(self, book_id: str | None) -> AsyncIterator[Any]:
            raise RuntimeError(SECRET)
            yield

    async def ask() -> Any:
        index: Any = Broken()
        async with Client(build_server(BookTools(index, OPEN, with_model=False), OPEN)) as client:
            return await client.call_tool("search_lessons", {"query": CARD})

    failed = asyncio.run(ask())
    assert failed.is_error and "not foreseen" in text_of(failed) and SECRET not in text_of(failed)
    assert SECRET in caplog.text


def test_while_a_run_holds_the_index_a_call_is_told_so_and_the_next_one_works(folder: Path) -> None:
    settings = load_settings({"directory": str(folder / ".bookwise")}, environ={})

    async def use(client: Client) -> Any:
        with closing(open_index(settings)):
            busy = await client.call_tool("search_lessons", {"query": CARD})
        return busy, await client.call_tool("search_lessons", {"query": CARD})

    busy, free = play(folder, OPEN, use)
    assert busy.is_error and "in use by process" in text_of(busy)
    assert GPU in files_of(free)


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
        assert server.wait(20) == 0
        assert server.stdout.read() == "" and server.stderr.read() == ""


@posix
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_http_cleanly(folder: Path, end: signal.Signals) -> None:
    with process(folder, "--http", "--port", "0") as server:
        address_of(server)
        server.send_signal(end)
        assert server.wait(20) == 0
        assert server.stdout and server.stderr
        assert server.stdout.read() == "" and server.stderr.read() == ""


def test_the_end_of_stdin_ends_the_server_and_a_line_that_is_no_json_does_not_harm(folder: Path) -> None:
    with process(folder) as server:
        printed, said = server.communicate("no json\n", timeout=20)
    assert server.returncode == 0 and "Traceback" not in said
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in printed.splitlines())


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (("--module", "cooking"), 2, "known are "),
        (("--level", "D4"), 2, "proficiency_levels"),
        (("--book", "another"), 2, "no book 'another'"),
        (("--http", "--host", "203.0.113.1"), 2, "make a key first (`bookwise keys add NAME`)"),
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
    monkeypatch.delitem(sys.modules, "rag.mcp_server")
    ended = run("mcp")
    assert ended.exit_code == 4 and "pip install 'bookwise[mcp]'" in ended.stderr

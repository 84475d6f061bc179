"""The MCP server's tools and filters, by the library's own client in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from ingestion.factory import open_index
from ingestion.settings.loader import load_settings
from rag.filters import Filters
from rag.mcp.server import build_server
from rag.mcp.tools import BookTools
from tests.support.command_line import GPU, QOS, run
from tests.support.mcp_servers import CARD, OPEN, QUERY, call, files_of, folder, play, shared_index, text_of
from tests.support.openai_chat import ChatServer, calls, cites
from tests.support.openai_server import error

__all__ = ["folder", "shared_index"]

SECRET = "sk-secret-of-the-test"


def test_agents_are_told_four_typed_tools_and_the_filters(folder: Path) -> None:
    async def look(client: Client) -> Any:
        return client.instructions, (await client.list_tools()).tools

    told, tools = play(folder, Filters(hardware_tier=2, language="en"), look)
    assert "hardware tier 2 or lower; language en" in told
    assert [each.name for each in tools] == ["search_lessons", "list_lessons", "read_lesson", "ask"]
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


def test_the_text_of_an_answer_has_the_answer_and_its_sources(folder: Path) -> None:
    told = call(folder, OPEN, "ask", question=QUERY)
    assert told.structured_content["answer"] in text_of(told)
    assert told.structured_content["citations"][0]["source_file"] in text_of(told)


def test_ask_with_a_model_gives_its_answer_and_checked_sources(folder: Path) -> None:
    with ChatServer() as service:
        service.script += [calls("late subscribers"), cites("A publisher keeps its last message {0}.")]
        flags = {"openai.base_url": service.base_url, "embedding.embedder": "local"}
        answer = call(folder, OPEN, "ask", flags | {"agent.system_prompt": "Like a pirate."}, question=QUERY)
    assert "Like a pirate." in service.requests[-1].body["messages"][0]["content"]
    assert answer.structured_content["answer"] == "A publisher keeps its last message [1]."
    assert answer.structured_content["citations"][0]["source_file"] == QOS


def test_a_refusal_is_an_answer_with_its_reason(folder: Path) -> None:
    refused = call(folder, OPEN, "ask", question="Who won the world cup in 1998?")
    assert not refused.is_error and refused.structured_content["state"] == "no_results"
    assert "no answer: " in text_of(refused)


@pytest.mark.parametrize(
    "filters",
    [Filters(hardware_tier=2), Filters(hardware_tier=4, module="ros2")],
    ids=["tier", "module"],
)
def test_nothing_outside_the_filters_is_found_read_or_named(folder: Path, filters: Filters) -> None:
    assert GPU in files_of(call(folder, OPEN, "search_lessons", query=CARD))
    assert GPU not in files_of(call(folder, filters, "search_lessons", query=CARD, limit=20))
    read = call(folder, filters, "read_lesson", reference=GPU)
    near = call(folder, filters, "read_lesson", reference=GPU.replace("gpu", "gpus"))
    assert read.is_error and near.is_error and GPU not in text_of(near)
    assert text_of(read).startswith(f"no lesson '{GPU}'")
    answer = call(folder, filters, "ask", question=CARD)
    assert all(each["source_file"] != GPU for each in answer.structured_content["citations"])


def test_an_argument_narrows_the_filters(folder: Path) -> None:
    assert files_of(call(folder, OPEN, "search_lessons", query=CARD, module="isaac")) == {GPU}
    assert GPU not in files_of(call(folder, OPEN, "search_lessons", query=CARD, hardware_tier=1))


def test_an_argument_may_have_the_name_that_the_specification_gives_it(folder: Path) -> None:
    assert files_of(call(folder, OPEN, "search_lessons", query=CARD, module_filter="isaac")) == {GPU}


@pytest.mark.parametrize(("tool", "text"), [("search_lessons", "query"), ("ask", "question")])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hardware_tier", 3),
        ("module", "isaac"),
        ("proficiency_levels", ["A1", "C2"]),
        ("language", "ur"),
    ],
)
def test_no_argument_widens_a_filter(folder: Path, tool: str, text: str, name: str, value: Any) -> None:
    filters = Filters(hardware_tier=2, module="ros2", proficiency_levels=("A1", "A2"), language="en")
    refused = call(folder, filters, tool, **{text: CARD, name: value})
    assert refused.is_error and name in text_of(refused) and "outside the filter" in text_of(refused)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "query: Field required"),
        ({"query": "x"}, "a question should have at least 3 characters"),
        ({"query": CARD, "limit": 21}, "limit: Input should be less than or equal to 20"),
        ({"query": CARD, "book_id": "another"}, "book_id: Extra inputs are not permitted"),
        ({"query": CARD, "proficiency_levels": []}, "proficiency_levels: "),
        ({"query": CARD, "module": "cooking"}, "known are "),
        ({"query": CARD, "docs_version": "1.0"}, "no version of the documentation '1.0'"),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(folder: Path, arguments: dict[str, Any], told: str) -> None:
    refused = call(folder, OPEN, "search_lessons", **arguments)
    assert refused.is_error and told in text_of(refused)


def test_a_tool_that_is_not_there_is_an_error_that_lists_the_tools(folder: Path) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match="search_lessons, list_lessons, read_lesson, ask"):
            await client.call_tool("delete_book", {})

    play(folder, OPEN, use)


def test_a_failing_service_is_told_without_the_key_and_without_a_traceback(folder: Path) -> None:
    with ChatServer() as service:
        service.script += [error(401, f"Incorrect API key provided: {SECRET}")] * 3
        flags = {"openai.base_url": service.base_url, "openai.api_key": SECRET, "embedding.embedder": "local"}
        failed = call(folder, OPEN, "ask", flags, question=QUERY)
    assert not failed.is_error and "Traceback" not in text_of(failed) and SECRET not in str(failed)
    assert "the language model did not answer" in text_of(failed) and "the key was rejected" in text_of(failed)
    assert failed.structured_content["model"] == "extractive" and failed.structured_content["citations"]


def test_what_a_bug_says_stays_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        settings = load_settings({}, environ={})

        @asynccontextmanager
        async def retriever(self, *_: object) -> AsyncIterator[Any]:
            raise RuntimeError(SECRET)
            yield

    async def ask() -> Any:
        index: Any = Broken()
        async with Client(build_server(BookTools(index, OPEN, with_model=False), OPEN)) as client:
            return await client.call_tool("search_lessons", {"query": CARD})

    failed = asyncio.run(ask())
    assert failed.is_error and "unexpected error" in text_of(failed) and SECRET not in text_of(failed)
    assert SECRET in caplog.text


def test_while_a_run_holds_the_index_a_call_is_told_so_and_the_next_one_works(folder: Path) -> None:
    settings = load_settings({"index.directory": str(folder / ".bookwise")}, environ={})

    async def use(client: Client) -> Any:
        with closing(open_index(settings)):
            busy = await client.call_tool("search_lessons", {"query": CARD})
        return busy, await client.call_tool("search_lessons", {"query": CARD})

    busy, free = play(folder, OPEN, use)
    assert busy.is_error and "in use by process" in text_of(busy)
    assert GPU in files_of(free)

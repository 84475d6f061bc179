"""Lessons as resources, lists, prompts and completions, by the library's own client in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from rag.filters import Filters
from rag.mcp import resources
from tests.support.command_line import GPU, PAGES, QOS
from tests.support.mcp_servers import OPEN, QUERY, call, folder, play, shared_index, text_of

__all__ = ["folder", "shared_index"]

TIER_2 = Filters(hardware_tier=2)


async def all_resources(client: Client) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while True:
        page = await client.list_resources(cursor=cursor)
        found += page.resources
        cursor = page.next_cursor
        if cursor is None:
            return found


def test_every_lesson_is_a_resource_that_can_be_read(folder: Path) -> None:
    async def look(client: Client) -> Any:
        listed = await all_resources(client)
        return listed, [(await client.read_resource(each.uri)).contents[0] for each in listed]

    listed, contents = play(folder, OPEN, look)
    assert [each.name for each in listed] == sorted(PAGES)
    assert [each.title for each in listed] == ["Nodes", "Quality of service", "Which graphics card"]
    assert "join late" in contents[1].text and contents[1].mime_type == "text/markdown"
    assert contents[1].uri == listed[1].uri


def test_pages_of_the_list_hold_each_lesson_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "PER_PAGE", 2)
    listed = play(folder, OPEN, all_resources)
    assert [each.name for each in listed] == sorted(PAGES)


def test_the_template_leads_to_a_lesson_by_path_and_by_parent_id(folder: Path) -> None:
    async def look(client: Client) -> Any:
        (template,) = (await client.list_resource_templates()).resource_templates
        passage = (await client.call_tool("search_lessons", {"query": QUERY})).structured_content["results"][0]
        read = [
            await client.read_resource(template.uri_template.replace("{+lesson}", passage[field]))
            for field in ("source_file", "parent_doc_id")
        ]
        return [each.contents[0].text for each in read]

    by_path, by_parent = play(folder, OPEN, look)
    assert by_path == by_parent and "join late" in by_path


@pytest.mark.parametrize("filters", [TIER_2, Filters(hardware_tier=4, module="ros2")], ids=["tier", "module"])
def test_no_resource_prompt_or_completion_reaches_beyond_the_filters(folder: Path, filters: Filters) -> None:
    async def look(client: Client) -> Any:
        listed = await all_resources(client)
        uri = listed[0].uri.replace(listed[0].name, GPU)
        with pytest.raises(MCPError, match="no lesson"):
            await client.read_resource(uri)
        with pytest.raises(MCPError, match="no lesson"):
            await client.get_prompt("explain_lesson", {"lesson": GPU})
        completed = await client.complete(
            PromptReference(name="explain_lesson"), {"name": "lesson", "value": "module-3"}
        )
        return listed, completed.completion.values

    listed, completed = play(folder, filters, look)
    assert GPU not in {each.name for each in listed} and completed == []
    told = call(folder, filters, "list_lessons")
    assert GPU not in text_of(told) and told.structured_content["total"] == 2


@pytest.mark.parametrize(
    "uri", ["bookwise://another/lessons/x.md", "file:///etc/passwd", "bookwise://", "http://example.org/"]
)
def test_an_address_that_is_no_lesson_is_refused_with_the_form_of_those_that_are(folder: Path, uri: str) -> None:
    async def read(client: Client) -> None:
        with pytest.raises(MCPError, match="lessons are at bookwise://"):
            await client.read_resource(uri)
        with pytest.raises(MCPError, match="invalid cursor"):
            await client.list_resources(cursor="-1")

    play(folder, OPEN, read)


def test_lessons_are_listed_by_pages_within_an_argument(folder: Path) -> None:
    first = call(folder, OPEN, "list_lessons", limit=2).structured_content
    assert [each["source_file"] for each in first["lessons"]] == sorted(PAGES)[:2]
    assert (first["total"], first["next_offset"]) == (3, 2)
    last = call(folder, OPEN, "list_lessons", limit=2, offset=2).structured_content
    assert [each["source_file"] for each in last["lessons"]] == [GPU] and last["next_offset"] is None
    assert call(folder, OPEN, "list_lessons", module="isaac").structured_content["total"] == 1
    assert call(folder, TIER_2, "list_lessons", hardware_tier=3).is_error
    assert "known are" in text_of(call(folder, OPEN, "list_lessons", module="cooking"))


def test_an_answer_tells_its_progress_to_a_client_that_asks_for_it(folder: Path) -> None:
    told: list[tuple[float, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async def ask(client: Client) -> Any:
        await client.call_tool("ask", {"question": QUERY})
        assert not told
        return await client.call_tool("ask", {"question": QUERY}, progress_callback=heard)

    assert not play(folder, OPEN, ask).is_error
    assert [step for step, _ in told] == [1, 2]
    assert "searched for" in str(told[0][1]) and told[1][1] == "writing the answer"


def test_prompts_carry_the_lesson_and_name_what_is_missing(folder: Path) -> None:
    async def use(client: Client) -> Any:
        for prompt in (await client.list_prompts()).prompts:
            assert prompt.description and prompt.arguments
            given = {each.name: QOS if each.name == "lesson" else "{goal} of {0}" for each in prompt.arguments}
            got = await client.get_prompt(prompt.name, given)
            assert next(iter(given.values())) in got.messages[0].content.text
            if "lesson" in given:
                assert "join late" in got.messages[1].content.resource.text
        with pytest.raises(MCPError, match="explain_lesson needs lesson"):
            await client.get_prompt("explain_lesson", {})
        with pytest.raises(MCPError, match="there are answer_from_book, "):
            await client.get_prompt("rule_the_world", {})

    play(folder, OPEN, use)


def test_a_path_is_completed_from_its_beginning_or_from_the_title(folder: Path) -> None:
    async def complete(client: Client) -> Any:
        template = (await client.list_resource_templates()).resource_templates[0]
        reference = ResourceTemplateReference(uri=template.uri_template)
        return [
            (await client.complete(reference, {"name": name, "value": begun})).completion.values
            for name, begun in (("lesson", "module-3"), ("lesson", "QUALITY"), ("lesson", ""), ("goal", "m"))
        ]

    assert play(folder, OPEN, complete) == [[GPU], [QOS], sorted(PAGES), []]

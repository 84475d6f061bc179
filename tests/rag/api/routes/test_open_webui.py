"""What Open WebUI 0.12.4 sends, in the shapes that it was seen to send, and what it shows of the replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from rag.quoting.phrases import REPLACED
from tests.support.api_servers import listening
from tests.support.chat_api import QUESTION, book, indexed
from tests.support.openai_chat import ChatServer

__all__ = ["book", "indexed"]

BOOK = "physical-ai-robotics"
PATH = "/v1/chat/completions"
HISTORY = "<chat_history>\nUSER: What is a node?\nASSISTANT: One program. [1]\n</chat_history>"
CLOCK = {"name": "get_current_timestamp", "description": "Now.", "parameters": {"properties": {}, "type": "object"}}


@pytest.fixture
def server(book: Path, model: ChatServer) -> Iterator[httpx.Client]:
    with listening(book, **{"openai.base_url": model.base_url, "book.title": "Robots for all"}) as client:
        yield client


def chat(*messages: tuple[str, str]) -> dict[str, Any]:
    """A turn of a conversation: no stream options, and the tools that the client would run itself."""
    said = [{"role": role, "content": content} for role, content in messages]
    return {"stream": True, "model": BOOK, "messages": said, "tools": [{"type": "function", "function": CLOCK}]}


def deltas(server: httpx.Client, asked: dict[str, Any]) -> list[dict[str, Any]]:
    with server.stream("POST", PATH, json=asked, headers={"Authorization": "Bearer none"}) as response:
        lines = [line for line in response.iter_lines() if line.startswith("data: ")]
    assert lines[-1] == "data: [DONE]"
    return [choice["delta"] for line in lines[:-1] for choice in json.loads(line[6:])["choices"]]


def test_the_list_shows_a_book_by_its_title(server: httpx.Client) -> None:
    [shown] = server.get("/v1/models").json()["data"]
    assert (shown["id"], shown["name"]) == (BOOK, "Robots for all")
    assert server.get(f"/v1/models/{BOOK}").json() == shown


def test_a_source_is_shown_by_page_and_section_once_for_each_number(server: httpx.Client) -> None:
    found = deltas(server, chat(("user", QUESTION["message"])))
    [cited] = [citation["url_citation"] for delta in found for citation in delta.get("annotations", ())]
    text = "".join(delta.get("content") or "" for delta in found)
    assert text.endswith(f"\n\nSources:\n1. {cited['title']} ({cited['url']})")
    assert cited["title"] == "Nodes › Part 1"
    assert cited["url"].startswith("module-1-ros2/chapter-1-basics/01-nodes.md:")


@pytest.mark.parametrize(
    ("shown", "answer"),
    [
        ("One program [1].\n\nSources:\n1. [Nodes](https://a.org/n)", "One program [1]."),
        ("Two [1] [2].\n\nSources:\n1. Nodes (a.md:1-2)\n2. [Topics › Why](https://a.org/t)", "Two [1] [2]."),
        (f"Made up.\n\n{REPLACED}\n\nOne program [1].\n\nSources:\n1. Nodes (a.md:1)", "One program [1]."),
        ("It names its\n\nSources:\n- none of a list", "It names its\n\nSources:\n- none of a list"),
    ],
    ids=["a source", "two sources", "replaced", "no list of ours"],
)
def test_an_answer_comes_back_without_what_was_added_for_the_reader(
    server: httpx.Client, model: ChatServer, shown: str, answer: str
) -> None:
    deltas(server, chat(("user", QUESTION["message"]), ("assistant", shown), ("user", "What do they talk over?")))
    assert answer in [message["content"] for message in model.requests[-1].body["messages"]]


@pytest.mark.parametrize(
    ("form", "reply"),
    [
        ('{ "title": "your concise title here" }', {"title": "What is a node"}),
        ('{ "follow_ups": ["Suggested next message 1"] }', {"follow_ups": []}),
        ('{ "tags": ["tag1", "tag2", "tag3"] }', {"tags": []}),
    ],
    ids=["title", "follow-ups", "tags"],
)
def test_a_task_of_the_client_is_neither_searched_nor_recorded(
    server: httpx.Client, model: ChatServer, form: str, reply: dict[str, Any]
) -> None:
    task = f"### Task:\nDo something.\n### Output:\nJSON format: {form}\n### Chat History:\n{HISTORY}"
    asked = {"model": BOOK, "messages": [{"role": "user", "content": task}], "stream": False, "max_tokens": 1000}
    whole = server.post(PATH, json=asked).json()
    assert json.loads(whole["choices"][0]["message"]["content"]) == reply
    streamed = deltas(server, asked | {"stream": True})
    assert json.loads("".join(delta.get("content") or "" for delta in streamed)) == reply
    assert model.requests == [] and server.get("/owner/questions").json()["groups"] == []

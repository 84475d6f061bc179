"""A question has one answer, through whichever door it comes: command, Python, MCP or OpenAI's endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from mcp.client import Client

import bookwise
from rag.filters import Filters
from tests.support.api_servers import listening
from tests.support.command_line import document, run
from tests.support.mcp_servers import play
from tests.support.openai_chat import ChatServer
from tests.support.served_book import SAMPLE, write_sample

BOOK = "physical-ai-robotics"
LINES = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
QUESTIONS = [json.loads(line)["question"] for line in LINES[:19]] + ["Who won the world cup in 1998?"]


@pytest.fixture
def model(clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A scripted model, and an index of the sample book's pages in the current folder."""
    write_sample(clean_surroundings)
    assert run("ingest", "--book", BOOK).exit_code == 0
    with ChatServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("BOOKWISE_EMBEDDER", "local")
        yield server


def test_twenty_questions_are_answered_alike_by_every_door(model: ChatServer) -> None:
    with listening(Path(), **{"openai.base_url": model.base_url, "embedding.embedder": "local"}) as server:
        sdk = openai.OpenAI(base_url=f"{server.base_url}/v1", api_key="unused", max_retries=0)
        bare = {"sources_footer": False}
        completions = [
            sdk.chat.completions.create(model=BOOK, messages=[{"role": "user", "content": asked}], extra_body=bare)
            for asked in QUESTIONS
        ]
        by_stream = [streamed(sdk, asked, bare) for asked in QUESTIONS]
    by_endpoint = [completion.choices[0].message.content for completion in completions]
    by_command = [document(run("ask", asked, "--json"))["answer"] for asked in QUESTIONS]
    with bookwise.open_book() as book:
        by_python = [book.ask(asked).answer for asked in QUESTIONS]

    async def ask(client: Client) -> list[str]:
        results = [await client.call_tool("ask", {"question": asked}) for asked in QUESTIONS]
        return [result.structured_content["answer"] for result in results]

    flags = {"openai.base_url": model.base_url, "embedding.embedder": "local"}
    by_mcp = play(Path(), Filters(hardware_tier=1), ask, **flags)
    told_by_all = zip(by_command, by_python, by_mcp, by_endpoint, by_stream, strict=True)
    answers = dict(zip(QUESTIONS, told_by_all, strict=True))
    assert {asked: told for asked, told in answers.items() if len(set(told)) > 1} == {}
    assert len(set(by_command)) > 5


def streamed(sdk: openai.OpenAI, question: str, extra: dict[str, bool]) -> str:
    """The text that a client of the stream has put together."""
    messages: list[Any] = [{"role": "user", "content": question}]
    chunks = sdk.chat.completions.create(model=BOOK, messages=messages, stream=True, extra_body=extra)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)

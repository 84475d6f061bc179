"""A question has one answer, through whichever door it comes: command, Python, MCP, chat or OpenAI's endpoint.

Also where the model invents, refuses in its own words or says only half of it from the book, and within the filters
of a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest
from mcp.client import Client

import bookwise
from rag.filters import Filters
from rag.quoting.phrases import REFUSAL, REPLACED
from tests.support.chat_api import add_key, serving
from tests.support.command_line import document, run
from tests.support.mcp_servers import play
from tests.support.openai_chat import ChatServer, says, search_then_quote
from tests.support.openai_server import Reply, Request
from tests.support.served_book import SAMPLE, write_sample

BOOK = "physical-ai-robotics"
LINES = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
QUESTIONS = [json.loads(line)["question"] for line in LINES[:19]] + ["Who won the world cup in 1998?"]
INVENTED = "It was built in 1987 by Acme in Ohio."
OWN_REFUSAL = "I'm sorry, the passages do not say so."
TIER = 2


class WaywardServer(ChatServer):
    """A model that answers every fourth question from the book alone, and the others in three other ways."""

    def answer(self, request: Request) -> Reply:
        messages = request.body.get("messages", ())
        question = next((each["content"] for each in messages if each["role"] == "user"), "")
        if messages and messages[-1]["role"] == "tool":
            match QUESTIONS.index(question) % 4:
                case 1:
                    return says(f"{INVENTED} ", "It has twelve legs.")
                case 2:
                    return says(OWN_REFUSAL)
                case 3:
                    self.script.append(in_part_invented)
        return super().answer(request)


def in_part_invented(request: Request) -> Reply:
    dutiful = search_then_quote(request)
    assert isinstance(dutiful.body, bytes)
    said = says(f"{INVENTED} ")
    assert isinstance(said.body, bytes)
    first = said.body.split(b"\n\n")[1] + b"\n\n"
    return Reply(first + dutiful.body, dutiful.status, dutiful.headers)


@dataclass(frozen=True)
class Told:
    """What a door tells: its text, what it cites, whether it answers, and what the model read and wrote."""

    text: str
    cited: tuple[tuple[str, int, int], ...]
    tokens: tuple[int, int]


@pytest.fixture
def model(clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """The model, and an index of the sample book's pages in the current folder."""
    write_sample(clean_surroundings)
    assert run("ingest", "--book", BOOK).exit_code == 0
    with WaywardServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("BOOKWISE_EMBEDDER", "local")
        yield server


def test_twenty_questions_are_answered_alike_by_every_door(model: ChatServer) -> None:
    flags = {"openai.base_url": model.base_url, "embedding.embedder": "local"}
    by_command = [of_response(document(run("ask", asked, "--tier", str(TIER), "--json"))) for asked in QUESTIONS]
    with bookwise.open_book() as book:
        answers = [book.ask(asked, filters=bookwise.Filters(hardware_tier=TIER)) for asked in QUESTIONS]
    by_python = [of_response(answer.model_dump(mode="json")) for answer in answers]

    async def ask(client: Client) -> list[Told]:
        results = [await client.call_tool("ask", {"question": asked}) for asked in QUESTIONS]
        return [of_response(result.structured_content) for result in results]

    by_mcp = play(Path(), Filters(hardware_tier=TIER), ask, **flags)
    key = add_key("reader", highest_tier=TIER)
    with serving(Path(), open_to_all=False, **flags) as client:
        client.headers.update(key)
        by_chat = [
            of_chat(client.post("/chat/run", json={"message": asked, "hardware_tier": TIER}).json())
            for asked in QUESTIONS
        ]
        headers = {"X-Bookwise-Hardware-Tier": str(TIER)}
        sdk = openai.OpenAI(base_url="http://127.0.0.1/v1", api_key="unused", max_retries=0, http_client=client)
        sdk = sdk.with_options(api_key=key["Authorization"].removeprefix("Bearer "), default_headers=headers)
        by_endpoint = [
            of_completion(sdk, asked, has_model=chat.tokens != (0, 0))
            for asked, chat in zip(QUESTIONS, by_chat, strict=True)
        ]
        by_stream = [streamed(sdk, asked) for asked in QUESTIONS]
    doors = zip(by_command, by_python, by_mcp, by_chat, by_endpoint, strict=True)
    told = dict(zip(QUESTIONS, doors, strict=True))
    assert {asked: answers for asked, answers in told.items() if len(set(answers)) > 1} == {}
    for answer, text in zip(by_command, by_stream, strict=True):
        assert text.rpartition(f"\n\n{REPLACED}\n\n")[2] == answer.text
    assert_all_kinds_are_there(by_command, by_stream)


def assert_all_kinds_are_there(told: list[Told], streams: list[str]) -> None:
    """The comparison says something only where each way of the model, and of the book, was met."""
    texts = [answer.text for answer in told]
    assert OWN_REFUSAL in texts and REFUSAL in texts
    assert any(REPLACED in text for text in streams) and any(INVENTED in text for text in texts)
    assert len(set(texts)) > 5 and any("isaac" in file for answer in told for file, _, _ in answer.cited)


def of_response(answer: dict[str, Any]) -> Told:
    """What the command, Python and MCP tell."""
    return Told(answer["answer"], cited_in(answer["citations"]), tokens_in(answer))


def of_chat(answer: dict[str, Any]) -> Told:
    """What `/chat/run` tells."""
    return Told(answer["response"], cited_in(answer["sources"]), tokens_in(answer))


def of_completion(sdk: openai.OpenAI, question: str, *, has_model: bool) -> Told:
    """What the SDK gets; where no model was asked its usage counts the texts."""
    completion = sdk.chat.completions.create(model=BOOK, messages=asking(question), extra_body=BARE)
    assert completion.usage and completion.model_extra and completion.usage.completion_tokens > 0
    tokens = (completion.usage.completion_tokens, completion.usage.total_tokens) if has_model else (0, 0)
    cited = cited_in(completion.model_extra["bookwise"]["sources"])
    return Told(completion.choices[0].message.content or "", cited, tokens)


def streamed(sdk: openai.OpenAI, question: str) -> str:
    """The text that a client of the stream has put together."""
    chunks = sdk.chat.completions.create(model=BOOK, messages=asking(question), stream=True, extra_body=BARE)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


BARE = {"sources_footer": False}


def asking(question: str) -> list[Any]:
    return [{"role": "user", "content": question}]


def cited_in(sources: list[dict[str, Any]]) -> tuple[tuple[str, int, int], ...]:
    return tuple((each["source_file"], each["line_start"], each["line_end"]) for each in sources)


def tokens_in(answer: dict[str, Any]) -> tuple[int, int]:
    return answer["completion_tokens"], answer["tokens_used"]

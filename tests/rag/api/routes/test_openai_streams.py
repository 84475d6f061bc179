"""Completions as a stream says them: what was replaced, and the tokens of an answer that no model wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rag.agent.history import tokens_of
from rag.quoting.phrases import REPLACED
from tests.support.chat_api import QUESTION, book, indexed, serving
from tests.support.openai_chat import TOKENS, WRITTEN, ChatServer, calls, says

__all__ = ["book", "indexed"]

PATH = "/v1/chat/completions"
BODY: dict[str, Any] = {
    "model": "physical-ai-robotics",
    "messages": [{"role": "user", "content": QUESTION["message"]}],
}


def chunks_of(client: TestClient, **more: Any) -> list[dict[str, Any]]:
    """The chunks of a stream with its usage."""
    asked = BODY | {"stream": True, "stream_options": {"include_usage": True}} | more
    lines = [line for line in client.post(PATH, json=asked).text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line[6:]) for line in lines[:-1]]


def text_of(chunks: list[dict[str, Any]]) -> str:
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


def test_a_stream_goes_on_with_the_quotation_that_replaces_what_was_written(book: Path) -> None:
    invented = "The node was built in 1987 by Acme. "
    with ChatServer() as model, serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        model.script += [calls("node"), says(invented, "It has 12 legs.")]
        chunks = chunks_of(client)
        model.script += [calls("node"), says(invented, "It has 12 legs.")]
        whole = client.post(PATH, json=BODY).json()
    streamed, answer = text_of(chunks), whole["choices"][0]["message"]["content"]
    assert "1987" in streamed and "1987" not in answer
    assert streamed.endswith(f"\n\n{REPLACED}\n\n{answer}")
    [citation] = next(chunk for chunk in chunks if "annotations" in chunk["choices"][0]["delta"])["choices"][0][
        "delta"
    ]["annotations"]
    place = citation["url_citation"]
    assert streamed[place["start_index"] : place["end_index"]] == "[1]"
    assert chunks[-1]["usage"] == whole["usage"]
    assert whole["usage"] == {
        "prompt_tokens": 2 * (TOKENS - WRITTEN),
        "completion_tokens": 2 * WRITTEN,
        "total_tokens": 2 * TOKENS,
    }


@pytest.mark.parametrize(
    "question", [QUESTION["message"], "Who won the world cup in 1998?"], ids=["quote", "refusal"]
)
def test_tokens_are_counted_where_no_model_answers(book: Path, question: str) -> None:
    tone = {"role": "system", "content": "Be kind."}
    messages = [tone, {"role": "user", "content": [{"type": "text", "text": question}]}]
    with serving(book, open_to_all=True) as client:
        whole = client.post(PATH, json=BODY | {"messages": messages}).json()
        chunks = chunks_of(client, messages=messages)
        plain = client.post("/chat/run", json={"message": question}).json()
    usage, text = whole["usage"], whole["choices"][0]["message"]["content"]
    assert usage["prompt_tokens"] == tokens_of("Be kind.") + tokens_of(question)
    assert usage["completion_tokens"] == tokens_of(text) - tokens_of("") > 5
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert chunks[-1]["usage"] == usage and text_of(chunks) == text
    assert plain["tokens_used"] == plain["completion_tokens"] == 0


def test_results_of_a_client_s_own_tools_are_no_reason_to_fail(book: Path) -> None:
    picture = {
        "role": "tool",
        "tool_call_id": "1",
        "content": [{"type": "image_url", "image_url": {"url": "data:,"}}],
    }
    with serving(book, open_to_all=True) as client:
        answer = client.post(PATH, json=BODY | {"messages": [picture, *BODY["messages"]]})
    assert answer.status_code == 200 and answer.json()["usage"]["completion_tokens"] > 5

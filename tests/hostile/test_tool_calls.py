"""What a model writes as a call is bounded before any search, whatever it is and however it comes."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from ingestion.errors import ChatModelError, InvalidToolCall
from rag.agent.tools import parse_call
from rag.chat_model.client import ChatModel
from rag.chat_model.reply import MAX_CALLS, Reply
from rag.chat_model.text_calls import TextCalls
from rag.chat_model.tool_names import MAX_ARGUMENT_CHARS, TOOL_NAME
from tests.support.openai_chat import ChatServer, stream

HUGE = "9" * 4400
WRONG = [
    *("", "null", "[]", "1", '"query"', "{", "}", "{'query': 'robots'}", "query: robots", "\0", "\ud800", "\ufeff{}"),
    *('{"query": null}', '{"query": ""}', '{"query": []}', '{"query": {"a": 1}}', '{"query": 1}', '{"query": true}'),
    *('{"query": "?"}', '{"query": "%s"}' % ("x" * 1001), '{"query": "robots", "hardware_tier": 4}'),
    *(
        '{"query": "robots", "top_k": "many"}',
        '{"query": "robots", "top_k": true}',
        '{"query": "robots", "top_k": []}',
    ),
    *('{"query": "robots", "top_k": NaN}', f'{{"query": "robots", "top_k": {HUGE}}}'),
    *(
        f'{{"query": "robots", "similarity_threshold": {odd}}}'
        for odd in ("-1", "2", "NaN", "1e999", '"a"', "[1]", HUGE)
    ),
    *("[" * 10_000, '{"query":' * 2_000, '{"query": "robots"' + " " * 20_000 + "}", '{"a' * 5_000),
]


@pytest.mark.parametrize("arguments", WRONG, ids=range(len(WRONG)))
def test_arguments_that_are_no_search_are_told_in_one_short_line(arguments: str) -> None:
    with pytest.raises(InvalidToolCall) as caught:
        parse_call(TOOL_NAME, arguments)
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value) and len(caught.value.query) <= 1000


@pytest.mark.parametrize("top_k", ["0", "-5", "21", "1e300", "Infinity", "-Infinity", "9" * 300, "2.5"])
def test_a_count_of_any_size_is_brought_within_its_bounds(top_k: str) -> None:
    call = parse_call(TOOL_NAME, f'{{"query": "robots", "top_k": {top_k}}}')
    assert call.top_k and 1 <= call.top_k <= 20


def reply_to(*deltas: dict[str, Any]) -> Reply:
    """What a model's reply of these pieces becomes."""

    async def ask(model: ChatModel) -> Reply:
        try:
            async for part in model.reply([{"role": "user", "content": "?"}], tools=[], tool_choice="none"):
                if isinstance(part, Reply):
                    return part
        finally:
            await model.close()
        raise AssertionError("a reply ends with Reply")

    with ChatServer() as server:
        server.script.append(stream(deltas, "stop"))
        options: Any = {"temperature": 0, "max_answer_tokens": 500, "timeout": 20}
        return asyncio.run(ask(ChatModel("m", api_key="k", base_url=server.base_url, **options)))


def piece(index: int, arguments: str) -> dict[str, Any]:
    return {
        "tool_calls": [{"index": index, "id": str(index), "function": {"name": TOOL_NAME, "arguments": arguments}}]
    }


def test_of_thousands_of_calls_a_few_are_kept() -> None:
    assert len(reply_to(*(piece(number, "{}") for number in range(5000))).tool_calls) == MAX_CALLS


def test_arguments_without_an_end_are_kept_as_far_as_they_can_be_right() -> None:
    [call] = reply_to(*(piece(0, "x" * 1000) for _ in range(2000))).tool_calls
    assert MAX_ARGUMENT_CHARS < len(call.arguments) <= MAX_ARGUMENT_CHARS + 1000
    with pytest.raises(InvalidToolCall, match="too long"):
        parse_call(call.name, call.arguments)


def test_an_answer_without_an_end_is_a_chat_model_error() -> None:
    with pytest.raises(ChatModelError, match="far too long"):
        reply_to(*({"content": "words and " * 100} for _ in range(1000)))


@pytest.mark.parametrize(
    "call",
    [
        {"index": [1], "function": {"arguments": "{}"}},
        {"index": "1", "function": {"arguments": "{}"}},
        {"index": 0, "id": 5, "function": {"arguments": "{}"}},
        {"index": 0, "function": {"name": 5, "arguments": "{}"}},
        {"index": 0, "function": {"arguments": {"query": "robots"}}},
        {"index": 0, "function": "search"},
        "search",
    ],
)
def test_a_call_of_other_types_is_no_chat_completion(call: object) -> None:
    with pytest.raises(ChatModelError, match="not a chat completion"):
        reply_to({"tool_calls": [call]}, {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]})


@pytest.mark.parametrize(
    "unit",
    ["{", "[", "<", "`", '{"query": ', "(", "[T", "Action: ", "<tool_call>", '{"a', "retrieve_documentation(", "-"],
)
def test_a_call_as_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    def seconds(size: int) -> float:
        calls, text = TextCalls(), unit * (size // len(unit))
        began = time.process_time()
        for at in range(0, len(text), 4):
            calls.feed(text[at : at + 4])
        calls.end()
        return time.process_time() - began

    seconds(1000)
    small, large = (min(seconds(size) for _ in range(2)) for size in (8_000, 32_000))
    assert large < 8 * max(small, 0.02), (small, large)


@pytest.mark.parametrize(
    "text", [json.dumps({"name": TOOL_NAME, "arguments": "[" * 7000}), f"{TOOL_NAME}({'-' * 7000}1)"], ids=range(2)
)
def test_the_call_of_a_hostile_text_ends_as_one_that_cannot_be_run(text: str) -> None:
    calls = TextCalls()
    calls.feed(text)
    _, [call] = calls.end()
    with pytest.raises(InvalidToolCall):
        parse_call(call.name, call.arguments)


def test_brackets_without_an_end_are_no_call() -> None:
    calls = TextCalls()
    shown = calls.feed("{" * 9000)
    rest, called = calls.end()
    assert shown + rest == "{" * 9000 and not called


def test_a_call_behind_text_of_the_same_piece_is_taken_whole() -> None:
    calls = TextCalls()
    shown = calls.feed('I look it up. {"name": "search_textbook", "arguments": {"query": "late joiners"}}')
    rest, called = calls.end()
    assert [json.loads(call.arguments) for call in called] == [{"query": "late joiners"}] and "{" not in shown + rest

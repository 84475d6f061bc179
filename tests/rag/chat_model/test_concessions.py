"""A service that refuses a part of a request is asked without it, and answers from the passages all the same."""

from __future__ import annotations

from typing import Any

import pytest

from ingestion.errors import ChatModelError
from rag.chat_model.concessions import refused_part
from tests.support.agents import ask, server, shelf_for
from tests.support.openai_chat import ChatServer, calls, says, sse
from tests.support.openai_server import error

__all__ = ["server"]

QUICK = {"retry-after-ms": "1"}
FACT = "The pump runs for five seconds"


def bodies(server: ChatServer) -> list[dict[str, Any]]:
    return [request.body for request in server.requests]


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("gemma:2b does not support tools", "tools"),
        ("tools param requires --jinja flag", "tools"),
        ("No endpoints found that support tool use", "tools"),
        ("Failed to call a function", "tools"),
        ("Conversation roles must alternate user/assistant/user/assistant/...", "tools"),
        ('"auto" tool choice requires a tool call parser to be set', "tool_choice"),
        ("the reasoner does not support this tool_choice", "tool_choice"),
        ("Extra inputs are not permitted: stream_options", "stream_options"),
        ("Unsupported value: 'temperature' does not support 0.1 with this model", "temperature"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("System role not supported", "system"),
        ("the model crashed", None),
    ],
)
def test_what_services_say_names_the_part_that_they_refuse(said: str, part: str | None) -> None:
    assert refused_part(said, ()) == part
    assert part is None or refused_part(said, {part}) != part


@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_without_tools_the_passages_come_with_the_question(server: ChatServer, status: int) -> None:
    server.script += [error(status, "the model does not support tools", headers=QUICK)] * (3 if status == 500 else 1)
    server.script += [says(f"{FACT}.")]
    response = ask(shelf_for(server))
    assert (response.answer, response.state, response.error) == (f"{FACT} [1].", "completed", None)
    refused, answered = bodies(server)[0], bodies(server)[-1]
    assert "tools" in refused and not {"tools", "tool_choice"} & answered.keys()
    assert [message["role"] for message in answered["messages"]] == ["system", "user"]
    assert FACT in answered["messages"][1]["content"]


def test_a_service_that_sends_nothing_where_tools_are_offered_is_asked_without(server: ChatServer) -> None:
    server.script += [sse(), sse(), says(f"{FACT}.")]
    assert ask(shelf_for(server)).answer == f"{FACT} [1]."
    assert ["tools" in body for body in bodies(server)] == [True, True, False]


def test_one_empty_reply_costs_no_tools(server: ChatServer) -> None:
    server.script += [sse(), calls("pump runs"), says(f"{FACT}.")]
    assert ask(shelf_for(server)).answer == f"{FACT} [1]."
    assert all("tools" in body for body in bodies(server))


@pytest.mark.parametrize(
    ("said", "without"),
    [("unknown field stream_options", "stream_options"), ("temperature is fixed", "temperature"),
     ("this tool_choice is not supported", "tool_choice"), ("use max_completion_tokens", "max_tokens")],
)  # fmt: skip
def test_only_what_is_refused_is_left_out_and_it_stays_so(server: ChatServer, said: str, without: str) -> None:
    server.script += [error(400, said), calls("pump runs"), says(f"{FACT}.")]
    assert ask(shelf_for(server)).answer == f"{FACT} [1]."
    first, *others = bodies(server)
    for body in others:
        assert without in first and without not in body and "tools" in body
        assert ("max_completion_tokens" in body) == (without == "max_tokens")


def test_rules_may_stand_in_the_question(server: ChatServer) -> None:
    server.script += [error(400, "System role not supported"), calls("pump runs"), says(f"{FACT}.")]
    assert ask(shelf_for(server)).answer == f"{FACT} [1]."
    first, *_ = bodies(server)[-1]["messages"]
    assert first["role"] == "user" and first["content"].startswith("You answer") and "How long" in first["content"]


def test_a_service_that_refuses_for_another_reason_is_not_asked_again(server: ChatServer) -> None:
    server.script += [error(400, "the model crashed")]
    with pytest.raises(ChatModelError, match="crashed"):
        ask(shelf_for(server))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "said",
    [
        "request (12031 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "This model's maximum context length is 8192 tokens, and max_tokens is 800",
        "Requested tokens (12010) exceed context window of 8192",
        "the prompt is too long: 8192 tokens at most",
    ],
)
def test_passages_that_are_too_long_are_told_in_the_service_s_words_too(server: ChatServer, said: str) -> None:
    server.script += [error(400, said)] * 4
    with pytest.raises(ChatModelError, match=r"too long for the model; lower AGENT_CONTEXT_TOKENS \(.*8192"):
        ask(shelf_for(server))


def test_without_a_call_a_follow_up_is_searched_with_what_it_is_about(server: ChatServer) -> None:
    from rag.conversations.models import Message

    past = [Message(role="user", content="How long does the pump run ?"), Message(role="assistant", content=FACT)]
    server.script += [says("It does."), says(f"{FACT}.")]
    shelf = shelf_for(server)
    ask(shelf, "And why?", history=past)
    assert "pump" in shelf.queries[-1]

"""The agent with a language model: it searches before it answers, numbers what it cites, refuses where it must."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from rag.agent.agent import build_agent
from rag.agent.events import Searched, Token
from rag.conversations.models import Message
from rag.models import Evidence
from rag.quoting.phrases import DISCLAIMER, REFUSAL
from tests.support.agents import PUMP, RIGHT, WAIT, Shelf, ask, play, server, shelf_for, tool_messages
from tests.support.openai_chat import TOKENS, WRITTEN, ChatServer, calls, in_pieces, passages_in, says, stream
from tests.support.openai_server import Reply, Request

__all__ = ["server"]


def test_an_answer_is_numbered_cited_verified_and_counted(server: ChatServer) -> None:
    server.script += [calls("pump"), RIGHT]
    response = ask(shelf_for(server))
    assert response.answer == "The pump runs for five seconds [1]."
    [citation] = response.citations
    assert (citation.number, citation.chunk_id, citation.source_file, citation.verified) == (
        1,
        "1",
        "docs/a.md",
        True,
    )
    assert (response.state, response.confidence, response.supported, response.error) == (
        "completed",
        "high",
        True,
        None,
    )
    used = response.passages
    assert (used.retrieved, used.shown, used.cited, used.verified) == (("1",), ("1",), ("1",), ("1",))
    assert (response.tokens_used, response.completion_tokens) == (2 * TOKENS, 2 * WRITTEN)
    assert (response.retrieval_count, response.model) == (1, "gpt-4o-mini")
    assert response.total_time_ms == pytest.approx(response.retrieval_time_ms + response.generation_time_ms)


def test_the_first_turn_must_search_and_the_last_cannot(server: ChatServer) -> None:
    server.script += [calls("pump"), calls("wait twenty"), says("Nothing.")]
    ask(shelf_for(server, **{"agent.max_searches": 2}))
    assert [each.body["tool_choice"] for each in server.requests] == ["required", "auto", "none"]
    assert {each.body["tools"][0]["function"]["name"] for each in server.requests} == {"retrieve_documentation"}


def test_a_model_that_answers_without_searching_is_shown_what_the_question_finds(server: ChatServer) -> None:
    server.script += [says("I know it by heart."), RIGHT]
    response = ask(shelf_for(server))
    assert response.answer == "The pump runs for five seconds [1]."
    assert tool_messages(server)[0]["query"] == "How long does the pump run ?"


def test_the_users_system_prompt_and_the_callers_style_stand_below_the_rules(server: ChatServer) -> None:
    server.script += [calls("pump"), RIGHT]
    assert ask(shelf_for(server, **{"agent.system_prompt": "Like a pirate."}), style="In one line.").supported
    rules = server.requests[-1].body["messages"][0]["content"]
    assert rules.index("passage_id") < rules.index("Like a pirate.") < rules.index("In one line.")


def test_the_alias_of_the_tool_is_served(server: ChatServer) -> None:
    server.script += [calls("pump", name="search_textbook"), RIGHT]
    assert ask(shelf_for(server)).supported


def test_an_unanswerable_question_costs_no_call(server: ChatServer) -> None:
    response = ask(shelf_for(server), "Who painted the ceiling?")
    assert (response.answer, response.state, server.requests) == (REFUSAL, "no_results", [])
    assert response.metrics is not None and response.metrics.reason is not None


def test_a_follow_up_is_searched_by_the_model_and_refused_if_that_finds_nothing(server: ChatServer) -> None:
    history = [Message("user", "Who painted the ceiling?"), Message("assistant", REFUSAL)]
    server.script += [calls("painter of the ceiling")]
    response = ask(shelf_for(server), "and when?", history=history)
    assert (response.answer, response.state, len(server.requests)) == (REFUSAL, "no_results", 1)


def test_a_follow_up_finds_by_the_last_question_and_the_model_sees_the_history(server: ChatServer) -> None:
    history = [Message("user", "How long does the pump run ?"), Message("assistant", "Five seconds [1].")]
    server.script += [calls("pump runs"), RIGHT]
    shelf = shelf_for(server)
    assert ask(shelf, "tell me more", history=history).state == "completed"
    assert shelf.queries[0] == "How long does the pump run ?"
    roles = [each["role"] for each in server.requests[0].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_the_models_refusal_is_one(server: ChatServer) -> None:
    server.script += [calls("pump"), says(REFUSAL[:9], REFUSAL[9:])]
    response = ask(shelf_for(server))
    assert (response.answer, response.state, response.citations) == (REFUSAL, "no_results", ())
    assert response.metrics is not None and response.metrics.reason == "not_answered"


def test_an_answer_of_low_confidence_begins_with_a_disclaimer(server: ChatServer) -> None:
    class Unsure(Shelf):
        def search(self, text: str, **options: object) -> object:  # type: ignore[override]
            found = super().search(text, **options)  # type: ignore[arg-type]
            return found.model_copy(update={"evidence": Evidence(best=0.4, gap=0.0, reached=0.5)})

    server.script += [calls("pump"), RIGHT]
    response = ask(Unsure(PUMP, **{"openai.base_url": server.base_url}))
    assert response.metrics is not None and response.metrics.confidence_level == "low"
    assert response.state == "low_confidence" and response.answer.startswith(DISCLAIMER + "The pump")


def test_without_a_model_the_same_events_bring_a_quoted_answer() -> None:
    response = ask(shelf_for(None))
    assert response.is_quoted and response.answer == "The pump runs for five seconds.\n[1]"


def test_results_have_the_shape_of_the_specification(server: ChatServer) -> None:
    server.script += [calls("pump"), RIGHT]
    ask(shelf_for(server))
    [sent] = tool_messages(server)
    assert sent == {
        "results": [
            {
                "passage_id": passages_in(server.requests[-1])[0]["passage_id"],
                "chunk_text": "The pump runs for five seconds.",
                "page_title": "Setup",
                "section_heading": None,
                "source_url": "docs/a.md:5-21",
                "similarity_score": 0.6,
                "rank": 1,
            }
        ],
        "total_results": 1,
        "query": "pump",
    }


def test_what_is_said_before_one_more_search_is_a_paragraph_of_its_own(server: ChatServer) -> None:
    wanted = {"name": "retrieve_documentation", "arguments": '{"query": "wait twenty"}'}
    call = {"tool_calls": [{"index": 0, "id": "id-9", "type": "function", "function": wanted}]}
    server.script += [calls("pump"), stream([{"content": "Let me look again."}, call], "tool_calls"), RIGHT]
    assert ask(shelf_for(server)).answer == "Let me look again.\n\nThe pump runs for five seconds [1]."


@pytest.mark.parametrize("pieces", [1, 2, 3, 5])
def test_a_reference_split_over_pieces_is_numbered_all_the_same(server: ChatServer, pieces: int) -> None:
    def reply(request: object) -> Reply:
        [first, second] = [each["passage_id"] for each in passages_in(request)]  # type: ignore[arg-type]
        text = f"The pump runs for five seconds [{first}, p-000000]. Wait twenty seconds [{second}][{first}]. [9]."
        return says(*(text[at : at + pieces] for at in range(0, len(text), pieces)))

    server.script += [calls("pump wait twenty"), reply]
    response = ask(shelf_for(server))
    # What does not hold the sentence is no source of it; a number is none where the model cites by id.
    assert response.answer == "The pump runs for five seconds [1]. Wait twenty seconds [2]. [9]."
    assert response.passages.dropped == 2


def test_the_answer_comes_piece_by_piece(server: ChatServer) -> None:
    server.script += [
        calls("pump"),
        says("The pump", " runs", " for five", " seconds."),
    ]
    tokens = [event.text for event in play(shelf_for(server), "the pump runs ?") if isinstance(event, Token)]
    assert len(tokens) >= 3 and "".join(tokens) == "The pump runs for five seconds [1]."


def test_closing_the_iterator_ends_the_call_to_the_model(server: ChatServer) -> None:
    closed = threading.Event()

    def endless() -> Iterator[bytes]:
        try:
            while True:
                yield b": still here\n\n"
                threading.Event().wait(0.01)
        finally:
            closed.set()

    def answer(request: Request) -> Reply:
        pieces = endless()
        next(pieces)  # one that never began would tell no end
        return in_pieces(says("The ", "pump ", "runs ", finish=None), pieces)

    server.script += [calls("pump"), answer]

    async def run() -> None:
        agent = build_agent(shelf_for(server))  # type: ignore[arg-type]
        async with aclosing(agent):
            async with aclosing(agent.run("How long does the pump run ?")) as events:
                async for event in events:
                    if isinstance(event, Token):
                        break
            assert await asyncio.to_thread(closed.wait, 5)

    asyncio.run(run())


def test_every_search_is_an_event(server: ChatServer) -> None:
    server.script += [calls("pump", "wait twenty"), RIGHT]
    events = play(shelf_for(server), "the pump runs ?")
    assert [each.query for each in events if isinstance(each, Searched)] == ["the pump runs ?", "pump", "wait twenty"]
    assert WAIT in next(
        each.passages for each in events if isinstance(each, Searched) and each.query == "wait twenty"
    )


def test_a_source_is_cited_by_its_title_on_request(server: ChatServer) -> None:
    server.script += [calls("pump"), RIGHT]
    response = ask(shelf_for(server), cite_style="source")
    assert response.answer == "The pump runs for five seconds [Source: Setup]." and response.supported

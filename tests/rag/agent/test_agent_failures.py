"""What the agent makes of a service that fails and of replies that are empty, refused, cut off or call no tool."""

from __future__ import annotations

import pytest

from ingestion.errors import ChatModelError
from rag.agent.events import Done, Replaced
from rag.agent.tool_loop import MAX_MISTAKES
from rag.conversations.models import Message
from rag.grounding.answer_text import NOT_CHECKED, NOT_CONFIRMED
from rag.quoting.phrases import REFUSAL
from tests.support.agents import RIGHT, ask, play, server, shelf_for
from tests.support.openai_chat import TOKENS, ChatServer, calls, cites, raw_calls, says, sse, stream
from tests.support.openai_server import Reply, error

__all__ = ["server"]

QUICK = {"retry-after-ms": "1"}


def test_a_model_that_never_calls_rightly_is_not_the_failure_of_the_book_which_is_quoted(server: ChatServer) -> None:
    server.script += [raw_calls(("serch", "{}"))] * 10
    response = ask(shelf_for(server))
    assert response.answer == "The pump runs for five seconds.\n[1]"
    assert response.replaced and response.state == "completed"
    assert response.error and "too many invalid search calls" in response.error
    assert len(server.requests) == MAX_MISTAKES + 1


FAILING = pytest.mark.parametrize(
    ("reply", "said"),
    [
        (error(401, "bad key"), "the key was rejected"),
        (error(404, "no", code="model_not_found"), "there is no model 'gpt-4o-mini'"),
        (error(429, "slow down", headers=QUICK), "still rate limited"),
        (error(429, "spent", code="insufficient_quota"), "quota is used up"),
        (error(500, "broken", headers=QUICK), "broken"),
        (error(400, "too long", code="context_length_exceeded"), "AGENT_CONTEXT_TOKENS"),
        (says("half", finish=None), "stopped in the middle"),
        (sse(), "sent no answer; check its log"),
        (Reply(b"data: {not json\n\n", headers={"content-type": "text/event-stream"}), "not a chat completion"),
        (sse({"error": {"message": "overloaded"}}), "overloaded"),
    ],
)


@FAILING
def test_a_failing_service_is_a_chat_model_error(server: ChatServer, reply: Reply, said: str) -> None:
    server.script += [reply] * 4
    with pytest.raises(ChatModelError, match=said):
        ask(shelf_for(server))


@FAILING
def test_where_failures_are_told_the_book_is_quoted_as_without_a_model(
    server: ChatServer, reply: Reply, said: str
) -> None:
    server.script += [reply] * 6
    told: list[str] = []
    response = ask(shelf_for(server), tell_failure=lambda failure: told.append(str(failure)) or "request 7")
    quoted = ask(shelf_for(None))
    assert (response.answer, response.citations, response.model) == (quoted.answer, quoted.citations, quoted.model)
    assert (response.state, response.error, response.replaced) == ("completed", "request 7", False)
    assert len(told) == 1 and said in told[0]


def test_a_model_that_fails_after_its_search_costs_what_it_took(server: ChatServer) -> None:
    server.script += [calls("pump"), error(401, "bad key")]
    response = ask(shelf_for(server), tell_failure=str)
    assert response.answer == "The pump runs for five seconds.\n[1]" and response.tokens_used == TOKENS


def test_half_an_answer_stands_as_far_as_the_book_holds_it(server: ChatServer) -> None:
    half = cites("The pump runs for five seconds {0}. It was built in 1987. Acme and", finish=None)
    server.script += [calls("pump"), half]
    response = ask(shelf_for(server), tell_failure=str)
    held, said = "The pump runs for five seconds [1].", "It was built in 1987."
    assert response.answer == f"{held} {said} {NOT_CONFIRMED}"
    assert response.state == "low_confidence" and not response.supported
    assert (
        response.error
        and response.error.startswith("the answer is incomplete: ")
        and "stopped in the middle" in response.error
    )


def test_half_an_answer_of_which_the_book_holds_nothing_is_replaced(server: ChatServer) -> None:
    server.script += [calls("pump"), says("It was built in 1987 by Acme. It has", finish=None)]
    *events, last = play(shelf_for(server), "How long does the pump run ?", tell_failure=str)
    [replaced] = [event.text for event in events if isinstance(event, Replaced)]
    assert isinstance(last, Done) and last.response.answer == replaced == "The pump runs for five seconds.\n[1]"
    assert last.response.replaced and last.response.error and last.response.is_quoted


def test_a_follow_up_is_quoted_as_without_a_model(server: ChatServer) -> None:
    history = [Message("user", "How long does the pump run?"), Message("assistant", "Five seconds.")]
    server.script += [error(401, "bad key")]
    [*_, answered] = play(shelf_for(server), "Tell me more", history, tell_failure=str)
    [*_, quoted] = play(shelf_for(None), "Tell me more", history)
    assert isinstance(answered, Done) and isinstance(quoted, Done)
    assert answered.response.answer == quoted.response.answer


def test_a_model_that_fails_where_there_is_nothing_to_quote_is_a_failure(server: ChatServer) -> None:
    server.script += [error(401, "bad key")]
    told: list[str] = []
    history = [Message("user", "Who painted the ceiling?"), Message("assistant", "Nobody.")]
    with pytest.raises(ChatModelError, match="the key was rejected"):
        play(shelf_for(server), "And the walls?", history, tell_failure=lambda failure: told.append("") or "")
    assert told == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again(server: ChatServer, status: int) -> None:
    server.script += [error(status, "wait", headers=QUICK), calls("pump"), RIGHT]
    assert ask(shelf_for(server)).state == "completed"


def test_a_stream_that_breaks_in_mid_answer_is_a_chat_model_error(server: ChatServer) -> None:
    whole = says("The pump ", "runs for ").body
    cut = Reply(whole[:-60], headers={"content-type": "text/event-stream", "content-length": str(len(whole))})
    server.script += [calls("pump"), cut]
    with pytest.raises(ChatModelError, match="no connection"):
        ask(shelf_for(server))


def test_a_key_never_shows_in_an_error(server: ChatServer) -> None:
    key = "sk-very-secret-0123456789-0123456789-0123456789"
    server.script += [error(401, f"Incorrect API key provided: {key}")]
    with pytest.raises(ChatModelError) as failed:
        ask(shelf_for(server, **{"openai.api_key": key}))
    assert key not in repr(failed.value) and failed.value.__cause__ is None
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"


def test_where_the_model_gives_no_answer_the_book_is_quoted(server: ChatServer) -> None:
    server.script += [calls("pump"), says("")]
    response = ask(shelf_for(server))
    assert response.answer == "The pump runs for five seconds.\n[1]"
    assert (response.state, response.replaced, response.is_quoted) == ("completed", True, True)


@pytest.mark.parametrize("reply", [stream([{"refusal": "I cannot."}], "stop"), says("The", finish="content_filter")])
def test_a_reply_that_the_service_refuses_is_a_refusal(server: ChatServer, reply: Reply) -> None:
    server.script += [calls("pump"), reply]
    response = ask(shelf_for(server))
    assert response.answer.endswith(REFUSAL) and response.state == "error" and response.citations == ()


def test_an_answer_that_is_cut_off_says_so(server: ChatServer) -> None:
    server.script += [calls("pump"), cites("The pump runs for five seconds {0}. The", finish="length")]
    response = ask(shelf_for(server))
    assert response.state == "low_confidence" and response.error and "cut off" in response.error


HALF = "The pump runs for five seconds {0}. The valve"


@pytest.mark.parametrize("finish", ["length", None])
def test_half_a_sentence_of_an_answer_that_is_cut_off_is_dropped(server: ChatServer, finish: str | None) -> None:
    server.script += [calls("pump"), cites(HALF, finish=finish)]
    events = play(shelf_for(server), "How long does the pump run ?", tell_failure=str)
    done, replaced = events[-1], [event.text for event in events if isinstance(event, Replaced)]
    assert isinstance(done, Done) and done.response.answer == "The pump runs for five seconds [1]."
    assert done.response.error and replaced in ([], [done.response.answer])


@pytest.mark.parametrize("text", ["The pump runs for five seconds {0}.", "The pump runs for five seconds. {0}"])
def test_a_whole_sentence_at_the_end_of_a_cut_off_answer_stays(server: ChatServer, text: str) -> None:
    server.script += [calls("pump"), cites(f"Wait twenty seconds. {text}", finish="length")]
    assert "The pump runs for five seconds" in ask(shelf_for(server)).answer


def test_an_answer_across_languages_is_not_checked_and_says_so_once(server: ChatServer) -> None:
    said = "Die Pumpe läuft für fünf Sekunden und hört dann auf. Danach wartet man zwanzig Sekunden auf die Messung."
    server.script += [calls("pump"), cites(said)]
    response = ask(shelf_for(server))
    assert response.unsupported is None and response.contradicted == () and not response.replaced
    assert response.answer.count(NOT_CHECKED.format("English")) == 1 and response.answer.startswith("Die Pumpe")


def test_what_cannot_be_taken_back_is_not_said_again_for_half_a_sentence() -> None:
    assert Replaced("The pump runs.").behind("The pump runs. The") == ""
    assert Replaced("The book says so.").behind("The pump runs.") == f"{Replaced.preamble}The book says so."

"""The chat page when something is in the way: an answer held up, stopped or failed, a server busy, gone or locked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.rag.api.conftest import Watch, expect
from tests.rag.api.test_page import QUESTION, answered, ask, script
from tests.support.openai_chat import calls, cites, says
from tests.support.openai_server import Reply, error
from tests.support.served_book import ServedBook, key_for, serving
from tests.support.waits import LONGEST


def refuse(page: Any, status: int, headers: dict[str, str] | None = None, **problem: str) -> None:
    """Let the server answer questions with a problem document."""
    sent = {"Content-Type": "application/problem+json", **(headers or {})}
    body = json.dumps({"status": status, "title": "Problem", **problem})
    page.route("**/chat/stream", lambda route: route.fulfill(status=status, headers=sent, body=body))


@pytest.fixture
def go_on() -> Iterator[threading.Event]:
    """What a held model waits for."""
    event = threading.Event()
    yield event
    event.set()


def held(go_on: threading.Event, first: str, second: str) -> Reply:
    """An answer whose second half is not sent until `go_on`; the last word of the first waits with it."""
    events = re.findall(rb".+?\n\n", says(first, second).body, re.S)

    def sent() -> Iterator[bytes]:
        yield from events[:2]
        go_on.wait(LONGEST)
        yield from events[2:]

    return Reply(sent(), headers={"content-type": "text/event-stream"})


def test_escape_stops_an_answer_keeps_what_is_there_and_it_can_be_asked_again(
    chat: Any, served: ServedBook, go_on: threading.Event
) -> None:
    served.model.script.extend([calls(QUESTION), held(go_on, "The default keeps nothing for", " late ones.")])
    ask(chat)
    chat.get_by_text("The default keeps nothing").wait_for()
    expect(chat.locator(".progress")).to_contain_text("passages found", use_inner_text=True)
    expect(chat.get_by_role("button", name="Stop the answer")).to_be_visible()
    chat.keyboard.press("Escape")
    turn = chat.locator(".turn[data-state=stopped]")
    expect(turn).to_contain_text("The default keeps nothing", use_inner_text=True)
    script(served, "All of it {0}.")
    turn.get_by_role("button", name="Ask again").click()
    chat.locator(".turn[data-state=answered]").wait_for()
    expect(chat.locator(".turn")).to_have_count(1)


FIRST = "The publisher keeps the last message and gives it to every subscriber that joins later"


def test_a_selection_in_a_finished_paragraph_survives_the_stream(
    chat: Any, served: ServedBook, go_on: threading.Event
) -> None:
    served.model.script.extend([calls(QUESTION), held(go_on, f"{FIRST}.\n\nSecond, held", " back.")])
    ask(chat)
    chat.get_by_text("Second,").wait_for()
    chat.locator(".prose p").first.evaluate("p => getSelection().selectAllChildren(p)")
    go_on.set()
    chat.locator(".turn[data-state=answered]").wait_for()
    assert chat.evaluate("String(getSelection())").startswith(FIRST)


def test_a_failing_model_is_a_problem_with_its_request_id_and_a_retry(chat: Any, served: ServedBook) -> None:
    refuse(chat, 502, detail="the model is away", request_id="abcdef12")
    ask(chat)
    trouble = chat.get_by_role("alert")
    expect(trouble).to_contain_text("the model is away")
    expect(trouble).to_contain_text("abcdef12")
    chat.unroute("**/chat/stream")
    script(served, "Now it works {0}.")
    trouble.get_by_role("button", name="Try again").click()
    chat.locator(".turn[data-state=answered]").wait_for()
    expect(chat.locator(".turn")).to_have_count(1)


def test_a_model_that_fails_leaves_the_quoted_answer_with_a_note_for_the_owner(chat: Any, served: ServedBook) -> None:
    served.model.script.append(error(401, "no such key"))
    turn = answered(chat)
    expect(turn.locator(".cite")).not_to_have_count(0)
    expect(turn.locator(".trouble")).to_have_count(0)
    expect(turn).to_contain_text(re.compile(r"did not answer, so the book is quoted. \(Request \w{8,}\)"))


def test_half_an_answer_says_that_it_is_incomplete(chat: Any, served: ServedBook) -> None:
    served.model.script.append(calls(QUESTION))
    served.model.script.append(cites("The default keeps nothing for late ones {0}. It", finish=None))
    expect(answered(chat)).to_contain_text("This answer is incomplete")


def test_too_many_requests_are_held_back_by_a_countdown(chat: Any, served: ServedBook) -> None:
    chat.clock.install()
    refuse(chat, 429, {"Retry-After": "12"}, detail="more than 2 requests a minute")
    ask(chat)
    retry = chat.get_by_role("button", name="Try again in")
    retry.wait_for()
    expect(retry).to_be_disabled()
    chat.clock.run_for(12_500)
    expect(chat.get_by_role("button", name="Try again", exact=True)).to_be_enabled()


def test_a_server_that_is_gone_and_a_stream_that_is_cut_are_told_apart(chat: Any) -> None:
    chat.route("**/chat/stream", lambda route: route.abort())
    ask(chat)
    expect(chat.get_by_role("alert")).to_contain_text("cannot be reached", use_inner_text=True)
    cut = 'event: token\ndata: {"text":"Half an ans"}\n\nevent: tok'
    chat.unroute("**/chat/stream")
    chat.route("**/chat/stream", lambda route: route.fulfill(content_type="text/event-stream", body=cut))
    chat.get_by_role("button", name="Try again").click()
    chat.get_by_text("The connection was lost").wait_for()
    expect(chat.locator(".turn").last).to_contain_text("Half an ans", use_inner_text=True)


def test_a_key_is_asked_for_once_and_kept_until_the_tab_is_closed(watch: Watch, served: ServedBook) -> None:
    with key_for(served.folder) as secret, serving(served.folder, served.model) as locked:
        page = watch.open(locked.url)
        dialog = page.get_by_role("dialog", name="This server requires an API key")
        dialog.get_by_label("API key").fill("wrong")
        page.keyboard.press("Enter")
        dialog.get_by_text("does not accept").wait_for()
        dialog.get_by_label("API key").fill(secret)
        page.keyboard.press("Enter")
        page.locator(".example").first.wait_for()
        answered(page)
        assert page.evaluate(
            "[sessionStorage.length, Object.keys(localStorage).some(key => key.includes('key'))]"
        ) == [1, False]
        page.reload()
        page.locator(".turn").wait_for()
        expect(dialog).to_be_hidden()

"""The chat page in a real browser, over a real server, with a scripted language model."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.openai_chat import calls, cites, says
from tests.openai_server import Reply
from tests.rag.api.conftest import Watch
from tests.served_book import ServedBook, key_for, serving

QUESTION = "Why does a subscriber that starts late miss the last message?"
OUTSIDE = "Who won the world cup in 1998?"
ANSWER = (
    "The default keeps **nothing** for late ",
    "subscribers {0}. Choose `transient local` {1}.\n\n",
    "1. One\n2. Two\n",
)


def ask(page: Any, question: str = QUESTION) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def answered(page: Any, question: str = QUESTION) -> Any:
    """The turn of a question, once it has its sources."""
    ask(page, question)
    turn = page.locator(".turn").last
    turn.locator(".sources").wait_for()
    return turn


def script(served: ServedBook, *pieces: str) -> None:
    served.model.script.extend([calls(QUESTION), cites(*pieces)])


def refuse(page: Any, status: int, headers: dict[str, str] | None = None, **problem: str) -> None:
    """Let the server answer questions with a problem document."""
    sent = {"Content-Type": "application/problem+json", **(headers or {})}
    body = json.dumps({"status": status, "title": "Problem", **problem})
    page.route("**/chat/stream", lambda route: route.fulfill(status=status, headers=sent, body=body))


def overflow(page: Any) -> int:
    """By how many pixels the page is wider than the window."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wider


def test_an_answer_streams_as_text_with_its_confidence_and_numbered_sources(chat: Any, served: ServedBook) -> None:
    script(served, *ANSWER)
    turn = answered(chat)
    assert turn.get_by_role("heading", level=2).inner_text() == QUESTION
    assert turn.locator(".prose strong").inner_text() == "nothing"
    assert turn.locator(".prose code").inner_text() == "transient local"
    assert turn.locator(".prose ol > li").all_inner_texts() == ["One", "Two"]
    assert turn.locator(".cite").all_text_contents() == ["[1]", "[2]"]
    assert turn.locator(".confidence").inner_text()
    assert turn.locator(".source").count() == 2


def test_a_citation_opens_its_whole_passage_and_gives_the_focus_back(chat: Any, served: ServedBook) -> None:
    script(served, *ANSWER)
    turn = answered(chat)
    turn.locator(".cite").first.click()
    passage = chat.get_by_role("dialog", name="Quality of service")
    passage.get_by_text("A video stream").first.wait_for()
    assert "Chapter 2" in passage.locator(".passage-place").inner_text()
    assert (
        passage.get_by_role("link", name="Open the lesson").get_attribute("href").startswith("https://example.org/")
    )
    assert "01-quality-of-service.md:" in passage.locator(".fact code").inner_text()
    assert "Similarity" in passage.inner_text()
    passage.get_by_role("button", name="Next source").click()
    assert "Source 2 of 2" in passage.inner_text()
    chat.keyboard.press("Escape")
    assert not passage.is_visible()
    assert turn.locator(".cite").first.evaluate("cite => cite === document.activeElement")


def test_a_long_passage_is_completed_from_its_lesson(chat: Any, served: ServedBook) -> None:
    script(served, "See {0}.")
    turn = answered(chat)
    with chat.expect_response("**/lessons/*"):
        turn.locator(".source").first.click()
    chat.locator(".passage-text code:text('TRANSIENT_LOCAL')").first.wait_for()


def test_what_the_book_does_not_answer_is_said_calmly_and_can_be_asked_of_all_of_it(chat: Any) -> None:
    ask(chat, OUTSIDE)
    refusal = chat.locator(".turn[data-state=refused] .refusal")
    refusal.wait_for()
    assert "tier 1" in refusal.inner_text() and chat.get_by_role("alert").count() == 0
    with chat.expect_request("**/chat/stream") as asked:
        refusal.get_by_role("button", name="Ask all of the book").click()
    assert json.loads(asked.value.post_data)["hardware_tier"] == 2
    chat.locator(".turn[data-state=refused]").nth(1).wait_for()
    assert chat.locator(".turn").last.get_by_role("button").count() == 0


def test_filters_say_what_is_set_hold_for_requests_and_are_remembered(chat: Any) -> None:
    button = chat.get_by_role("button", name="Filters:")
    assert button.inner_text() == "Whole book · tier 1"
    button.click()
    filters = chat.get_by_role("dialog", name="Filters")
    filters.get_by_label("Module").select_option("ros2")
    filters.get_by_label("To chapter").fill("3")
    filters.get_by_label("B1").check()
    chat.keyboard.press("Escape")
    assert filters.count() == 0 and button.evaluate("button => button === document.activeElement")
    assert button.inner_text() == "The Robotic Nervous System · Up to chapter 3 · B1 · tier 1"
    with chat.expect_request("**/chat/stream") as asked:
        answered(chat)
    body = json.loads(asked.value.post_data)
    assert (body["module"], body["chapter_max"], body["proficiency_levels"]) == ("ros2", 3, ["B1"])
    assert "chapter_min" not in body
    chat.reload()
    chat.get_by_role("button", name="Filters: The Robotic Nervous System").click()
    chat.get_by_role("button", name="Reset").click()
    assert button.inner_text() == "Whole book · tier 1"


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
        go_on.wait(10)
        yield from events[2:]

    return Reply(sent(), headers={"content-type": "text/event-stream"})


def test_escape_stops_an_answer_keeps_what_is_there_and_it_can_be_asked_again(
    chat: Any, served: ServedBook, go_on: threading.Event
) -> None:
    served.model.script.extend([calls(QUESTION), held(go_on, "The default keeps nothing for", " late ones.")])
    ask(chat)
    chat.get_by_text("The default keeps nothing").wait_for()
    assert "passages found" in chat.locator(".progress").inner_text()
    assert chat.get_by_role("button", name="Stop the answer").is_visible()
    chat.keyboard.press("Escape")
    turn = chat.locator(".turn[data-state=stopped]")
    assert "The default keeps nothing" in turn.inner_text()
    script(served, "All of it {0}.")
    turn.get_by_role("button", name="Ask again").click()
    chat.locator(".turn[data-state=answered]").wait_for()
    assert chat.locator(".turn").count() == 1


def test_a_selection_in_a_finished_paragraph_survives_the_stream(
    chat: Any, served: ServedBook, go_on: threading.Event
) -> None:
    served.model.script.extend([calls(QUESTION), held(go_on, "First paragraph.\n\nSecond, held", " back.")])
    ask(chat)
    chat.get_by_text("Second,").wait_for()
    chat.locator(".prose p").first.evaluate("p => getSelection().selectAllChildren(p)")
    go_on.set()
    chat.locator(".turn[data-state=answered]").wait_for()
    assert chat.evaluate("String(getSelection())") == "First paragraph."


def test_a_failing_model_is_a_problem_with_its_request_id_and_a_retry(chat: Any, served: ServedBook) -> None:
    refuse(chat, 502, detail="the model is away", request_id="abcdef12")
    ask(chat)
    trouble = chat.get_by_role("alert")
    assert "the model is away" in trouble.text_content() and "abcdef12" in trouble.inner_text()
    chat.unroute("**/chat/stream")
    script(served, "Now it works {0}.")
    trouble.get_by_role("button", name="Try again").click()
    chat.locator(".turn[data-state=answered]").wait_for()
    assert chat.locator(".turn").count() == 1


def test_too_many_requests_are_held_back_by_a_countdown(chat: Any, served: ServedBook) -> None:
    chat.clock.install()
    refuse(chat, 429, {"Retry-After": "12"}, detail="more than 2 requests a minute")
    ask(chat)
    retry = chat.get_by_role("button", name="Try again in")
    retry.wait_for()
    assert retry.is_disabled()
    chat.clock.run_for(12_500)
    assert chat.get_by_role("button", name="Try again", exact=True).is_enabled()


def test_a_server_that_is_gone_and_a_stream_that_is_cut_are_told_apart(chat: Any) -> None:
    chat.route("**/chat/stream", lambda route: route.abort())
    ask(chat)
    assert "cannot be reached" in chat.get_by_role("alert").inner_text()
    cut = 'event: token\ndata: {"text":"Half an ans"}\n\nevent: tok'
    chat.unroute("**/chat/stream")
    chat.route("**/chat/stream", lambda route: route.fulfill(content_type="text/event-stream", body=cut))
    chat.get_by_role("button", name="Try again").click()
    chat.get_by_text("broke off").wait_for()
    assert "Half an ans" in chat.locator(".turn").last.inner_text()


def test_a_conversation_is_listed_resumed_after_a_reload_and_deleted(chat: Any, served: ServedBook) -> None:
    script(served, "Kept {0}.")
    answered(chat, "Which policies does quality of service have?")
    name = "Which policies does quality of service have?"
    threads = chat.get_by_role("navigation", name="Conversations")
    threads.get_by_role("button", name=name, exact=True).wait_for()
    chat.reload()
    chat.locator(".turn .cite").click()
    assert chat.locator("dialog.passage").is_visible()
    script(served, "And more {0}.")
    answered(chat, "What about the depth?")
    assert chat.locator(".turn").count() == 2
    threads.get_by_role("button", name=f"Delete “{name}”").first.click()
    chat.get_by_role("button", name="Cancel").click()
    assert chat.locator(".turn").count() == 2
    threads.get_by_role("button", name=f"Delete “{name}”").first.click()
    chat.get_by_role("button", name="Delete", exact=True).click()
    chat.locator(".welcome").wait_for()
    chat.reload()
    chat.locator(".welcome").wait_for()


def test_back_and_forward_go_through_conversations(chat: Any, served: ServedBook) -> None:
    answered(chat)
    chat.get_by_role("button", name="New conversation").first.click()
    chat.locator(".welcome").wait_for()
    chat.go_back()
    chat.locator(".turn").wait_for()
    chat.go_forward()
    chat.locator(".welcome").wait_for()


def test_a_key_is_asked_for_once_and_kept_until_the_tab_is_closed(watch: Watch, served: ServedBook) -> None:
    with key_for(served.folder) as secret, serving(served.folder, served.model) as locked:
        page = watch.open(locked.url)
        dialog = page.get_by_role("dialog", name="This server asks for a key")
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
        assert not dialog.is_visible()


def test_markup_in_lessons_and_answers_stays_text(chat: Any, served: ServedBook) -> None:
    question = "What does the zorblat valve open?"
    served.model.script.extend([calls(question), cites(
        "<img src=x onerror=alert(1)> <b>bold</b> [go](javascript:alert(1)) [data](data:text/html,x) {0} ",
        "![pixel](https://evil.example/p.png)\n\n| a | b |\n| - | - |\n| <i>x</i> | `|` |",
    )])  # fmt: skip
    turn = answered(chat, question)
    assert "<img src=x onerror=alert(1)> <b>bold</b> go" in turn.inner_text()
    assert turn.locator("img, script, b, i").count() == 0
    assert turn.locator(".prose a").count() == 0
    turn.locator(".cite").first.click()
    passage = chat.locator("dialog.passage")
    passage.get_by_text("<script>document.title = 'owned'</script>").wait_for()
    assert passage.locator("img, script").count() == 0
    assert passage.locator(".prose a").evaluate_all("links => links.map(link => link.href)") == [
        "https://example.org/a_(b)"
    ]
    assert chat.title() == "Physical AI: a short course"
    assert "Nasty <b>markup</b>" in passage.inner_text()


def test_text_from_right_to_left_is_shown_so(chat: Any, served: ServedBook) -> None:
    served.model.script.extend([calls("روبوٹ کیا ہے"), cites("روبوٹ ایک مشین ہے {0}۔\n\nA robot is a machine.")])
    turn = answered(chat, "روبوٹ کیا ہے؟")
    directions = turn.locator(".prose p").evaluate_all("all => all.map(p => getComputedStyle(p).direction)")
    assert directions == ["rtl", "ltr"]
    assert turn.locator(".question").evaluate("each => getComputedStyle(each).direction") == "rtl"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast_in_both_themes(watch: Watch, served: ServedBook, theme: str) -> None:
    page = watch.open(served.url, color_scheme=theme)
    page.locator(".example").first.wait_for()
    answered(page)
    page.locator(".cite").first.click()
    poor = page.evaluate((Path(__file__).parent / "contrast.js").read_text(encoding="utf-8"))
    assert poor == []


def test_the_theme_can_be_chosen_and_stays(watch: Watch, served: ServedBook) -> None:
    page = watch.open(served.url, color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="Theme: system").click()
    page.get_by_role("button", name="Theme: light").click()
    page.get_by_role("button", name="Theme: dark").wait_for()
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    assert page.evaluate(background) == dark


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (375, 740), (320, 256)])
def test_nothing_is_wider_than_the_window(watch: Watch, served: ServedBook, width: int, height: int) -> None:
    page = watch.open(served.url, width=width, height=height)
    page.locator(".example").first.wait_for()
    assert overflow(page) <= 0
    script(
        served,
        "A table {0}:\n\n| "
        + "wide | " * 20
        + "\n| "
        + "--- | " * 20
        + "\n\n```\n"
        + "x" * 300
        + "\n```\n"
        + "y" * 200,
    )
    turn = answered(page)
    assert overflow(page) <= 0
    assert turn.evaluate("turn => turn.scrollWidth - turn.clientWidth") <= 0
    turn.locator(".source").first.click()
    assert overflow(page) <= 0
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Filters:").click()
    assert overflow(page) <= 0


def test_on_a_phone_conversations_are_a_drawer_and_the_passage_is_a_sheet(watch: Watch, served: ServedBook) -> None:
    page = watch.open(served.url, width=375, height=740)
    turn = answered(page)
    assert not page.get_by_role("navigation", name="Conversations").is_visible()
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name="New conversation").last.click()
    page.locator(".welcome").wait_for()
    assert not page.get_by_role("navigation", name="Conversations").is_visible()
    turn = answered(page)
    turn.locator(".cite").first.click()
    assert page.locator("dialog.passage").evaluate("sheet => sheet.matches(':modal')")
    page.keyboard.press("Escape")
    assert turn.locator(".cite").first.evaluate("cite => cite === document.activeElement")


def test_everything_can_be_done_with_the_keyboard(chat: Any, served: ServedBook) -> None:
    chat.evaluate("document.body.tabIndex = -1, document.body.focus()")
    chat.keyboard.press("Tab")
    assert chat.evaluate("document.activeElement.textContent") == "Skip to the question"
    chat.evaluate("document.activeElement.blur()")
    chat.keyboard.press("/")
    script(served, "By key {0}.")
    chat.keyboard.type("Late")
    chat.keyboard.press("Shift+Enter")
    chat.keyboard.type(" subscribers and the last message?")
    assert chat.get_by_label("Your question").input_value() == "Late\n subscribers and the last message?"
    chat.keyboard.press("Enter")
    chat.locator(".cite:enabled").wait_for()
    for _ in range(12):
        chat.keyboard.press("Shift+Tab")
        if chat.evaluate("document.activeElement.className") == "cite":
            break
    chat.keyboard.press("Enter")
    assert chat.evaluate("document.activeElement.id") == "passage-title"
    chat.keyboard.press("Escape")
    assert chat.evaluate("document.activeElement.className") == "cite"


def test_a_screen_reader_hears_whole_answers_not_every_token(chat: Any, served: ServedBook) -> None:
    chat.evaluate(
        "window.said = []; new MutationObserver(all => all.forEach(each => each.addedNodes.forEach("
        "node => said.push(node.textContent)))).observe(document.querySelector('[role=status]'), {childList: true})"
    )
    script(served, *(f"word{number} " for number in range(40)), "{0}")
    answered(chat)
    chat.locator("[role=status] :text('word39')").wait_for(state="attached")
    said = chat.evaluate("said")
    assert len(said) <= 4 and any("passages found" in each for each in said)
    assert any("1 source" in each for each in said)


def test_every_control_has_a_name_and_headings_go_down_by_one(chat: Any, served: ServedBook) -> None:
    script(served, "# Big\n\nText {0}\n\n### Deep")
    answered(chat)
    chat.locator(".cite").first.click()
    chat.get_by_role("button", name="Filters:").click()
    faults = chat.evaluate((Path(__file__).parent / "accessibility.js").read_text(encoding="utf-8"))
    assert faults == []


def test_without_scripts_the_page_says_what_it_needs(watch: Watch, served: ServedBook) -> None:
    page = watch.open(served.url, java_script_enabled=False)
    assert page.locator(".no-script").is_visible() and not page.locator(".page").is_visible()

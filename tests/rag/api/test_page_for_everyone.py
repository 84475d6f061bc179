"""The chat page for everyone: themes, narrow windows, right to left, keyboard, screen readers, without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rag.api.conftest import Watch, expect
from tests.rag.api.test_page import answered, script
from tests.support.openai_chat import calls, cites
from tests.support.served_book import ServedBook


def overflow(page: Any) -> int:
    """By how many pixels the page is wider than the window."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wider


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
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name="New conversation").last.click()
    page.locator(".welcome").wait_for()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    turn = answered(page)
    turn.locator(".cite").first.click()
    assert page.locator("dialog.passage").evaluate("sheet => sheet.matches(':modal')")
    page.keyboard.press("Escape")
    expect(turn.locator(".cite").first).to_be_focused()


def test_everything_can_be_done_with_the_keyboard(chat: Any, served: ServedBook) -> None:
    chat.evaluate("document.body.tabIndex = -1, document.body.focus()")
    chat.keyboard.press("Tab")
    expect(chat.locator(":focus")).to_have_text("Skip to the question")
    chat.evaluate("document.activeElement.blur()")
    chat.keyboard.press("/")
    script(served, "The publisher keeps its last messages for late subscribers {0}.")
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
    expect(chat.locator("#passage-title")).to_be_focused()
    chat.keyboard.press("Escape")
    expect(chat.locator(".cite:focus")).to_have_count(1)


def test_a_screen_reader_hears_whole_answers_not_every_token(chat: Any, served: ServedBook) -> None:
    chat.evaluate(
        "window.said = []; new MutationObserver(all => all.forEach(each => each.addedNodes.forEach("
        "node => said.push(node.textContent)))).observe(document.querySelector('[role=status]'), {childList: true})"
    )
    script(
        served,
        "The publisher keeps the last message and gives it to every subscriber that joins later {0}.",
        *(f" Word{n}" for n in range(40)),
        " {0}",
    )
    answered(chat)
    chat.locator("[role=status] :text('Word39')").wait_for(state="attached")
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
    expect(page.locator(".no-script")).to_be_visible()
    expect(page.locator(".page")).to_be_hidden()

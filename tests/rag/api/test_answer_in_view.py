"""What of an answer is in view when it ends: all of it, or its beginning, in any window and in the widget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rag.api.conftest import Watch
from tests.rag.api.test_page import QUESTION, answered, ask, script
from tests.rag.api.test_widget import answered as answered_in_widget
from tests.rag.api.test_widget import opened, put
from tests.support.openai_chat import calls, cites
from tests.support.openai_server import error
from tests.support.served_book import ServedBook

SHORT = ("The default keeps nothing for late subscribers {0}. ", "Choose `transient local` {1}.")
TALL = tuple(f"Paragraph {number} of what late subscribers miss {{0}}.\n\n" for number in range(40))
SIZES = [(375, 667), (768, 1024), (1280, 800)]

VISIBLE = """scroller => {
  const view = scroller.getBoundingClientRect();
  const text = [...scroller.querySelectorAll('.turn')].at(-1).querySelector('.prose').getBoundingClientRect();
  const seen = Math.min(text.bottom, view.bottom) - Math.max(text.top, view.top);
  return {
    whole: text.top >= view.top && text.bottom <= view.bottom,
    begins: text.top >= view.top && text.top < view.top + view.height / 2,
    fills: text.bottom >= view.bottom, share: seen / text.height,
  };
}"""


def assert_in_view(shown: Any) -> None:
    seen = shown.locator(".scroller").evaluate(VISIBLE)
    assert seen["whole"] or (seen["begins"] and seen["fills"]), seen


@pytest.mark.parametrize("pieces", [SHORT, TALL], ids=["short", "tall"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_when_an_answer_ends_it_is_in_view(
    watch: Watch, served: ServedBook, pieces: tuple[str, ...], width: int, height: int
) -> None:
    page = watch.open(served.url, width=width, height=height)
    page.locator(".example").first.wait_for()
    for _ in range(2):
        script(served, *pieces)
        answered(page)
        assert_in_view(page)


@pytest.mark.parametrize("pieces", [SHORT, TALL], ids=["short", "tall"])
@pytest.mark.parametrize(("width", "height"), [(375, 667), (1280, 800)])
def test_in_the_widget_too(
    watch: Watch, served: ServedBook, site: tuple[Path, str], pieces: tuple[str, ...], width: int, height: int
) -> None:
    panel = opened(watch.open(put(site, served), width=width, height=height))
    served.model.script.extend([calls(QUESTION), cites(*pieces)])
    answered_in_widget(panel)
    panel.locator(".is-stop").wait_for(state="detached")
    assert_in_view(panel)


def test_a_quoted_answer_is_in_view(watch: Watch, served: ServedBook) -> None:
    served.model.script.append(error(401, "no such key"))
    page = watch.open(served.url, width=375, height=667)
    page.locator(".example").first.wait_for()
    answered(page)
    assert_in_view(page)


def test_a_conversation_that_is_opened_again_shows_its_last_answer(chat: Any, served: ServedBook) -> None:
    for _ in range(2):
        script(served, *SHORT)
        answered(chat)
    chat.reload()
    chat.locator(".turn .sources").last.wait_for()
    assert_in_view(chat)


def test_the_view_of_a_reader_who_scrolls_is_left_alone_until_they_ask_for_the_end(
    chat: Any, served: ServedBook
) -> None:
    for _ in range(2):
        script(served, *TALL)
        answered(chat)
    scroller = chat.locator(".scroller")
    scroller.evaluate("scroller => scroller.scrollTo(0, 40)")
    chat.set_viewport_size({"width": 1280, "height": 760})
    assert scroller.evaluate("scroller => scroller.scrollTop") == 40
    chat.get_by_role("button", name="Jump to the latest").click()
    notes = chat.locator(".turn").last.locator(".notes")
    assert notes.evaluate("notes => notes.getBoundingClientRect().bottom") < 760


def test_a_question_goes_to_the_top_at_once(chat: Any, served: ServedBook) -> None:
    script(served, *TALL)
    answered(chat)
    served.model.script.extend([calls(QUESTION), cites(*SHORT)])
    ask(chat)
    question = chat.locator(".turn").nth(1).locator(".question")
    question.wait_for()
    top = (
        "question => question.getBoundingClientRect().top - question.closest('.scroller').getBoundingClientRect().top"
    )
    assert 0 <= question.evaluate(top) < 60

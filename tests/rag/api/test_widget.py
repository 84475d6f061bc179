"""The widget on a lesson of the sample book that another site serves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.rag.api.conftest import Watch, expect
from tests.support.openai_chat import calls, cites
from tests.support.served_book import ServedBook

QUESTION = "Why does a subscriber that starts late miss the last message?"
LESSON = "physical-ai/module-1-ros2/chapter-2-robot-systems/quality-of-service.html"
HOSTILE = "* { font: 40px cursive !important; letter-spacing: 9px; color: red } button { display: none !important }"
PAGE = """<!doctype html>
<html lang="en" data-theme="{theme}">
<head>
  <meta charset="utf-8">
  <title>Quality of service</title>
  <link rel="icon" href="data:,">
  <style>{style}</style>
  <script src="{server}/widget.js" data-book="physical-ai-robotics" defer></script>
</head>
<body><div id="__docusaurus"><h1>Quality of service</h1><p>A video stream and an emergency message.</p></div></body>
</html>"""


@pytest.fixture
def lesson(site: tuple[Path, str], served: ServedBook) -> str:
    """The address of a lesson that carries the widget."""
    return put(site, served)


def put(site: tuple[Path, str], served: ServedBook, *, theme: str = "light", style: str = "") -> str:
    folder, address = site
    file = folder / LESSON
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(PAGE.format(server=served.url, theme=theme, style=style), encoding="utf-8")
    return f"{address}/{LESSON}"


def opened(page: Any) -> Any:
    page.get_by_role("button", name="Ask the book").click()
    panel = page.get_by_role("dialog", name="Ask the book")
    panel.locator(".example").first.wait_for()
    return panel


def answered(panel: Any, question: str = QUESTION) -> Any:
    panel.get_by_label("Your question").fill(question)
    panel.page.keyboard.press("Enter")
    panel.locator(".turn .sources").last.wait_for()
    panel.locator(".is-stop").wait_for(state="detached")
    return panel.locator(".turn").last


def test_conversations_of_this_browser_are_listed_and_gone_back_to(
    watch: Watch, served: ServedBook, lesson: str
) -> None:
    page = watch.open(lesson)
    panel = opened(page)
    first = "What is a deadline?"
    answered(panel, first)
    panel.get_by_role("button", name="New conversation").click()
    panel.get_by_role("button", name="Conversations").click()
    panel.get_by_role("button", name=first, exact=True).click()
    expect(panel.locator(".question")).to_have_text([first], use_inner_text=True)
    panel.get_by_role("button", name="Conversations").click()
    panel.get_by_role("button", name=f"Delete “{first}”").click()
    panel.get_by_role("button", name="Delete", exact=True).click()
    panel.get_by_text("Your conversations will appear here.").wait_for()


def test_closed_it_costs_one_small_script(watch: Watch, served: ServedBook, lesson: str) -> None:
    page = watch.open(lesson)
    page.get_by_role("button", name="Ask the book").wait_for()
    loaded = page.evaluate("performance.getEntriesByType('resource').map(each => new URL(each.name).pathname)")
    assert [path for path in loaded if path != "/favicon.ico"] == ["/widget.js"]
    assert (
        page.evaluate("fetch(document.scripts[0].src).then(reply => reply.text()).then(text => text.length)") < 8500
    )


def test_a_card_leads_to_its_place_in_the_lesson_and_still_shows_its_passage(
    watch: Watch, served: ServedBook, lesson: str
) -> None:
    page = watch.open(lesson)
    panel = opened(page)
    served.model.script.extend([calls(QUESTION), cites("Choose **transient local** {0}.")])
    card = answered(panel).locator("a.source")
    expect(card).to_have_attribute("href", re.compile("^https://example.org/physical-ai/"))
    # The book's address is another site than this one.
    expect(card).to_have_attribute("target", "_blank")
    panel.get_by_role("button", name="Show the passage of source 1").click()
    expect(panel.get_by_role("dialog", name="Quality of service")).to_be_visible()


def test_on_the_site_of_the_book_a_link_stays_in_the_tab(watch: Watch, served: ServedBook, lesson: str) -> None:
    page = watch.open(lesson)
    made = page.evaluate(
        """async ([server, same]) => {
          const { lessonLink } = await import(`${server}/static/chat/sources.js`);
          return [lessonLink(same), lessonLink("https://example.org/x")];
        }""",
        [served.url, f"{lesson}#lines"],
    )
    assert made == [
        {"href": f"{lesson}#lines"},
        {"href": "https://example.org/x", "target": "_blank", "rel": "noopener"},
    ]


def test_the_site_opens_and_closes_it_by_its_own_buttons_and_a_shortcut(
    watch: Watch, site: tuple[Path, str], served: ServedBook
) -> None:
    file = site[0] / LESSON
    address = put(site, served)
    taste = 'data-shortcut="ctrl+k" data-corner="left" data-colour="#ffcc00" defer'
    text = file.read_text(encoding="utf-8").replace("defer", taste)
    file.write_text(text.replace("</h1>", "</h1><button data-bookwise-open>Help</button>"), encoding="utf-8")
    page = watch.open(address)
    launch = page.get_by_role("button", name="Ask the book")
    style = launch.evaluate("each => [getComputedStyle(each).backgroundColor, getComputedStyle(each).color]")
    assert style == ["rgb(255, 204, 0)", "rgb(0, 0, 0)"] and launch.bounding_box()["x"] < 40
    panel = page.get_by_role("dialog", name="Ask the book")
    page.get_by_role("button", name="Help").click()
    panel.wait_for()
    assert panel.bounding_box()["x"] < 40
    page.keyboard.press("Control+k")
    panel.wait_for(state="hidden")
    page.evaluate("bookwise.toggle()")
    panel.wait_for()
    page.evaluate("bookwise.close()")
    panel.wait_for(state="hidden")


def test_it_answers_and_a_citation_leads_to_the_site_s_page(watch: Watch, served: ServedBook, lesson: str) -> None:
    page = watch.open(lesson)
    panel = opened(page)
    served.model.script.extend([calls(QUESTION), cites("Choose **transient local** {0}.")])
    turn = answered(panel)
    turn.locator(".cite").click()
    passage = panel.get_by_role("dialog", name="Quality of service")
    expect(passage.get_by_role("link").first).to_have_attribute(
        "href", re.compile("^https://example.org/physical-ai/")
    )
    page.keyboard.press("Escape")
    expect(passage).to_be_hidden()
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator("bookwise-chat .launch")).to_be_focused()


def test_a_reader_may_ask_the_page_they_are_on_alone(watch: Watch, served: ServedBook, lesson: str) -> None:
    panel = opened(watch.open(lesson))
    panel.get_by_role("button", name="Filters:").click()
    panel.get_by_label("This page: Quality of service").check()
    panel.page.keyboard.press("Escape")
    expect(panel.get_by_role("button", name="Filters: Quality of service")).to_be_visible()
    turn = answered(panel, "Which policies are there, and what about deadlines?")
    titles = set(turn.locator(".source-title").all_text_contents())
    assert {title.partition(": ")[2] for title in titles} == {"Quality of service"}


def test_the_conversation_and_the_open_panel_go_along_to_the_next_page(
    watch: Watch, served: ServedBook, lesson: str
) -> None:
    page = watch.open(lesson)
    answered(opened(page))
    page.evaluate(
        "history.pushState(null, '', '/next'); document.querySelector('#__docusaurus').replaceChildren('Next')"
    )
    expect(page.locator(".turn")).to_have_count(1)
    page.goto(lesson)
    page.locator(".turn .cite:enabled").first.wait_for()
    page.get_by_role("button", name="Close the chat").click()
    page.reload()
    page.get_by_role("button", name="Ask the book").wait_for()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_it_follows_the_theme_of_the_site(watch: Watch, site: tuple[Path, str], served: ServedBook) -> None:
    page = watch.open(put(site, served, theme="dark"))
    panel = opened(page)
    background = "panel => getComputedStyle(panel).backgroundColor"
    dark = panel.evaluate(background)
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    # The site's change reaches the widget by an observer, a moment later.
    page.wait_for_function(
        "([panel, dark]) => getComputedStyle(panel).backgroundColor !== dark", arg=[panel.element_handle(), dark]
    )


@pytest.mark.parametrize("root_size", ["16px", "10px"])
def test_the_site_s_styles_and_its_own_do_not_mix(
    watch: Watch, site: tuple[Path, str], served: ServedBook, root_size: str
) -> None:
    style = f"{HOSTILE} html {{ font-size: {root_size} !important }}"
    page = watch.open(put(site, served, style=style))
    before = page.locator("h1").evaluate("each => getComputedStyle(each).fontSize")
    panel = opened(page)
    words = panel.locator(".welcome-words")
    assert words.evaluate("each => getComputedStyle(each).letterSpacing") == "normal"
    assert words.bounding_box()["height"] > 40
    assert 300 < panel.bounding_box()["width"] < 460
    assert page.locator("h1").evaluate("each => getComputedStyle(each).fontSize") == before


@pytest.mark.parametrize("width", [1280, 375, 320])
def test_nothing_is_wider_than_the_window(watch: Watch, served: ServedBook, lesson: str, width: int) -> None:
    page = watch.open(lesson, width=width, height=700)
    panel = opened(page)
    answered(panel)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    box = panel.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] >= 0


def test_a_site_that_may_not_ask_is_told_so(watch: Watch, served: ServedBook, site: tuple[Path, str]) -> None:
    page = watch.open(put(site, served).replace("127.0.0.1", "localhost"))
    page.get_by_role("button", name="Ask the book").click()
    page.get_by_role("button", name="could not be loaded").wait_for()
    assert any("api.origins" in each for each in watch.complaints)
    watch.complaints.clear()
    watch.hosts = {each.replace("localhost", "127.0.0.1") for each in watch.hosts}


def test_a_site_asks_for_its_reader_and_hears_what_happens(watch: Watch, served: ServedBook, lesson: str) -> None:
    page = watch.open(lesson)
    page.evaluate(
        """() => { window.heard = []; for (const name of ["opened", "asked", "rated"])
        document.addEventListener(`bookwise:${name}`, (event) => window.heard.push([name, event.detail])) }"""
    )
    served.model.script.extend([calls(QUESTION), cites("Nothing is kept {0}.")])
    page.evaluate("question => bookwise.open(question)", QUESTION)
    panel = page.get_by_role("dialog", name="Ask the book")
    panel.locator(".turn .sources").wait_for()
    panel.get_by_role("button", name="Good answer").click()
    panel.get_by_role("button", name="Good answer", pressed=True).wait_for()
    assert page.evaluate("window.heard") == [
        ["opened", {}],
        ["asked", {"question": QUESTION}],
        ["rated", {"rating": "up"}],
    ]

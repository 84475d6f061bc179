"""Search while one types, in a real browser: on the page, in the widget, by keyboard."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.rag.api.conftest import Watch, expect
from tests.rag.api.test_page import OUTSIDE
from tests.support.served_book import ServedBook


def typed(page: Any, text: str) -> Any:
    page.locator(".search-box").fill(text)
    found = page.locator(".search-found [role=option]")
    found.nth(1).wait_for()
    return found


def test_two_letters_find_passages_by_words_alone(chat: Any, served: ServedBook) -> None:
    before = len(served.model.requests)
    chat.keyboard.press("Control+k")
    with chat.expect_request("**/search") as asked:
        found = typed(chat, "qo")
    assert json.loads(asked.value.post_data)["ranking"] == "keyword" and len(served.model.requests) == before
    expect(found.nth(1)).to_contain_text("Quality of service", use_inner_text=True)
    expect(chat.locator(".search-excerpt mark").first).to_have_text(re.compile("^qo", re.IGNORECASE))


def test_enter_asks_what_is_written(chat: Any) -> None:
    chat.get_by_role("button", name="Search the book").click()
    chat.keyboard.type(OUTSIDE)
    chat.keyboard.press("Enter")
    expect(chat.locator(".turn .question")).to_have_text(OUTSIDE, use_inner_text=True)
    expect(chat.locator(".search")).to_be_hidden()


def test_arrows_choose_a_passage_that_enter_opens(chat: Any) -> None:
    chat.keyboard.press("Control+k")
    typed(chat, "deadline")
    box = chat.get_by_role("combobox")
    expect(box).to_have_attribute("aria-activedescendant", "search-0")
    chat.keyboard.press("ArrowDown")
    active = chat.locator(f"#{box.get_attribute('aria-activedescendant')}")
    expect(active).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-expanded", "true")
    chat.keyboard.press("Enter")
    chat.get_by_role("dialog", name="Quality of service").wait_for()
    expect(chat.locator(".turn")).to_have_count(0)


def test_escape_leaves_the_search_and_nothing_is_asked(chat: Any, served: ServedBook) -> None:
    chat.keyboard.press("Control+k")
    typed(chat, "robot")
    chat.keyboard.press("Escape")
    expect(chat.locator(".search")).to_be_hidden()
    expect(chat.locator(".turn")).to_have_count(0)


def test_the_widget_searches_in_the_middle_of_the_site_and_leads_to_its_pages(
    watch: Watch, served: ServedBook, site: tuple[Path, str]
) -> None:
    folder, address = site
    script = f'<script src="{served.url}/widget.js" data-search="ctrl+k"></script>'
    (folder / "searched.html").write_text(f"<!doctype html><title>Site</title>{script}", encoding="utf-8")
    page = watch.open(f"{address}/searched.html")
    page.keyboard.press("Control+k")
    found = typed(page, "deadl")
    expect(page.locator("bookwise-chat .panel")).to_be_hidden()
    page.route("https://example.org/**", lambda route: route.fulfill(body="the lesson"))
    with page.expect_navigation(url="https://example.org/**"):
        found.nth(1).click()
    watch.hosts.discard("example.org")

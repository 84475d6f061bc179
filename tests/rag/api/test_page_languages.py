"""The page and the widget in other languages, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rag.api.http.languages import words_of
from tests.rag.api.conftest import Watch, expect
from tests.rag.api.test_page import OUTSIDE, QUESTION, answered, script
from tests.rag.api.test_page_for_everyone import overflow
from tests.rag.api.test_widget import LESSON, put
from tests.support.served_book import ServedBook

UNMARKED = """() => {
  const found = [];
  const book = '.prose, [role=status], [dir=auto], bdi, code, .skip, noscript, script, style, select, .segment';
  const isBook = (node) => node.parentElement.closest(book);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data;
    if (/\\p{L}/u.test(text) && !text.includes('§') && !isBook(walker.currentNode)) found.push(text);
  }
  for (const each of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
    if (each.closest('.masthead, #threads, main.chat') === each) continue;
    for (const name of ['aria-label', 'title', 'placeholder']) {
      const text = each.getAttribute(name);
      const isNamed = each.matches('.thread-open, .follow-ups .example') || each.closest('.masthead');
      if (text && /\\p{L}/u.test(text) && !text.includes('§') && !isNamed) found.push(`${name}: ${text}`);
    }
  }
  return found;
}"""
"""Texts that neither come from the words nor belong to the book or the reader. What is said to screen readers repeats
an answer, a while after it is shown."""


def marked_words() -> str:
    """The English words with a mark before each, by which they are known on the page."""
    words = {
        key: {form: "§" + text for form, text in value.items()} if isinstance(value, dict) else f"§{value}"
        for key, value in words_of("en").items()
    }
    return json.dumps(words)


def test_everything_that_the_page_says_comes_from_the_words(watch: Watch, served: ServedBook) -> None:
    page = watch.open("about:blank")
    page.route("**/words/en.json", lambda route: route.fulfill(body=marked_words(), content_type="application/json"))
    page.goto(served.url)
    page.locator(".example").first.wait_for()
    unmarked = page.evaluate(UNMARKED)
    page.locator("#question").fill(OUTSIDE)
    page.keyboard.press("Enter")
    page.locator(".refusal").wait_for()
    unmarked += page.evaluate(UNMARKED)
    page.locator(".fresh-thread").click()
    script(served, "Text {0}.\n\n- [ ] task\n\n```python\nx = 1\n```\n\n| a |\n| - |\n| b |\n")
    answered(page)
    page.locator(".filter-button").click()
    unmarked += page.evaluate(UNMARKED)
    page.keyboard.press("Escape")
    page.locator(".cite").first.click()
    page.locator(".facts").wait_for()
    unmarked += page.evaluate(UNMARKED)
    page.keyboard.press("Escape")
    page.route("**/chat/stream", lambda route: route.fulfill(status=503, body="{}", headers={"Retry-After": "9"}))
    page.locator("#question").fill("Once more")
    page.keyboard.press("Enter")
    page.locator(".trouble").wait_for()
    page.locator(".thread button.small").first.click()
    unmarked += page.evaluate(UNMARKED)
    left = [text for text in unmarked if text not in ("python", "B1", "B2", "A2", "C1")]
    assert left == [], left


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("language", ["ur", "de", "ar"])
def test_the_page_speaks_the_reader_s_language_in_its_direction(
    watch: Watch, served: ServedBook, language: str, width: int
) -> None:
    page = watch.open(served.url, width=width, height=740, locale=language)
    page.locator(".example").first.wait_for()
    words = words_of(language)
    expect(page.locator(".welcome-title")).to_have_text(words["welcome_title"], use_inner_text=True)
    assert page.evaluate("getComputedStyle(document.body).direction") == ("ltr" if language == "de" else "rtl")
    box = page.locator("#question")
    assert box.evaluate("each => getComputedStyle(each).direction") == ("ltr" if language == "de" else "rtl")
    script(served, "The default keeps nothing {0}.")
    page.get_by_label(str(words["your_question"])).fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=str(words["sources"])).wait_for()
    assert overflow(page) <= 0
    for place in page.locator(".places li").all():
        assert place.evaluate("each => getComputedStyle(each).direction") == ("ltr" if language == "de" else "rtl")
    page.locator(".cite").first.click()
    page.get_by_role("link", name=str(words["open_lesson"])).wait_for()
    assert overflow(page) <= 0


def test_the_address_chooses_the_language_and_forms_of_numbers_are_right(watch: Watch, served: ServedBook) -> None:
    page = watch.open(f"{served.url}?lang=ar")
    page.locator(".example").first.wait_for()
    said = page.evaluate(
        "import('/static/language.js').then(({ say, speak }) => speak(document.documentElement.lang).then(() => "
        "[0, 1, 2, 5, 11, 100].map((count) => say('source_count', { count }))))"
    )
    forms: Any = words_of("ar")["source_count"]
    chosen = zip(("zero", "one", "two", "few", "many", "other"), (0, 1, 2, 5, 11, 100), strict=True)
    assert said == [forms[form].replace("{count}", str(count)) for form, count in chosen]


@pytest.mark.parametrize(
    ("attribute", "locale", "language"),
    [("", "ur-PK", "ur"), ('data-lang="de"', "ur-PK", "de"), ('data-lang="page"', "ur-PK", "en"), ("", "fr", "en")],
)
def test_the_widget_speaks_the_reader_s_language_unless_the_site_sets_one(
    watch: Watch, site: tuple[Path, str], served: ServedBook, attribute: str, locale: str, language: str
) -> None:
    address = put(site, served)
    file = site[0] / LESSON
    file.write_text(file.read_text(encoding="utf-8").replace("defer", f"{attribute} defer"), encoding="utf-8")
    page = watch.open(address, locale=locale)
    words = words_of(language)
    page.get_by_role("button", name=str(words["ask_the_book"])).click()
    panel = page.get_by_role("dialog", name=str(words["ask_the_book"]))
    panel.get_by_text(str(words["welcome_title"])).wait_for()
    assert panel.evaluate("each => getComputedStyle(each).direction") == ("rtl" if language == "ur" else "ltr")


@pytest.mark.parametrize(("language", "found", "column"), [("en", "group", "Asked"), ("ur", "گروہ", "پوچھا گیا")])
def test_the_owner_sees_the_questions_in_a_language_of_the_page(
    watch: Watch, served: ServedBook, language: str, found: str, column: str
) -> None:
    page = watch.open(f"{served.url}/owner?lang={language}")
    page.locator("#usage table, #usage .note").first.wait_for()
    page.request.post(f"{served.url}/chat/run", data={"message": "Which owner asks about the zorblat valve?"})
    page.locator("select[name=kind]").select_option("unanswered")
    page.locator("select[name=kind]").select_option("all")
    page.get_by_text("Which owner asks about the zorblat valve?").first.wait_for()
    expect(page.get_by_role("columnheader", name=column)).to_have_count(1)
    expect(page.locator(".owner-said")).to_contain_text(found, use_inner_text=True)
    expect(page.locator("html")).to_have_attribute("dir", ("rtl" if language == "ur" else "ltr"))

"""axe finds nothing on the chat page, the owner's page and the widget: light and dark, and from right to left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rag.api.conftest import Watch
from tests.rag.api.test_page import script
from tests.rag.api.test_widget import answered as answered_in
from tests.rag.api.test_widget import opened, put
from tests.support.served_book import ServedBook

pytestmark = pytest.mark.slow
ANSWER = (
    "With `TRANSIENT_LOCAL` the publisher keeps its last messages for late subscribers {0}.\n\n",
    "```python\n# late\nreturn 'kept' + 1\n```\n\n- [x] kept\n\n",
    "| a | b |\n| - | - |\n| 1 | $x^2$ |\n\n1. One\n2. Two\n",
)
LANGUAGES = ("en", "ur", "ar", "zh")


def violations(page: Any) -> list[str]:
    """What axe complains about, with the element of each complaint."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    found = axe.Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chat_page_with_an_answer_and_its_passage(
    watch: Watch, served: ServedBook, scheme: str, language: str
) -> None:
    page = watch.open(f"{served.url}/?lang={language}", color_scheme=scheme)
    page.locator(".example").first.wait_for()
    assert violations(page) == []
    script(served, *ANSWER)
    page.locator("textarea").fill("Why does a subscriber that starts late miss the last message?")
    page.keyboard.press("Enter")
    page.locator(".turn .code-keyword").first.wait_for()
    assert violations(page) == []
    page.locator(".cite").first.click()
    page.locator("dialog.passage code[data-rendered]").first.wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_widget_with_an_answer(watch: Watch, served: ServedBook, site: tuple[Path, str], scheme: str) -> None:
    page = watch.open(put(site, served, theme=scheme), color_scheme=scheme)
    panel = opened(page)
    script(served, *ANSWER)
    answered_in(panel).locator(".code-keyword").first.wait_for()
    own = [each for each in violations(page) if "<html" not in each and "__docusaurus" not in each]
    assert own == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_owners_page(watch: Watch, served: ServedBook, scheme: str, language: str) -> None:
    page = watch.open(f"{served.url}/owner?lang={language}", color_scheme=scheme)
    page.locator("#usage table, #usage .note").first.wait_for()
    assert violations(page) == []

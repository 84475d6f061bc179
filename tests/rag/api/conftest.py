"""A scripted language model; one server over a few lessons for all tests in a browser, and a watch on every page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.openai_chat import ChatServer
from tests.support.served_book import ServedBook, run, serving, serving_files, write_sample

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
EXPECTED = "Failed to load resource"
"""What the browser itself says of a reply that tests ask for, such as 401."""


WAIT = 60_000
"""Milliseconds that a test waits at most for what a page is to show: only a failing test waits so long."""


def expect(what: Any) -> Any:
    """Assert what a page comes to show, not what it shows at this moment, which another machine reaches later."""
    from playwright.sync_api import expect as expected

    expected.set_options(timeout=WAIT)
    return expected(what)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder of another site, and its address."""
    folder = tmp_path_factory.mktemp("site")
    with serving_files(folder) as address:
        yield folder, address


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, site: tuple[Path, str]) -> Iterator[ServedBook]:
    """The server, which the other site may ask."""
    folder = tmp_path_factory.mktemp("book")
    write_sample(folder)
    run(folder, "ingest")
    with ChatServer() as model, serving(folder, model, BOOKWISE_API_ORIGINS=site[1]) as book:
        yield book


@pytest.fixture
def model() -> Iterator[ChatServer]:
    """A language model that says what a test scripts."""
    with ChatServer() as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; what needs it is skipped where it, or playwright, is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


class Watch:
    """Pages whose consoles and requests are held to be clean when the test ends."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._contexts: list[Any] = []
        self.complaints: list[str] = []
        self.hosts: set[str] = set()

    def open(self, url: str, *, width: int = 1280, height: int = 800, **options: Any) -> Any:
        """A page of a reader who was never here."""
        viewport = {"width": width, "height": height}
        context = self._browser.new_context(viewport=viewport, reduced_motion="reduce", **options)
        context.set_default_timeout(WAIT)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self._heard(said))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.goto(url)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _heard(self, said: Any) -> None:
        if said.type in ("error", "warning") and not said.text.startswith(EXPECTED):
            self.complaints.append(said.text)


@pytest.fixture
def watch(browser: Any, served: ServedBook) -> Iterator[Watch]:
    served.model.script.clear()
    watch = Watch(browser)
    yield watch
    watch.close()
    assert watch.complaints == []
    assert all(host.startswith("127.0.0.1:") for host in watch.hosts)


@pytest.fixture
def chat(watch: Watch, served: ServedBook) -> Any:
    """The chat page at 1280 px, ready."""
    page = watch.open(served.url)
    page.locator(".example").first.wait_for()
    return page

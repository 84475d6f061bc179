"""Take the pictures of the chat page and the widget, over the sample book and without a language model.

    python -m scripts.page_pictures

Needs Chromium, at /usr/bin/chromium or where BOOKWISE_CHROMIUM says.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from scripts.docs.console import run_command, sample_folder

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
CHROMIUM = os.environ.get("BOOKWISE_CHROMIUM", "/usr/bin/chromium")
SIZE = {"width": 1280, "height": 800}
BEFORE = ("How do nodes find each other?", "What does a launch file do?", "Which sensors can Gazebo simulate?")
QUESTION = "Why does a subscriber that starts late miss the last message?"
TO_THE_TOP = "turn => { turn.closest('.scroller').scrollTop = 0 }"
LESSON = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Quality of service</title>
<body style="font: 17px/1.6 system-ui; margin: 3rem 4rem; max-width: 40rem"><h1>Quality of service</h1>
<p>A video stream and an emergency message have different needs. If one video frame is lost, nobody minds, and the
next one is already on its way. If a map is sent only once, it must arrive.</p>
<script src="{server}/widget.js" data-book="physical-ai-robotics" defer></script></body></html>"""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the book of a folder; yields the address."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "BOOKWISE_EMBEDDER": "local"}
    environment |= {"BOOKWISE_API_ORIGINS": "null", "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    command = [sys.executable, "-c", "from bookwise.command_line import app; app()", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            address = re.search(r"http://\S+", process.stderr.readline())
            assert address
            yield address[0]
        finally:
            process.terminate()


def picture_page(browser: Any, address: str) -> None:
    """Take the chat page with an answer and a passage beside it."""
    page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
    page.goto(address)
    for question in (*BEFORE, QUESTION):
        page.get_by_role("button", name="New conversation").first.click()
        _ask(page, question)
    page.locator(".source").first.click()
    page.locator("dialog.passage .is-cited, dialog.passage code[data-rendered]").first.wait_for()
    page.locator(".turn").last.evaluate(TO_THE_TOP)
    page.screenshot(path=IMAGES / "chat-page.png")


def picture_widget(browser: Any, address: str, folder: Path) -> None:
    """Take the widget on a lesson of a site."""
    lesson = folder / "lesson.html"
    lesson.write_text(LESSON.format(server=address), encoding="utf-8")
    page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
    page.goto(lesson.as_uri())
    page.get_by_role("button", name="Ask the book").click()
    _ask(page, QUESTION)
    page.screenshot(path=IMAGES / "widget.png")


def _ask(page: Any, question: str) -> None:
    page.locator(".example").first.wait_for()
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.locator(".turn .sources").wait_for()
    page.wait_for_load_state("networkidle")
    page.locator(".turn").last.evaluate(TO_THE_TOP)


def main() -> None:
    """Serve the sample book and take both pictures."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = sample_folder("sample", ROOT, Path(place))
        run_command("bookwise ingest", folder, ROOT)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with serving(folder) as address:
            picture_page(browser, address)
            picture_widget(browser, address, folder)
        browser.close()


if __name__ == "__main__":
    main()

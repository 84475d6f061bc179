"""Diagrams of a passage are drawn in a frame that reaches nothing; what cannot be drawn stays code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag.api.routes.diagrams import has_diagrams
from tests.rag.api.conftest import Watch, expect
from tests.support.chat_api import book, indexed, serving
from tests.support.served_book import ServedBook

__all__ = ["book", "indexed"]

SHOW = """async (text) => {
    const { showProse } = await import("./static/markdown/prose.js");
    const { showDiagrams } = await import("./static/chat/diagrams.js");
    const place = document.createElement("div");
    document.querySelector("main, body").prepend(place);
    showProse(place, text);
    showDiagrams(place, "");
}"""
DIAGRAM = "```mermaid\nflowchart LR\n  zorb[Publisher] --> b[Subscriber]\n```\n"
HOSTILE = """```mermaid
flowchart LR
  a["<img src=x onerror=parent.document.title='taken'>"] --> b
  click b "javascript:parent.document.title='taken'"
```
"""
BROKEN = "```mermaid\nthis is no diagram\n```\n"

drawn_here = pytest.mark.skipif(not has_diagrams(), reason="python -m scripts.mermaid was not run")


def show(watch: Watch, served: ServedBook, text: str) -> Any:
    page = watch.open(served.url)
    page.locator(".example").first.wait_for()
    page.evaluate(SHOW, text)
    return page


@drawn_here
@pytest.mark.parametrize("text", [DIAGRAM, HOSTILE])
def test_a_diagram_takes_the_place_of_its_code(watch: Watch, served: ServedBook, text: str) -> None:
    page = show(watch, served, text)
    page.frame_locator("iframe.diagram").locator("svg .node").first.wait_for()
    page.locator("figure pre").wait_for(state="hidden")
    assert page.locator("iframe.diagram").bounding_box()["height"] > 30
    page.frame_locator("iframe.diagram").locator(".node").last.click(force=True)
    # What its policy keeps from running, the browser says.
    watch.complaints[:] = [said for said in watch.complaints if "inline event handler" not in said]
    expect(page.locator("figure.code iframe[sandbox=allow-scripts]")).to_have_count(1)
    assert page.title() != "taken"


@drawn_here
def test_what_is_no_diagram_stays_code(watch: Watch, served: ServedBook) -> None:
    page = show(watch, served, BROKEN + "\n" + DIAGRAM)
    page.frame_locator("iframe.diagram >> nth=1").locator("svg .node").first.wait_for()
    expect(page.locator("figure pre").first).to_be_visible()


def test_the_frame_has_no_origin_and_asks_for_nothing(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        frame = client.get("/diagram")
        assert client.get("/start").json()["diagrams"] == has_diagrams() == (frame.status_code == 200)
        assert "frame-src 'self'" in client.get("/").headers["content-security-policy"]
    if has_diagrams():
        policy = frame.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "sandbox allow-scripts" in policy and "'self'" not in policy

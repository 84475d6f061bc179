"""The documentation shows what the program is and does: pages made from the code, outputs made by running it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from scripts.docs import console, reference
from scripts.docs.build import NOTE, changed_files
from scripts.docs.console import FENCE, refreshed
from tests.support.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SAID = re.compile(r"DESIGN(?:\.md)? (?:decision|row)|(?:REAL_BOOKS|QDRANT|MODELS|CHUNKING|LAYOUT)\.md|\bspec 00\d\b")
"""What points to documents that are not in the repository."""


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_a_reference_page_is_what_the_code_says(name: str) -> None:
    page = ROOT / "docs" / "reference" / f"{name}.md"
    assert page.read_text(encoding="utf-8") == NOTE + reference.PAGES[name](), "run `make docs-write`"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_shown_output_is_what_the_command_prints() -> None:
    assert [str(path.relative_to(ROOT)) for path in changed_files(ROOT)] == [], "run `make docs-write`"


def test_an_output_that_holds_fences_stays_one_block_however_often_it_is_refreshed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(console, "run_command", lambda *_: "text\n```python\nx = 1\n```\n")
    page = "before\n\n<!-- run: sample -->\n```console\n$ bookwise ask x\n```\n\nafter\n"
    once = refreshed(page, ROOT)
    assert once.count("x = 1") == 1 and "````console" in once and once.endswith("````\n\nafter\n")
    assert refreshed(once, ROOT) == once


def test_some_outputs_are_run_at_all() -> None:
    assert sum(len(FENCE.findall(page.read_text(encoding="utf-8"))) for page in PAGES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_nothing_points_outside_of_the_repository(page: Path) -> None:
    assert SAID.findall(page.read_text(encoding="utf-8")) == []


def test_every_page_is_in_the_navigation_once() -> None:
    def pages(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        children = entry.values() if isinstance(entry, dict) else entry
        return [page for child in children for page in pages(child)]  # type: ignore[attr-defined]

    nav = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(pages(nav)) == sorted(written)

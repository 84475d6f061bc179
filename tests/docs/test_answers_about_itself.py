"""The documentation is a book that bookwise indexes, checks and answers questions on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

CODE = "import sys; sys.argv[0] = 'bookwise'; from bookwise.command_line import app; app()"
GOAL = 0.95


def bookwise(folder: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments, "--json"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(folder), "BOOKWISE_TRUST_CONFIG": "1"},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode in (0, 3), done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """The documentation beside a configuration of its own."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "bookwise.toml").write_text('[book]\nid = "bookwise-docs"\n')
    return tmp_path


def test_a_newcomers_questions_find_the_page_that_answers_them(book: Path) -> None:
    report = bookwise(book, "ingest")
    assert report["failures"] == []
    asked = bookwise(book, "eval", str(ROOT / "docs" / "questions.jsonl"), "--no-answers")
    assert asked["questions"] == 20
    missed = [outcome["question"] for outcome in asked["outcomes"] if not 1 <= (outcome["page_rank"] or 99) <= 5]
    assert 1 - len(missed) / 20 >= GOAL, missed


def test_no_link_of_the_documentation_is_broken(book: Path) -> None:
    found = bookwise(book, "check")["findings"]
    assert [
        item for item in found if "link" in item["rule"] or "image" in item["rule"] or "anchor" in item["rule"]
    ] == []

"""The jobs that every peer does, each from an index that is in step with the folder."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

Change = Callable[[Path], None]


class Job(NamedTuple):
    """A change of the folder, or of what a peer keeps; `kill` stops the run half way, and it is run once more."""

    name: str
    change: Change
    lose: Sequence[str] = ()
    kill: bool = False
    wrong_root: bool = False


def pages(docs: Path) -> list[Path]:
    """The lessons in path order."""
    return sorted(docs.rglob("*.md"))


def _long(docs: Path) -> Path:
    return max(pages(docs), key=lambda page: (page.stat().st_size, page.as_posix()))


def _same(docs: Path) -> None:
    """Change nothing."""


def _edit(page: Path, text: str = "A sentence that was not there before.") -> None:
    """Add a sentence to a paragraph in the middle."""
    body = page.read_text(encoding="utf-8")
    places = [found.end() for found in re.finditer(r"[a-z]\.(?=\n\n)", body)] or [len(body)]
    at = places[len(places) // 2]
    page.write_text(f"{body[:at]} {text}{body[at:]}", encoding="utf-8")


def _line_on_top(docs: Path) -> None:
    page = _long(docs)
    body = page.read_text(encoding="utf-8")
    front = re.match(r"---\n.*?\n---\n", body, re.DOTALL)
    at = front.end() if front else 0
    page.write_text(f"{body[:at]}\nA new line on top.\n\n{body[at:].lstrip()}", encoding="utf-8")


def _move(docs: Path) -> None:
    page = _long(docs)
    page.rename(page.with_name(f"moved-{page.name}"))


def _edit_some(docs: Path) -> None:
    chosen = random.Random(7).sample(pages(docs), max(1, len(pages(docs)) // 10))
    for number, page in enumerate(chosen):
        _edit(page, f"Sentence {number} was not there before.")


JOBS = (
    Job("first index", _same),
    Job("nothing changed", _same),
    Job("one paragraph edited", lambda docs: _edit(_long(docs))),
    Job("a line on top", _line_on_top),
    Job("a file moved", _move),
    Job("a file deleted", lambda docs: _long(docs).unlink()),
    Job("10 % of files edited", _edit_some),
    Job("state lost", _same, lose=("state.json", "records.sqlite", "pipeline")),
    Job("killed half way", lambda docs: None, kill=True),
    Job("wrong root", _same, wrong_root=True),
)


def empty(folder: Path) -> Path:
    """An empty folder in the place of the lessons."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder

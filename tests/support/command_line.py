"""The command line in this process: a small book, its index, one call and what it prints."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bookwise.command_line import app
from tests.support.books import page, write_book

QOS = "module-1-ros2/chapter-1-basics/02-qos.md"
GPU = "module-3-isaac/chapter-2-sim/01-gpu.md"
PAGES = {
    "module-1-ros2/chapter-1-basics/01-nodes.md": page(
        "Nodes", "A node is one program that does one job. Nodes talk to each other over topics.", hardware_tier=1
    ),
    QOS: page(
        "Quality of service",
        "With transient local durability a publisher keeps its last message for subscribers that join late.",
        hardware_tier=1,
        layer="L2",
    ),
    GPU: page("Which graphics card", "Isaac Sim needs a card with sixteen gigabytes of memory.", hardware_tier=3),
}


BOOK = "physical-ai-robotics"
"""The id of the book in the index that the tests copy, in whatever folder it was made."""


def index_book(folder: Path, pages: Mapping[str, str]) -> Path:
    """Make `folder` one of these pages and their index."""
    write_book(folder / "docs", pages)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("ingest", "--book", BOOK).exit_code == 0
    return folder


def copy_index(source: Path, target: Path) -> None:
    """Copy a folder; the index's files are mostly holes, which a plain copy would fill with zeros."""
    if sys.platform == "linux":
        subprocess.run(["cp", "-a", "--sparse=always", f"{source}/.", str(target)], check=True)
    else:
        shutil.copytree(source, target, dirs_exist_ok=True)


def run(*arguments: str, stdin: str | None = None) -> Result:
    """Call `bookwise` with these arguments."""
    return CliRunner().invoke(app, arguments, input=stdin)


def document(result: Result) -> Any:
    """The one JSON document on stdout."""
    parsed = json.loads(result.stdout)
    assert isinstance(parsed, dict)
    return parsed

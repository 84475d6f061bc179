"""The page on JSON output lists every command that prints JSON, and the keys that it really prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.main import get_command

from bookwise.command_line import app
from scripts.docs.json_shapes import ELSEWHERE, SHAPES
from scripts.docs.reference import _commands
from tests.support.books import page
from tests.support.command_line import document, index_book, run

LESSON = "module-1-ros2/chapter-1-basics/01-nodes.md"
PAGES = {LESSON: page("Nodes", "A node is one program that does one job. Nodes talk to each other over topics.")}
KEYS = {command: set(keys) for commands, keys in SHAPES.items() for command in commands}
ARGUMENTS = {
    "search": ["node"],
    "lesson": [LESSON],
    "jobs show": ["1"],
    "keys add": ["site"],
    "keys forget": ["1f2e3d4c", "--yes"],
}
CHANGING = {"generations rollback", "generations drop", "keys revoke"}
"""What needs more than one run before it; the first two print what `generations list` prints."""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_book(tmp_path_factory.mktemp("book"), PAGES)


def test_every_command_that_prints_json_is_on_the_page() -> None:
    printing = {
        path
        for path, command in _commands(get_command(app))
        if any("--json" in parameter.opts for parameter in command.params)
    }
    assert printing == KEYS.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("command", sorted(KEYS.keys() - CHANGING))
def test_a_document_has_exactly_the_keys_of_the_page(
    book: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(book)
    printed = document(run(*command.split(), *ARGUMENTS.get(command, []), "--json"))
    assert set(printed) == KEYS[command]


def test_a_revoked_key_has_the_keys_of_the_page(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(book)
    made = document(run("keys", "add", "page", "--json"))
    assert set(document(run("keys", "revoke", made["key_id"], "--json"))) == KEYS["keys revoke"]

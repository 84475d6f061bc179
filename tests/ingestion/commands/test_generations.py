"""`bookwise generations`: list, rollback, drop, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.books import page, write_book
from tests.support.command_line import run


@pytest.fixture
def index() -> None:
    """An index whose lessons were recreated once, in the current folder."""
    write_book(Path("docs"), {"a.md": page("A", "A node publishes.")})
    assert run("ingest").exit_code == run("ingest", "--mode", "recreate").exit_code == 0


def roles() -> list[str]:
    return [each["role"] for each in json.loads(run("generations", "--json").stdout)["generations"]]


def test_nothing_indexed_is_said(clean_surroundings: Path) -> None:
    assert "nothing is indexed yet" in run("generations").stdout


@pytest.mark.usefixtures("index")
def test_generations_are_listed_rolled_back_and_dropped() -> None:
    assert roles() == ["active", "former"]
    before = json.loads(run("generations", "--json").stdout)["generations"]
    assert run("generations", "rollback").exit_code == 0
    after = json.loads(run("generations", "--json").stdout)["generations"]
    assert [each["name"] for each in after] == [each["name"] for each in reversed(before)]
    assert run("generations", "drop", stdin="n\n").exit_code == 2 and len(roles()) == 2
    assert run("generations", "drop", stdin="y\n").exit_code == 0 and roles() == ["active"]
    assert run("generations", "drop", "--yes").exit_code == 2
    assert run("generations", "rollback").exit_code == 7


@pytest.mark.usefixtures("index")
def test_an_unknown_word_is_a_usage_error() -> None:
    result = run("generations", "undo")
    assert result.exit_code == 2 and "no such command 'undo'" in result.stderr

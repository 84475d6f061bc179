"""The steps of an operator over the command line, one after the other, as somebody works on a book for a year."""

from __future__ import annotations

import shutil

import pytest

from tests.qdrant.operator import Operator

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

RANDOM_WORD = "zyzzyva"


def test_the_first_index_edits_moves_and_deletions(operator: Operator) -> None:
    assert operator.report("ingest", "docs")["files"]["new"] == len(operator.lessons())
    operator.run("plan", "docs", "--exit-code")
    operator.run("verify", "docs")
    assert not operator.report("ingest", "docs")["changes"]
    edited = operator.lessons()[3]
    operator.append(edited, f"A closing paragraph with the word {RANDOM_WORD} in it.")
    assert operator.report("ingest", "docs")["chunks"]["embedded"] <= 2
    assert RANDOM_WORD in operator.run("search", RANDOM_WORD, "--tier", "4", "--json")
    moved = edited.with_name(f"90-moved{edited.suffix}")
    edited.rename(moved)
    operator.run("ingest", "docs")
    operator.run("verify", "docs")
    moved.unlink()
    operator.run("ingest", "docs")
    assert not any(f"90-moved{moved.suffix}" in str(fields[1]) for fields in operator.points().values())
    assert operator.equals_an_index_from_nothing()


def test_a_runner_with_an_empty_disk_has_nothing_to_do(operator: Operator) -> None:
    operator.run("ingest", "docs")
    other = operator.home / "other-runner"
    shutil.copytree(operator.home / "docs", other / "docs")
    shutil.copy(operator.home / "bookwise.toml", other)
    operator.run("plan", "docs", "--exit-code", home=other)
    assert not operator.report("ingest", "docs", home=other)["changes"]


def test_searching_answering_and_the_health_of_the_server(operator: Operator) -> None:
    operator.run("ingest", "docs")
    assert "source_file" in operator.run("search", "what is a topic", "--tier", "4", "--json")
    operator.run("ask", "How do nodes talk to each other?", "--tier", "4")
    health = operator.report("info")["health"]
    assert health["version"] and health["facts"]["strict mode"] == "on"
    assert "Searched by: exact search" in operator.run("search", "what is a topic", "--explain")


def test_an_emptied_folder_is_refused(operator: Operator) -> None:
    operator.run("ingest", "docs")
    before = operator.points()
    for lesson in operator.lessons()[1:]:
        lesson.unlink()
    operator.run("ingest", "docs", code=11)
    assert operator.points() == before


def test_recreate_rollback_and_drop(operator: Operator) -> None:
    operator.run("ingest", "docs")
    before = operator.points()
    operator.run("ingest", "docs", "--mode", "recreate")
    assert len(operator.generations()) == 2 and operator.points() == before
    operator.run("generations", "list")
    operator.run("generations", "rollback")
    assert operator.points() == before
    operator.run("ingest", "docs")
    operator.run("verify", "docs")
    operator.run("generations", "drop", "--yes")
    assert len(operator.generations()) == 1


def test_damage_is_found_and_repaired(operator: Operator) -> None:
    operator.run("ingest", "docs")
    before = operator.points()
    operator.damage()
    operator.run("verify", "docs", code=12)
    operator.run("verify", "docs", "--repair")
    operator.run("verify", "docs")
    assert operator.points() == before


def test_a_second_book_and_its_deletion(operator: Operator) -> None:
    operator.run("ingest", "docs")
    before = operator.points()
    second = operator.home / "second"
    shutil.copytree(operator.home / "docs", second)
    operator.run("ingest", "second", "--book", "second-book")
    assert "second-book" in operator.run("info")
    assert "second-book" in operator.run("search", "what is a topic", "--book", "second-book", "--json")
    operator.run("delete-book", "second-book", "--yes")
    assert operator.points() == before


def test_a_copy_from_the_embedded_engine_and_from_server_to_server(operator: Operator) -> None:
    operator.run("ingest", "docs")
    expected = sorted(operator.points())
    embedded = operator.home / "embedded"
    shutil.copytree(operator.home / "docs", embedded / "docs")
    shutil.copy(operator.home / "bookwise.toml", embedded)
    nowhere = {"QDRANT_URL": "", "QDRANT_API_KEY": "", "BOOKWISE_STATE": ".ingestion_state.json"}
    operator.run("ingest", "docs", home=embedded, **nowhere)
    for home, settings in ((embedded, nowhere), (operator.home, {})):
        copied = f"{operator.collection}-{home.name}"
        to = ("--to", operator.target.urls[0], "--to-collection", copied)
        operator.run("copy", *to, home=home, BOOKWISE_COPY_API_KEY=operator.target.key or "", **settings)
        assert sorted(operator.points(copied)) == expected

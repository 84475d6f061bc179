"""The book that a command means is the same wherever in it the command is run, and a key alone changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.books import write_book
from tests.support.command_line import PAGES, copy_index, document, run

WRONG_KEY = "a-key-that-is-none"


@pytest.fixture
def indexed(clean_surroundings: Path, index_of_the_book: Path) -> Path:
    copy_index(index_of_the_book, clean_surroundings)
    return clean_surroundings


def test_a_book_is_the_same_from_outside_inside_and_below(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = clean_surroundings / "mybook"
    write_book(book / "docs", PAGES)
    (book / "bookwise.toml").write_text('[book]\nid = "mine"\n', encoding="utf-8")
    assert "3 new" in run("ingest", "mybook").stdout
    assert sorted(path.name for path in clean_surroundings.iterdir()) == ["mybook"]
    records = (book / ".ingestion_state.json").read_bytes()
    for place, arguments in (("mybook", []), ("mybook/docs", []), ("mybook/docs", ["../docs"]), ("mybook", ["docs"])):
        monkeypatch.chdir(clean_surroundings / place)
        result = run("ingest", *arguments)
        assert "3 unchanged" in result.stdout and "mine" in result.stdout, (place, arguments)
    assert (book / ".ingestion_state.json").read_bytes() == records
    assert run("search", "late subscriber").exit_code == 0


def test_lessons_outside_of_any_book_are_indexed_by_the_configuration_where_one_stands(
    clean_surroundings: Path, tmp_path: Path
) -> None:
    write_book(tmp_path / "lessons", PAGES)
    Path("bookwise.toml").write_text('[book]\nid = "mine"\n', encoding="utf-8")
    assert document(run("crawl", str(tmp_path / "lessons"), "--json"))["files"]
    assert "mine: 3 new" in run("ingest", str(tmp_path / "lessons"), "--dry-run").stdout


@pytest.mark.parametrize(
    "command", [["crawl"], ["check"], ["jobs"], ["info"], ["plan"], ["search", "late subscriber"]]
)
def test_a_key_that_looks_wrong_stops_no_command_that_uses_none(
    indexed: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", WRONG_KEY)
    result = run(*command)
    assert result.exit_code == 0, result.stderr
    assert WRONG_KEY not in result.stdout + result.stderr


def test_a_key_that_looks_wrong_is_an_error_of_the_run_that_embeds_with_it(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", WRONG_KEY)
    write_book(clean_surroundings / "docs", PAGES)
    assert run("plan").exit_code == 0
    result = run("ingest", "--json")
    assert result.exit_code == 4
    assert "does not look like a key of OpenAI" in json.loads(result.stdout)["error"]["message"]
    assert WRONG_KEY not in result.stdout + result.stderr


def test_an_index_is_kept_with_the_embedder_that_made_it_until_it_is_made_anew(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", WRONG_KEY)
    (indexed / "docs" / "new.md").write_text("# New\n\nA page that came later.\n", encoding="utf-8")
    assert "1 new" in run("ingest").stdout
    assert run("ingest", "--mode", "recreate").exit_code == 4


def test_a_book_without_an_id_is_told_which_it_gets_and_how_to_set_one(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    said = run("ingest").stderr
    assert "physical-ai-robotics is taken" in said and "bookwise init" in said and "--book" in said
    assert "is taken" not in run("ingest", "--book", "mine", "--dry-run").stderr


def test_another_checkout_of_the_same_lessons_is_the_same_book(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    write_book(clean_surroundings / "other", PAGES)
    assert run("ingest").exit_code == 0
    told = document(run("ingest", "other", "--json"))
    assert told["chunks"]["embedded"] == 0 and told["chunks"]["deleted"] == 0


def test_a_second_folder_under_the_default_id_is_refused_and_a_named_one_is_not(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    write_book(clean_surroundings / "other", {path: f"{text}\nAnother book.\n" for path, text in PAGES.items()})
    assert run("ingest").exit_code == 0
    result = run("ingest", "other")
    assert result.exit_code == 2 and "Give each book an id" in result.stderr
    assert "3 unchanged" in run("ingest").stdout
    assert run("ingest", "other", "--book", "second").exit_code == 0

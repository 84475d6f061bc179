"""`ingest --books`: many folders, one collection, one report; no book stops another."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import ExitCode, VectorStoreError
from ingestion.operations import book_turns, many_books
from ingestion.settings.index import STATE_FILE
from ingestion.state.state_file import StateFile
from ingestion.vector_stores.edge import shard
from ingestion.vector_stores.edge.generations import EdgeGenerations
from tests.support.books import page, write_book
from tests.support.command_line import document, run
from tests.support.openai_server import OpenAIServer

NAMES = ("alpha", "beta", "gamma")


@pytest.fixture
def books(clean_surroundings: Path) -> Path:
    folder = clean_surroundings / "books"
    for name in NAMES:
        write_book(folder / name / "docs", {"1-intro/1-a.md": page("A", f"What {name} is about, told at length.")})
    return folder


def by_book(told: dict[str, Any]) -> dict[str, int]:
    return {each["book_id"]: each["chunks"]["embedded"] for each in told["books"]}


def test_each_folder_is_a_book_of_one_index_with_records_of_its_own(books: Path) -> None:
    told = document(run("ingest", "--books", "books", "--json"))
    assert by_book(told) == dict.fromkeys(NAMES, 1)
    assert sorted(path.name for path in Path(".bookwise/state").glob("*.json")) == [f"{name}.json" for name in NAMES]
    assert {each["book_id"] for each in document(run("info", "--json"))["books"]} == set(NAMES)
    assert "gamma" in run("search", "what is it about", "--book", "gamma").stdout


def test_an_edit_costs_its_book_only(books: Path) -> None:
    run("ingest", "--books", "books")
    before = {path.name: path.stat().st_mtime_ns for path in Path(".bookwise/state").iterdir()}
    write_book(books / "beta" / "docs", {"1-intro/1-a.md": page("A", "Another text.")})
    told = document(run("ingest", "--books", "books/*", "--json"))
    assert by_book(told) == {"alpha": 0, "beta": 1, "gamma": 0}
    after = {path.name: path.stat().st_mtime_ns for path in Path(".bookwise/state").iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"beta.json", "beta.chunks.jsonl"}


def test_a_book_alone_goes_on_with_the_records_of_all_and_they_with_its(books: Path) -> None:
    alone = ("ingest", "books/alpha/docs", "--book", "alpha")
    assert "1 new" in run(*alone).stdout
    assert by_book(document(run("ingest", "--books", "books", "--json"))) == {"alpha": 0, "beta": 1, "gamma": 1}
    assert "1 unchanged" in run(*alone).stdout


def test_a_book_that_fails_stops_no_other_and_turns_the_job_red(books: Path) -> None:
    (books / "beta" / "bookwise.toml").write_text("not toml", encoding="utf-8")
    (books / "gamma/docs/1-intro/2-b.md").write_text("---\ntitle: [\n---\n\nText.\n", encoding="utf-8")
    result = run("ingest", "--books", "books", "--json", "--report", "all.xml")
    assert result.exit_code == ExitCode.LESSONS_FAILED
    told = json.loads(result.stdout)
    assert by_book(told) == {"alpha": 1, "gamma": 1}
    failed = {each["path"]: each["reason"] for each in told["failures"]}
    assert failed.keys() == {"books/beta", "books/gamma/docs/1-intro/2-b.md"}
    assert "bookwise.toml" in failed["books/beta"]
    assert "books/gamma/docs/1-intro/2-b.md" in Path("all.xml").read_text(encoding="utf-8")


def test_an_emptied_folder_is_refused_as_for_one_book(books: Path) -> None:
    run("ingest", "--books", "books")
    (books / "alpha/docs/1-intro/1-a.md").unlink()
    result = run("ingest", "--books", "books")
    assert result.exit_code == ExitCode.LESSONS_FAILED
    assert "nothing was deleted" in result.stdout
    assert "alpha" in run("search", "what is it about", "--book", "alpha").stdout


def test_an_outage_ends_the_run_and_the_next_begins_with_what_waited(
    books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    real = many_books.ingest

    def failing(*arguments: Any, book_id: str, **options: Any) -> Any:
        tried.append(book_id)
        if book_id == "beta" and len(tried) == 2:
            raise VectorStoreError("the server is gone")
        return real(*arguments, book_id=book_id, **options)

    monkeypatch.setattr(many_books, "ingest", failing)
    result = run("ingest", "--books", "books")
    assert result.exit_code == ExitCode.VECTOR_STORE
    assert "beta, gamma not reached" in result.stderr
    tried.clear()
    assert run("ingest", "--books", "books").exit_code == 0
    assert tried == ["beta", "gamma", "alpha"]


def test_the_limit_of_tokens_is_for_all_books_together(books: Path) -> None:
    tokens = document(run("ingest", "--books", "books", "--dry-run", "--json"))["chunks"]["tokens"]
    result = run("ingest", "--books", "books", "--max-tokens", str(tokens - 1), "--json")
    told = json.loads(result.stdout)
    assert sum(by_book(told).values()) == 2
    assert "--max-tokens" in told["failures"][0]["reason"]


def test_plan_and_verify_tell_of_the_whole_shelf(books: Path) -> None:
    assert by_book(document(run("plan", "--books", "books", "--json"))) == dict.fromkeys(NAMES, 1)
    run("ingest", "--books", "books")
    assert run("plan", "--books", "books", "--exit-code").exit_code == 0
    assert run("verify", "--books", "books").exit_code == 0
    write_book(books / "beta" / "docs", {"1-intro/1-a.md": page("A", "Another text.")})
    assert run("plan", "--books", "books", "--exit-code").exit_code == ExitCode.NOT_IN_STEP
    assert run("verify", "--books", "books").exit_code == ExitCode.NOT_IN_STEP
    told = document(run("verify", "--books", "books", "--repair", "--json"))
    assert by_book(told) == {"alpha": 0, "beta": 1, "gamma": 0}
    assert run("verify", "--books", "books").exit_code == 0


def generations() -> set[str]:
    return {folder.name for folder in Path(".bookwise/bookwise").iterdir() if folder.is_dir()}


def test_recreate_makes_one_new_index_of_the_shelf_that_loses_nothing(books: Path) -> None:
    shutil.copytree(books / "alpha", "delta")
    run("ingest", "delta")
    run("ingest", "--books", "books")
    before = generations()
    (books / "beta/docs/1-intro/1-a.md").write_bytes(b"caf\xe9")
    (books / "gamma/docs/1-intro/1-a.md").unlink()
    result = run("ingest", "--books", "books", "--mode", "recreate", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == ExitCode.LESSONS_FAILED and told["chunks"]["embedded"] == 0
    assert {failure["path"] for failure in told["failures"]} == {"books/beta/docs/1-intro/1-a.md", "books/gamma/docs"}
    assert len(generations() - before) == 1, "and not one for each book"
    for book in (*NAMES, "delta"):
        assert run("search", "what is it about", "--book", book).exit_code == 0, book
    write_book(books / "beta/docs", {"1-intro/1-a.md": page("A", "What beta is about, told at length.")})
    write_book(books / "gamma/docs", {"1-intro/1-a.md": page("A", "What gamma is about, told at length.")})
    assert run("verify", "--books", "books").exit_code == 0
    assert run("ingest", "--books", "books").stdout.startswith("3 books: 3 unchanged")


def test_a_recreate_that_ends_early_leaves_readers_the_index_that_they_have(
    books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", "--books", "books")
    pointer = Path(".bookwise/bookwise/CURRENT").read_text(encoding="utf-8")
    real = many_books.ingest

    def failing(*arguments: Any, book_id: str, **options: Any) -> Any:
        if book_id == "beta":
            raise VectorStoreError("the server is gone")
        return real(*arguments, book_id=book_id, **options)

    with monkeypatch.context() as patch:
        patch.setattr(many_books, "ingest", failing)
        assert run("ingest", "--books", "books", "--mode", "recreate").exit_code == ExitCode.VECTOR_STORE
    assert Path(".bookwise/bookwise/CURRENT").read_text(encoding="utf-8") == pointer
    told = document(run("ingest", "--books", "books", "--json"))
    assert told["chunks"]["embedded"] == 0 and run("verify", "--books", "books").exit_code == 0


def test_another_model_takes_the_whole_shelf_and_no_book_beside_it(
    books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", "--books", "books")
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_EMBEDDING_DIMENSIONS", "8")
        Path("some.txt").write_text("books/alpha\nbooks/beta\n", encoding="utf-8")
        refused = run("ingest", "--books", "some.txt", "--mode", "recreate")
        assert refused.exit_code == ExitCode.REFUSED and "gamma" in refused.stderr
        told = document(run("ingest", "--books", "books", "--mode", "recreate", "--json"))
        assert told["chunks"]["embedded"] == 3
        assert run("verify", "--books", "books").exit_code == 0


def test_a_list_names_folders_beside_itself(books: Path) -> None:
    (books / "list.txt").write_text("alpha\n\ngamma  # the third\n", encoding="utf-8")
    assert set(by_book(document(run("ingest", "--books", "books/list.txt", "--json")))) == {"alpha", "gamma"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--books", "nowhere/*"], "no folders found"),
        (["--books", "books", "--book", "x"], "leave out DOCS and --book"),
    ],
)
def test_what_cannot_be_meant_is_refused(books: Path, arguments: list[str], said: str) -> None:
    result = run("ingest", *arguments)
    assert result.exit_code == ExitCode.USAGE and said in result.stderr


def test_two_folders_of_one_id_are_refused_before_anything_is_written(books: Path) -> None:
    (books / "beta" / "bookwise.toml").write_text('[book]\nid = "alpha"\n', encoding="utf-8")
    result = run("ingest", "--books", "books")
    assert result.exit_code == ExitCode.USAGE and "both the book 'alpha'" in result.stderr
    assert not Path(".bookwise").exists()


def count_openings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every opening of the index from now on."""
    opened: list[str] = []
    load = shard.load_shard

    def counted(path: Path) -> Any:
        opened.append(path.parent.name)
        return load(path)

    monkeypatch.setattr(shard, "load_shard", counted)
    return opened


def test_the_index_is_opened_once_for_all_books(books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("ingest", "--books", "books")
    for name in NAMES:
        write_book(books / name / "docs", {"1-intro/1-a.md": page("A", f"Another text of {name}.")})
    monkeypatch.setattr(book_turns, "HOLD_SECONDS", 600.0)
    opened = count_openings(monkeypatch)
    assert by_book(document(run("ingest", "--books", "books", "--json"))) == dict.fromkeys(NAMES, 1)
    assert len(opened) == 1


def test_the_records_of_each_book_are_read_once(books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("ingest", "--books", "books")
    read: list[str] = []
    parsed = StateFile._parsed

    def parse(file: StateFile) -> Any:
        read.extend([file.path.name] if file.path.exists() else [])
        return parsed(file)

    monkeypatch.setattr(StateFile, "_parsed", parse)
    assert by_book(document(run("ingest", "--books", "books", "--json"))) == dict.fromkeys(NAMES, 0)
    assert sorted(name for name in read if name != STATE_FILE) == [f"{name}.json" for name in NAMES]


def test_a_reader_that_waits_gets_the_index_between_two_books(books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("ingest", "--books", "books")
    for name in NAMES:
        write_book(books / name / "docs", {"1-intro/1-a.md": page("A", f"Another text of {name}.")})
    opened = count_openings(monkeypatch)
    monkeypatch.setattr(EdgeGenerations, "should_close", lambda *_: True)
    assert by_book(document(run("ingest", "--books", "books", "--json"))) == dict.fromkeys(NAMES, 1)
    assert len(opened) == len(NAMES)


def test_a_writer_that_waits_gets_its_turn(books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_turns, "HOLD_SECONDS", 0.0)
    taken: list[Path] = []
    lock = book_turns.writer_lock

    def counted(path: Path, wait: float) -> Any:
        taken.append(path)
        return lock(path, wait)

    monkeypatch.setattr(book_turns, "writer_lock", counted)
    assert by_book(document(run("ingest", "--books", "books", "--json"))) == dict.fromkeys(NAMES, 1)
    assert len(taken) == len(NAMES)


def test_a_book_that_left_the_shelf_is_named_with_the_command_that_removes_it(books: Path) -> None:
    run("ingest", "--books", str(books))
    gone = sorted(folder for folder in books.iterdir() if folder.is_dir())[0]
    shutil.rmtree(gone)
    left = run("ingest", "--books", str(books))
    [line] = [line for line in left.stderr.splitlines() if "delete-book" in line]
    [command] = re.findall("`bookwise (.*?)`", line)
    assert run(*command.split(), "--yes").exit_code == 0
    assert "delete-book" not in run("ingest", "--books", str(books)).stderr

"""The book that a command means is the same wherever in it the command is run, and a key alone changes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ingestion.books import id_of_folder
from tests.support.books import page, write_book
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
    assert "does not look like an OpenAI key" in json.loads(result.stdout)["error"]["message"]
    assert WRONG_KEY not in result.stdout + result.stderr
    assert not Path(".ingestion_state.json").exists() and not Path(".bookwise/bookwise").exists(), "nothing is made"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "3 new" in run("ingest").stdout, "and nothing is bound to that service"


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
    assert f"using {id_of_folder(clean_surroundings)!r} for" in said and "bookwise init" in said and "--book" in said
    assert "no book id set" not in run("ingest", "--book", "mine", "--dry-run").stderr


@pytest.mark.parametrize("below", ["docs", "chapter-1"], ids=["in its docs", "in the folder itself"])
def test_a_folder_without_a_file_is_one_book_from_outside_inside_and_on_a_shelf(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    write_book(clean_surroundings / "shelf" / "My Book" / below, PAGES)
    made = set()
    for place, arguments in (
        ("shelf", ["My Book"]),
        ("shelf/My Book", [] if below == "docs" else ["."]),
        (".", ["--books", "shelf"]),
        (".", ["shelf/My Book/docs" if below == "docs" else "shelf/My Book"]),
    ):
        monkeypatch.chdir(clean_surroundings / place)
        assert run("ingest", *arguments).exit_code == 0
        assert run("export", "--book", "my-book", "--tier", "4", "--chunks", "chunks.jsonl").exit_code == 0
        chunks = map(json.loads, Path("chunks.jsonl").read_text(encoding="utf-8").splitlines())
        made.add(frozenset((chunk["id"], chunk["source_file"]) for chunk in chunks))
        shutil.rmtree(".bookwise")
        Path(".ingestion_state.json").unlink(missing_ok=True)
    [chunks_of_each] = made
    assert len(chunks_of_each) >= len(PAGES), "and ids of chunks follow from the book's"


def test_another_checkout_of_the_same_lessons_is_the_same_book(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    write_book(clean_surroundings / "other", PAGES)
    assert run("ingest").exit_code == 0
    told = document(run("ingest", "other", "--json"))
    assert told["chunks"]["embedded"] == 0 and told["chunks"]["deleted"] == 0


@pytest.mark.parametrize("records", [True, False], ids=["by its records", "by its points"])
def test_an_index_made_under_another_id_stays_that_book(clean_surroundings: Path, records: bool) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    assert run("ingest", "--book", "as-it-was").exit_code == 0
    if not records:
        Path(".ingestion_state.json").unlink()
    said = run("ingest")
    assert "using 'as-it-was' for" in said.stderr and "embedded" not in said.stdout.replace("0 embedded", "")


def test_a_part_of_a_book_is_not_made_another_book(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    assert run("ingest").exit_code == 0
    part = next(path for path in (clean_surroundings / "docs").iterdir() if path.is_dir())
    result = run("ingest", str(part))
    assert result.exit_code == 11 and "nothing was deleted" in result.stderr


def test_a_second_folder_is_a_second_book_unless_its_name_is_taken(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    write_book(clean_surroundings / "other", {path: f"{text}\nAnother book.\n" for path, text in PAGES.items()})
    write_book(clean_surroundings / "copies/other", {"a.md": page("A", "A third book.")})
    assert run("ingest").exit_code == 0
    assert "other: 3 new" in run("ingest", "other").stdout
    assert "3 unchanged" in run("ingest").stdout
    result = run("ingest", "copies/other")
    assert result.exit_code == 2 and "Give each book an id" in result.stderr
    assert run("ingest", "copies/other", "--book", "third").exit_code == 0


@pytest.mark.parametrize("is_recorded", [True, False], ids=["by its folder", "by its lessons, as in 0.1"])
def test_a_first_run_that_is_interrupted_goes_on_without_an_id(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch, is_recorded: bool
) -> None:
    write_book(clean_surroundings / "docs", PAGES)

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("ingestion.sync.apply._Application._finish", interrupt)
        assert run("ingest", "docs").exit_code == 130
    [state] = Path().rglob("*ingestion_state.json")
    recorded = json.loads(state.read_text(encoding="utf-8"))
    [book] = recorded["books"].values()
    assert book["docs_root"] and book["records"]
    if not is_recorded:
        book["docs_root"] = None
        state.write_text(json.dumps(recorded), encoding="utf-8")
    assert "3 unchanged" in run("ingest", "docs").stdout

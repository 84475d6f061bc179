"""The command line as a user or a CI job meets it: real parts, a small book, every exit code, both streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingestion.state.writer_lock import writer_lock
from tests.support.books import write_book
from tests.support.command_line import GPU, PAGES, QOS, copy_index, document, index_book, run


@pytest.fixture
def book(clean_surroundings: Path) -> Path:
    """A current folder that holds a book in `docs`."""
    write_book(clean_surroundings / "docs", PAGES)
    return clean_surroundings


@pytest.fixture
def indexed(clean_surroundings: Path, index_of_the_book: Path) -> Path:
    """A current folder that holds a book and its index."""
    copy_index(index_of_the_book, clean_surroundings)
    return clean_surroundings


def test_a_book_is_indexed_searched_and_asked_without_key_or_server(indexed: Path) -> None:
    found = document(run("search", "a subscriber that joins late", "--json"))
    assert found["results"][0]["source_file"] == QOS
    answer = run("ask", "How does a late subscriber get the last message?")
    assert answer.exit_code == 0
    assert "transient local durability" in answer.stdout and f"{QOS}:" in answer.stdout


def test_a_second_ingest_has_nothing_to_do(indexed: Path) -> None:
    report = document(run("ingest", "--json"))
    assert report["files"] == {"unchanged": 3} and report["changes"] == {}


def test_the_tier_keeps_out_what_the_reader_cannot_run(indexed: Path) -> None:
    low = document(run("search", "graphics card memory", "--json"))
    high = document(run("search", "graphics card memory", "--tier", "4", "--json"))
    assert GPU not in [each["source_file"] for each in low["results"]]
    assert high["results"][0]["source_file"] == GPU


def test_all_filters_of_the_specification_are_flags(indexed: Path) -> None:
    flags = [
        "--module",
        "ros2",
        "--chapter",
        "1-2",
        "--lesson",
        "2",
        "--level",
        "a2",
        "--layer",
        "l2",
        "--limit",
        "3",
    ]
    found = document(run("search", "subscriber", *flags, "--language", "en", "--kind", "lesson", "--json"))
    assert [each["source_file"] for each in found["results"]] == [QOS]
    parent = found["results"][0]["parent_doc_id"]
    again = document(run("search", "subscriber", "--parent", parent, "--json"))
    assert {each["source_file"] for each in again["results"]} == {QOS}


def test_a_question_the_book_does_not_answer_is_refused_with_exit_10(indexed: Path) -> None:
    refused = run("ask", "Who painted the ceiling of the Sistine Chapel?")
    assert refused.exit_code == 10
    assert refused.stdout.strip() == "I don't have information about that in the book content."
    assert document(run("ask", "Who painted the ceiling of the Sistine Chapel?", "--json"))["citations"] == []


def test_an_unknown_module_is_a_usage_error_that_lists_the_known_ones(indexed: Path) -> None:
    result = run("search", "nodes", "--module", "rso2")
    assert result.exit_code == 2
    assert "known are isaac, ros2" in result.stderr and result.stdout == ""


@pytest.mark.parametrize(
    ("option", "value", "said"), [("--chapter", "99", "no chapter 99"), ("--layer", "L4", "no layer 'L4'")]
)
def test_a_chapter_or_layer_that_the_book_lacks_is_a_usage_error_too(
    indexed: Path, option: str, value: str, said: str
) -> None:
    for command in ("search", "ask"):
        result = run(command, "What is a node?", option, value)
        assert result.exit_code == 2 and said in result.stderr and "known are" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["search", "hi"], "at least 3 characters, or 2 in Chinese, Japanese or Korean"),
        (["search", "节"], "at least 3 characters"),
        (["search", "nodes", "--chapter", "4-2"], "the first number is larger than the last"),
        (["search", "nodes", "--chapter", "x"], "give a number, or a range"),
        (["search", "nodes", "--level", "D1"], "invalid level 'D1': choose A1"),
        (["search", "nodes", "--layer", "L9"], "invalid layer 'L9': choose L1"),
        (["search", "nodes", "--ranking", "magic"], "choose hybrid, dense or keyword"),
        (["search", "nodes", "--book", "other"], "no book 'other' in the index"),
        (["lesson", "module-1-ros2/chapter-1-basics/02-qso.md"], f"did you mean {QOS}"),
        (["ingest", "--mode", "sideways"], "invalid --mode 'sideways': choose incremental, full or recreate"),
        (["ingest", "--config", "gone.toml"], "no such file"),
        (["delete-book", "other", "--yes"], "no book 'other'"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error_that_says_why(indexed: Path, arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr and result.stdout == ""


def test_a_failed_lesson_turns_the_job_red_with_one_document_on_stdout(book: Path) -> None:
    (book / "docs" / QOS).write_bytes(b"caf\xe9")
    result = run("ingest", "--json")
    assert result.exit_code == 3
    assert document(result)["failures"] == [
        {"path": QOS, "line": 1, "reason": "is not UTF-8: byte 0xe9 at offset 3; save it as UTF-8"}
    ]
    assert document(run("ingest", "--json"))["failures"]


def test_warnings_turn_the_job_red_only_under_strict(book: Path) -> None:
    (book / "docs" / QOS).write_text("---\nhardware_tier: nine\n---\n# Quality\n\nThe text of the page.\n")
    assert run("ingest").exit_code == 0
    touched = "---\nhardware_tier: ten\n---\n# Quality\n\nThe text of the page.\n"
    (book / "docs" / QOS).write_text(touched)
    result = run("ingest", "--strict")
    assert result.exit_code == 3 and f"{QOS}:2: `hardware_tier: ten` is no tier 1 to 4" in result.stdout


@pytest.mark.parametrize(("place", "said"), [("gone", "no such folder"), ("docs/" + QOS, "is a file")])
def test_a_wrong_root_is_exit_5(book: Path, place: str, said: str) -> None:
    result = run("ingest", place)
    assert result.exit_code == 5 and said in result.stderr


def test_an_emptied_folder_is_exit_11_and_deletes_nothing(indexed: Path) -> None:
    write_book(indexed / "docs", {})
    result = run("ingest")
    assert result.exit_code == 11 and "nothing was deleted" in result.stderr
    assert document(run("info", "--json"))["books"][0]["files"] == 3


def test_wrong_settings_are_exit_4_all_at_once_and_name_their_source(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKWISE_THREADS", "many")
    (book / "bookwise.toml").write_text("[chunk]\ntokens = 'few'\n")
    result = run("ingest", "--json")
    assert result.exit_code == 4
    assert "BOOKWISE_THREADS (environment)" in result.stderr and "chunk.tokens (" in result.stderr
    assert document(result)["error"]["exit_code"] == 4


def test_asking_before_indexing_is_exit_4_and_says_what_to_do(book: Path) -> None:
    result = run("ask", "What is a node?")
    assert result.exit_code == 4 and "run `bookwise ingest DOCS` first" in result.stderr


def test_an_index_without_any_text_is_exit_4_and_says_so(clean_surroundings: Path) -> None:
    index_book(clean_surroundings, {"a.md": "# T\n\nA text that goes.\n"})
    write_book(clean_surroundings / "docs", {"a.md": "# T\n"})
    assert run("ingest", "--allow-delete").exit_code == 0
    asked = run("ask", "What is there?")
    assert asked.exit_code == 4 and "no lesson with text was indexed; see `bookwise check`" in asked.stderr


def test_a_second_writer_is_exit_8_and_names_the_first(book: Path) -> None:
    with writer_lock(book / ".bookwise" / "writer.lock"):
        result = run("--wait", "0", "ingest")
    assert result.exit_code == 8 and f"pid {os.getpid()}" in result.stderr


def test_a_broken_state_is_set_aside_and_rebuilt_and_never_an_empty_start(indexed: Path) -> None:
    (indexed / ".ingestion_state.json").write_text("{")
    result = run("ingest")
    assert result.exit_code == 0 and "0 embedded" in result.stdout and "3 kept, 0 deleted" in result.stdout
    assert (indexed / ".ingestion_state.json.damaged").exists()


def test_plan_shows_what_is_pending_and_changes_nothing(indexed: Path) -> None:
    assert run("plan", "--exit-code").exit_code == 0
    (indexed / "docs" / GPU).unlink()
    state = (indexed / ".ingestion_state.json").read_bytes()
    result = run("status", "--exit-code", "--json")
    assert result.exit_code == 12 and document(result)["changes"] == {GPU: "deleted"}
    assert (indexed / ".ingestion_state.json").read_bytes() == state
    assert document(run("info", "--json"))["books"][0]["files"] == 3


def test_crawl_needs_no_index_and_lists_what_is_skipped(book: Path) -> None:
    write_book(book / "docs", PAGES | {"node_modules/x/README.md": "# no"})
    result = document(run("crawl", "--json"))
    assert result["modules"] == {"isaac": 1, "ros2": 2}
    assert result["skipped"] == [{"path": "node_modules/", "reason": "built-in rule `node_modules/`"}]
    assert not (book / ".bookwise").exists()


def test_lesson_shows_the_whole_page_by_path_or_parent_id(indexed: Path) -> None:
    by_path = run("lesson", f"./{QOS}")
    parent = document(run("lesson", QOS, "--json"))["chunks"][0]["parent_doc_id"]
    assert "# Quality of service" in by_path.stdout and run("lesson", parent).stdout == by_path.stdout


def test_delete_book_asks_and_leaves_nothing(indexed: Path) -> None:
    assert run("delete-book", "physical-ai-robotics", stdin="n\n").exit_code == 2
    assert document(run("info", "--json"))["points"]
    assert run("delete-book", "physical-ai-robotics", stdin="y\n").exit_code == 0
    assert document(run("info", "--json"))["points"] == 0
    assert run("search", "nodes").exit_code == 4


def test_the_book_in_a_folder_is_found_by_its_bookwise_toml(clean_surroundings: Path) -> None:
    course = clean_surroundings / "course"
    write_book(course / "lessons", PAGES)
    (course / "bookwise.toml").write_text('[book]\nid = "course"\ndocs = "lessons"\n')
    report = document(run("ingest", "course", "--json"))
    assert report["book_id"] == "course" and report["total_files"] == 3


def test_the_process_itself_exits_with_our_codes_and_keeps_stdout_clean(book: Path) -> None:
    command = [sys.executable, "-c", "from bookwise.command_line import app; app()", "ingest", "nowhere", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert json.loads(done.stdout)["error"]["exit_code"] == 5
    assert done.stderr.startswith("error: nowhere: no such folder")


def test_check_reports_mistakes_and_is_red_only_when_asked(book: Path) -> None:
    (book / "docs" / QOS).write_text("---\nhardware_teir: 2\n---\n# Quality\n\nThe text of the page.\n")
    assert run("check").exit_code == 0
    strict = run("check", "--strict")
    assert strict.exit_code == 3 and f"{QOS}:2: `hardware_teir` is not a known key" in strict.stdout
    assert run("check", "--format", "github").stdout.startswith("::warning file=docs/")
    assert document(run("check", "--format", "json"))["findings"][-1]["rule"] == "unknown-key"
    assert run("check", "--format", "xml").exit_code == 2


def test_jobs_lists_runs_that_had_something_to_do(indexed: Path) -> None:
    assert run("ingest").exit_code == 0
    [job] = document(run("jobs", "--json"))["jobs"]
    assert (job["status"], job["files_processed"], job["failures"]) == ("completed", 3, [])
    assert document(run("jobs", "show", str(job["job_id"]), "--json")) == job
    assert "status: completed" in run("jobs", "show", str(job["job_id"])).stdout
    assert document(run("jobs", "list", "--json")) == document(run("jobs", "--json"))
    for wrong in (["show", "99"], ["show", "x"], ["hide", "1"]):
        assert run("jobs", *wrong).exit_code == 2


def test_lesson_takes_the_path_that_tab_completion_gives(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("lesson", QOS).stdout
    assert run("lesson", f"docs/{QOS}").stdout == expected
    assert run("lesson", str((indexed / "docs" / QOS).resolve())).stdout == expected
    (indexed / "other.md").write_text("# Not of the book\n")
    assert run("lesson", "other.md").exit_code == 2


def test_jobs_are_readable_at_80_columns(indexed: Path) -> None:
    lines = run("jobs").stdout.splitlines()
    assert max(map(len, lines)) <= 80 and "completed" in lines[2]


def test_verify_finds_lost_points_that_records_still_claim(indexed: Path) -> None:
    assert run("verify").exit_code == 0
    (indexed / "docs" / GPU).write_text(PAGES[GPU].replace("sixteen", "twelve"))
    assert run("verify").exit_code == 12
    assert run("verify", "--repair").exit_code == 0 and run("verify").exit_code == 0


def test_a_wait_stands_before_any_command_and_is_checked_like_the_setting(indexed: Path) -> None:
    assert run("--wait", "3", "info").exit_code == 0
    wrong = run("--wait", "soon", "info")
    assert wrong.exit_code == 4 and "index.wait (flag)" in wrong.stderr
    assert run("info").exit_code == 0


def test_check_takes_the_files_that_a_hook_gives_it(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", {"a.md": "# A\n\n```\nnever closed\n", "b.md": "# B\n\n```\nnor this\n"})
    both = document(run("check", "--json"))
    one = document(run("check", "docs/a.md", "--json"))
    assert {finding["path"] for finding in both["findings"]} == {"a.md", "b.md"}
    assert {finding["path"] for finding in one["findings"]} == {"a.md"}
    assert run("check", "docs/a.md", "docs").exit_code == 2

"""`import bookwise`: what programs may rely on."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bookwise
from bookwise.command_line import app
from tests.bookwise.conftest import write
from tests.support.books import page
from tests.support.paths import ROOT


def test_every_promised_name_is_there_and_no_other() -> None:
    assert {name: getattr(bookwise, name) for name in bookwise.__all__}.keys() == set(dir(bookwise))
    assert sorted(bookwise._HOMES) == bookwise.__all__
    with pytest.raises(AttributeError, match="no attribute 'serve'"):
        _ = bookwise.serve


def test_the_import_alone_loads_nothing_of_ours_or_of_others() -> None:
    code = (
        "import sys; before = set(sys.modules); import bookwise; "
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["bookwise"]


def test_a_search_keeps_to_its_filters(book: bookwise.Book) -> None:
    question = "ray tracing on a graphics card"
    assert {each.source_file for each in book.search(question).results} == {"m1/01-topics.md"}
    for_tier_4 = book.search(question, limit=1, filters=bookwise.Filters(hardware_tier=4))
    assert [each.source_file for each in for_tier_4.results] == ["m2/01-isaac.md"]


def test_an_answer_quotes_the_book_and_names_its_lines(book: bookwise.Book) -> None:
    answer = book.ask("Why does a late subscriber miss messages?")
    assert answer.state in ("completed", "low_confidence") and "transient local" in answer.answer
    source = answer.citations[0]
    lines = (ROOT / book._settings.book.docs / source.source_file).read_text(encoding="utf-8").splitlines()
    assert any("late subscriber" in line for line in lines[source.line_start - 1 : source.line_end])


def test_a_follow_up_is_asked_with_the_conversation_so_far(book: bookwise.Book) -> None:
    question = "Why does a late subscriber miss messages?"
    so_far = [bookwise.Message("user", question), bookwise.Message("assistant", book.ask(question).answer)]
    assert book.ask("tell me more").state == "no_results"
    assert book.ask("tell me more", history=so_far).answer != book.ask("tell me more").answer


def test_a_question_is_answered_where_an_event_loop_is_running_already(book: bookwise.Book) -> None:
    async def in_a_notebook() -> bookwise.AgentResponse:
        return book.ask("Why does a late subscriber miss messages?")

    assert asyncio.run(in_a_notebook()).citations


def test_a_stream_ends_with_the_whole_answer_that_its_pieces_make(book: bookwise.Book) -> None:
    async def collect() -> list[bookwise.Event]:
        return [event async for event in book.stream("Why does a late subscriber miss messages?")]

    events = asyncio.run(collect())
    assert isinstance(events[0], bookwise.Searched) and isinstance(events[-1], bookwise.Done)
    told = "".join(event.text for event in events if isinstance(event, bookwise.Token))
    assert told == events[-1].response.answer


def test_a_lesson_is_read_within_the_filters(book: bookwise.Book) -> None:
    assert book.lesson("m1/01-topics.md").title == "Topics"
    with pytest.raises(bookwise.UsageError, match=r"no lesson 'm2/01-isaac.md'"):
        book.lesson("m2/01-isaac.md")


def test_threads_share_a_book(book: bookwise.Book) -> None:
    found: list[str] = []

    def look() -> None:
        found.append(book.search("late subscriber", limit=1).results[0].source_file)

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["m1/01-topics.md"] * 6


def test_an_open_book_can_be_indexed_again_and_searched_after_it(tmp_path: Path) -> None:
    folder = write(tmp_path)
    with bookwise.open_book(folder) as book:
        book.ingest()
        book.search("late subscriber")
        (folder / "docs" / "m1" / "02-services.md").write_text(
            page("Services", "A service answers each request with one reply."), encoding="utf-8"
        )
        planned = book.plan()
        assert planned.dry_run and planned.files["new"] == 1
        assert book.search("a request with one reply", limit=1).results[0].source_file == "m1/01-topics.md"
        assert book.ingest().files["new"] == 1
        assert book.search("a request with one reply", limit=1).results[0].source_file == "m1/02-services.md"


@pytest.mark.parametrize("has_config", [True, False])
def test_the_command_line_finds_what_the_api_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_config: bool
) -> None:
    folder = write(tmp_path)
    if not has_config:
        (folder / "bookwise.toml").unlink()
    with bookwise.open_book(folder) as book:
        report = book.ingest()
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, ["plan", "--json"])
    planned = json.loads(done.stdout)
    assert (planned["book_id"], planned["files"]) == (report.book_id, {"unchanged": 2})
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == [
        ".bookwise",
        ".ingestion_state.json",
    ]


def test_failures_say_what_to_do(tmp_path: Path) -> None:
    with bookwise.open_book(tmp_path) as book, pytest.raises(bookwise.ConfigurationError, match="bookwise ingest"):
        book.search("anything at all")
    with pytest.raises(bookwise.ConfigurationError, match=r"chunk\.tokens"):
        bookwise.open_book(tmp_path, {"chunk.tokens": "many"})
    with pytest.raises(bookwise.UsageError, match="hardware tier"):
        bookwise.Filters(hardware_tier=9)
    with pytest.raises(bookwise.SourceError, match="no such folder"):
        bookwise.open_book(tmp_path / "absent")


def test_a_lesson_that_fails_is_in_the_report(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "docs" / "m1" / "02-broken.md").write_text("---\ntitle: [\n---\n\nText.\n", encoding="utf-8")
    with bookwise.open_book(folder) as book:
        report = book.ingest()
        assert [failure.path for failure in report.failures] == ["m1/02-broken.md"]
        assert isinstance(report.failures[0], bookwise.LessonError)
        assert book.search("late subscriber").results

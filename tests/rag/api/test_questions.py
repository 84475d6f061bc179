"""What readers ask and what they think of the answers: recorded, grouped, shown to the owner alone, and forgotten."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from bookwise.command_line import app as command_line
from ingestion.settings.loader import load_settings
from rag.conversations.database import database_of
from rag.conversations.questions import QuestionLog
from rag.conversations.store import ThreadStore
from rag.evaluation.questions import load_questions
from tests.support.chat_api import QUESTION, add_key, book, indexed, is_problem, serving

__all__ = ["book", "indexed"]

UNKNOWN = {"message": "Who won the world cup in 1998?"}


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(command_line, ["questions", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def ask_around(book: Path) -> dict[str, Any]:
    """Three questions of a reader, two of which mean the same; returns the last answer."""
    with serving(book, open_to_all=True) as client:
        client.post("/chat/run", json=QUESTION)
        client.post("/chat/run", json={"message": "what is a node"})
        answer: dict[str, Any] = client.post("/chat/run", json=UNKNOWN).json()
        return answer


def test_questions_of_one_meaning_are_one_group_with_the_pages_that_should_answer(book: Path) -> None:
    ask_around(book)
    report = json.loads(run("--json"))
    assert report["total"] == 3
    first, second = report["groups"]
    assert first["count"] == 2 and first["unanswered"] == 0 and "node" in first["question"]
    assert first["pages"][0]["source_file"].endswith("01-nodes.md")
    assert second["question"] == UNKNOWN["message"] and second["unanswered"] == 1


def test_the_command_shows_kinds_as_text_and_as_csv_that_no_spreadsheet_runs(book: Path) -> None:
    ask_around(book)
    with serving(book, open_to_all=True) as client:
        client.post("/chat/run", json={"message": "=HYPERLINK(1)"})
    shown = run("--unanswered")
    assert UNKNOWN["message"] in shown and QUESTION["message"] not in shown
    rows = list(csv.DictReader(io.StringIO(run("--csv"))))
    assert rows[0]["question"] == "'=HYPERLINK(1)" and len(rows) == 4
    assert "No such questions" in run("--disliked")
    refused = CliRunner().invoke(command_line, ["questions", "--since", "soon"])
    assert refused.exit_code == 2 and "7d" in refused.stderr


def test_unanswered_questions_become_an_evaluation_file(book: Path) -> None:
    ask_around(book)
    run("--export", "asked.jsonl")
    answered, unanswered = load_questions(Path("asked.jsonl"))
    assert answered.answerable and answered.pages[0].endswith("01-nodes.md")
    assert not unanswered.answerable and unanswered.text == UNKNOWN["message"]


def test_a_reader_rates_an_answer_changes_it_and_takes_it_back(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        answer = client.post("/chat/run", json=QUESTION).json()
        address = f"/threads/{answer['session_id']}/messages/{answer['message_number']}/feedback"
        assert answer["message_number"] == 2
        assert client.post(address, json={"rating": "up"}).status_code == 204
        assert client.post(address, json={"rating": "down", "comment": "Too short."}).status_code == 204
        [group] = json.loads(run("--disliked", "--json"))["groups"]
        assert group["disliked"] == 1 and group["comments"] == ["Too short."]
        assert client.post(address, json={"rating": None}).status_code == 204
        assert json.loads(run("--disliked", "--json"))["total"] == 0
        figures = client.get("/metrics").text
    assert 'bookwise_ratings_total{rating="down"} 1.0' in figures


def test_only_an_answer_of_one_s_own_can_be_rated(book: Path) -> None:
    mine, other = add_key("mine"), add_key("other")
    with serving(book, open_to_all=False) as client:
        session = client.post("/chat/run", json=QUESTION, headers=mine).json()["session_id"]

        def rate(thread: str, number: int, key: dict[str, str], **body: Any) -> Any:
            return client.post(f"/threads/{thread}/messages/{number}/feedback", json=body, headers=key)

        assert is_problem(rate(session, 2, other, rating="up"), 404)
        assert is_problem(rate(session, 1, mine, rating="up"), 404)
        assert is_problem(rate(str(uuid4()), 2, mine, rating="up"), 404)
        assert is_problem(rate(session, 2, mine, rating="sideways"), 422)
        assert is_problem(rate(session, 2, mine, rating="up", comment="x" * 1001), 422)
        assert rate(session, 2, mine, rating="up").status_code == 204


def test_the_owner_sees_what_is_asked_and_what_it_costs_and_readers_do_not(book: Path) -> None:
    reader, owner = add_key("reader"), add_key("owner", is_owner=True)
    with serving(book, open_to_all=False) as client:
        client.post("/chat/run", json=QUESTION, headers=reader)
        for path in ("/owner/questions", "/owner/usage"):
            assert is_problem(client.get(path, headers=reader), 403) and is_problem(client.get(path), 401)
        report = client.get("/owner/questions?since=1d", headers=owner).json()
        [usage] = client.get("/owner/usage", headers=owner).json()["usage"]
        assert is_problem(client.get("/owner/questions?since=never", headers=owner), 422)
        assert client.get("/owner").status_code == 200
    assert report["total"] == 1 and report["groups"][0]["question"] == QUESTION["message"]
    assert (usage["name"], usage["questions"], usage["answered"]) == ("reader", 1, 1)


def test_a_failed_turn_leaves_neither_a_thread_nor_a_question(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        session = str(uuid4())
        refused = client.post("/chat/run", json=QUESTION | {"session_id": session, "module": "no-such-module"})
        assert is_problem(refused, 422)
        assert is_problem(client.get(f"/threads/{session}"), 404)
    assert json.loads(run("--json"))["total"] == 0


def test_what_is_deleted_or_older_than_it_is_kept_is_gone_with_its_questions(book: Path) -> None:
    answer = ask_around(book)
    with serving(book, open_to_all=True) as client:
        assert client.delete(f"/threads/{answer['session_id']}").status_code == 204
    assert json.loads(run("--json"))["total"] == 2
    with closing(database_of(load_settings({}, environ={}))) as database:
        threads, questions = ThreadStore(database), QuestionLog(database)
        assert threads.forget(idle=timedelta(days=1)) == 0
        assert threads.forget(idle=timedelta(0)) == 2
        assert threads.list() == [] and questions.forget(older_than=timedelta(0)) == 0
    assert json.loads(run("--json"))["total"] == 0


@pytest.mark.parametrize("kept", ["1", "0"])
def test_the_server_forgets_after_the_days_that_are_set(book: Path, kept: str) -> None:
    ask_around(book)
    with closing(database_of(load_settings({}, environ={}))) as database, database.write() as connection:
        connection.exec_driver_sql("UPDATE conversation_threads SET updated_at = '2020-01-01 00:00:00'")
        connection.exec_driver_sql("UPDATE asked_questions SET asked_at = '2020-01-01 00:00:00'")
    with serving(book, open_to_all=True, **{"conversations.keep_days": kept}) as client:
        client.get("/ready")
        listed = client.get("/threads?archived=true").json()["threads"]
    assert len(listed) == (0 if kept == "1" else 3)

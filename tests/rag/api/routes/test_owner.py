"""The owner reads answers and threads, marks questions as done, and exports or deletes one reader's data."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from bookwise.command_line import app as command_line
from tests.support.chat_api import QUESTION, add_key, book, indexed, is_problem, serving

__all__ = ["book", "indexed"]

UNKNOWN = {"message": "Who won the world cup in 1998?"}


def rate(client: Any, answer: dict[str, Any], key: dict[str, str], **feedback: str) -> None:
    address = f"/threads/{answer['session_id']}/messages/{answer['message_number']}/feedback"
    assert client.post(address, json=feedback, headers=key).status_code == 204


def key_id_of(client: Any, name: str, owner: dict[str, str]) -> str:
    usage = client.get("/owner/usage", headers=owner).json()["usage"]
    return next(row["key_id"] for row in usage if row["name"] == name)


def test_a_question_leads_to_its_answer_its_sources_and_its_comment(book: Path) -> None:
    reader, owner = add_key("reader"), add_key("owner", is_owner=True)
    with serving(book, open_to_all=False) as client:
        answer = client.post("/chat/run", json=QUESTION, headers=reader).json()
        rate(client, answer, reader, rating="up", comment="Clear.")
        [group] = client.get("/owner/questions?kind=liked", headers=owner).json()["groups"]
        [asked] = group["answers"]
        assert group["liked"] == 1 and (asked["rating"], asked["comment"]) == ("up", "Clear.")
        address = f"/owner/threads/{asked['thread_id']}"
        around = {"before": asked["number"] + 1, "limit": 2}
        question, shown = client.get(f"{address}/messages", params=around, headers=owner).json()["messages"]
        assert question["content"] == QUESTION["message"] and shown["answer"]["sources"]
        assert client.get(address, headers=owner).json()["messages"] == [question, shown]
        for path in (address, f"{address}/messages"):
            assert is_problem(client.get(path, headers=reader), 403) and is_problem(client.get(path), 401)
        assert is_problem(client.get(f"/owner/threads/{uuid4()}", headers=owner), 404)
        # Neither the reader's own routes nor another's lead there.
        assert is_problem(client.get(f"/threads/{asked['thread_id']}", headers=owner), 404)


def test_an_owner_of_one_book_or_a_lower_tier_reads_no_thread_beyond(book: Path) -> None:
    reader, owner = add_key("reader"), add_key("owner", is_owner=True)
    elsewhere = add_key("elsewhere", is_owner=True, books=("another",))
    low = add_key("low", is_owner=True, highest_tier=1)
    with serving(book, open_to_all=False) as client:
        answer = client.post("/chat/run", json=QUESTION | {"hardware_tier": 3}, headers=reader).json()
        address, body = f"/owner/threads/{answer['session_id']}", {"thread_id": answer["session_id"], "number": 2}
        assert is_problem(client.get(address, headers=elsewhere), 404) and is_problem(
            client.get(address, headers=low), 404
        )
        assert client.get(address, headers=owner).status_code == 200
        client.post("/owner/questions/done", json={"answers": [body]}, headers=elsewhere)
        assert client.get("/owner/questions", headers=owner).json()["groups"][0]["done"] == 0
        for key in (elsewhere, low):
            assert is_problem(client.get("/owner/reader?key_id=x", headers=key), 403)
            assert is_problem(client.delete("/owner/reader?key_id=x", headers=key), 403)


def test_what_is_done_stays_away_until_it_is_asked_again_or_reopened(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        client.post("/chat/run", json=QUESTION)
        client.post("/chat/run", json={"message": "what is a node"})
        client.post("/chat/run", json=UNKNOWN)

        def groups() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = client.get("/owner/questions?open=true").json()["groups"]
            return found

        nodes = groups()[0]["answers"]
        named = [{name: each[name] for name in ("thread_id", "number")} for each in nodes]
        assert len(named) == 2
        assert client.post("/owner/questions/done", json={"answers": named}).status_code == 204
        assert [group["question"] for group in groups()] == [UNKNOWN["message"]]
        assert client.get("/owner/questions").json()["groups"][0]["done"] == 2
        client.post("/chat/run", json=QUESTION)
        assert sorted(group["count"] for group in groups()) == [1, 1]
        client.post("/owner/questions/done", json={"answers": named, "done": False})
        assert groups()[0]["count"] == 3
        assert is_problem(client.post("/owner/questions/done", json={"answers": []}), 422)
    shown = CliRunner().invoke(command_line, ["questions", "--open", "--json"])
    assert json.loads(shown.stdout)["total"] == 4


def test_the_trend_counts_by_day_and_sums_up(book: Path) -> None:
    with serving(book, open_to_all=True, **{"api.token_price": 1.0}) as client:
        assert client.get("/owner/trend").json()["totals"]["questions"] == 0
        good, other = (client.post("/chat/run", json=QUESTION).json() for _ in range(2))
        client.post("/chat/run", json=UNKNOWN)
        rate(client, good, {}, rating="up")
        rate(client, other, {}, rating="down")
        report = client.get("/owner/trend?since=4w").json()
        [day] = report["days"]
        counts = {"questions": 3, "answered": 2, "liked": 1, "disliked": 1}
        assert report["totals"] | counts == report["totals"] and day | counts == day
        assert report["totals"]["cost"] == 0.0 and day["day"].startswith("20")
        [usage] = client.get("/owner/usage").json()["usage"]
        assert usage | counts == usage


def test_questions_are_exported_as_the_command_does(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        client.post("/chat/run", json={"message": "=HYPERLINK(1)"})
        sent = client.get("/owner/questions.csv?kind=unanswered")
        assert (
            sent.headers["content-type"].startswith("text/csv")
            and "attachment" in sent.headers["content-disposition"]
        )
    assert sent.text == CliRunner().invoke(command_line, ["questions", "--csv"]).stdout.rstrip("\n") + "\n"
    [row] = csv.DictReader(io.StringIO(sent.text))
    assert row["question"] == "'=HYPERLINK(1)" and row["done"] == "False"


@pytest.mark.parametrize("by_command", [False, True])
def test_one_readers_data_is_exported_and_deleted_and_nobody_elses(book: Path, by_command: bool) -> None:
    reader, other, owner = add_key("reader"), add_key("other"), add_key("owner", is_owner=True)
    own: dict[str, Any] = {"messages": [{"role": "user", "content": "What is a node?"}]}

    def run(*arguments: str) -> Any:
        result = CliRunner().invoke(command_line, ["keys", *arguments])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    with serving(book, open_to_all=False) as client:
        for key in (reader, reader, other):
            client.post("/chat/run", json=QUESTION, headers=key)
        own["model"] = client.get("/v1/models", headers=reader).json()["data"][0]["id"]
        assert client.post("/v1/chat/completions", json=own, headers=reader).status_code == 200
        named = {"key_id": key_id_of(client, "reader", owner)}
        if by_command:
            data = run("export", named["key_id"])
        else:
            data = client.get("/owner/reader", params=named, headers=owner).json()
        assert len(data["threads"]) == 2 and len(data["questions"]) == 3
        assert [each["role"] for each in data["threads"][0]["messages"]] == ["user", "assistant"]
        assert data["threads"][0]["messages"][1]["answer"]["sources"]
        if by_command:
            gone = run("forget", named["key_id"], "--yes", "--json")
        else:
            gone = client.delete("/owner/reader", params=named, headers=owner).json()
        assert (gone["threads"], gone["questions"]) == (2, 3)
        assert client.get("/threads", headers=reader).json()["threads"] == []
        assert len(client.get("/threads", headers=other).json()["threads"]) == 1
        assert client.get("/owner/questions", headers=owner).json()["total"] == 1
        usage = {row["name"]: row["questions"] for row in client.get("/owner/usage", headers=owner).json()["usage"]}
        assert usage == {"deleted": 3, "other": 1}
        assert is_problem(client.delete("/owner/reader", params=named, headers=reader), 403)


def test_a_user_of_an_application_is_told_apart_from_the_others_of_its_key(book: Path) -> None:
    key, owner = add_key("application"), add_key("owner", is_owner=True)
    with serving(book, open_to_all=False) as client:
        for user in ("anna", "anna", "ben"):
            client.post("/chat/run", json=QUESTION | {"metadata": {"user_id": user}}, headers=key)
        anna = {"user_id": "anna"}
        data = client.get("/owner/reader", params=anna, headers=owner).json()
        assert len(data["threads"]) == len(data["questions"]) == 2
        elsewhere = client.get("/owner/reader", params=anna | {"key_id": "0"}, headers=owner).json()
        assert elsewhere["threads"] == elsewhere["questions"] == []
        gone = client.delete("/owner/reader", params=anna, headers=owner).json()
        assert gone == {"threads": 2, "questions": 2}
        [left] = client.get("/threads", headers=key).json()["threads"]
        assert left["metadata"]["user_id"] == "ben"
        assert client.get("/owner/usage", headers=owner).json()["usage"][0]["name"] == "application"
        assert is_problem(client.get("/owner/reader", headers=owner), 422)


def test_deleting_asks_first(book: Path) -> None:
    refused = CliRunner().invoke(command_line, ["keys", "forget", "1f2e3d4c"], input="n\n")
    assert refused.exit_code == 2 and "--yes" in refused.stderr

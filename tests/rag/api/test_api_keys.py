"""Keys of the chat API: what each may read, ask and start, how often, and how `bookwise keys` makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import pytest
from typer.testing import CliRunner

from bookwise.command_line import app as command_line
from rag.api.http.auth import CACHE_SECONDS
from tests.support.books import write_book
from tests.support.chat_api import PAGES, QUESTION, add_key, book, indexed, is_problem, serving

__all__ = ["book", "indexed"]


def test_a_lesson_above_a_key_s_tier_is_like_one_that_is_not_there(book: Path) -> None:
    low, all_tiers = add_key("low", highest_tier=1), add_key("all")
    with serving(book, open_to_all=False) as client:
        body = {"query": "graphics card memory", "hardware_tier": 4}
        [gpu, *_] = client.post("/search", json=body, headers=all_tiers).json()["results"]
        lesson = f"/lessons/{gpu['parent_doc_id']}"
        assert "sixteen gigabytes" in client.get(lesson, headers=all_tiers).json()["text"]
        hidden, unknown = (
            client.get(each, headers=low) for each in (lesson, f"/lessons/{uuid5(NAMESPACE_DNS, 'x')}")
        )
    assert is_problem(hidden, 404) and is_problem(unknown, 404)
    assert hidden.json()["detail"].replace(gpu["parent_doc_id"], "") == unknown.json()["detail"].replace(
        str(uuid5(NAMESPACE_DNS, "x")), ""
    )


def test_a_thread_belongs_to_its_key_and_no_key_is_refused(book: Path) -> None:
    one, two = add_key("one"), add_key("two")
    with serving(book, open_to_all=False) as client:
        assert is_problem(client.post("/chat/run", json=QUESTION), 401)
        session = client.post("/chat/run", json=QUESTION, headers=one).json()["session_id"]
        assert is_problem(client.get(f"/threads/{session}", headers=two), 404)
        assert client.get("/threads", headers=two).json()["threads"] == []
        assert client.get(f"/threads/{session}", headers=one).status_code == 200


def test_who_shares_a_public_key_is_not_told_of_the_threads_of_others(book: Path) -> None:
    shared = add_key("site", is_public=True)
    with serving(book, open_to_all=False) as client:
        session = client.post("/chat/run", json=QUESTION, headers=shared).json()["session_id"]
        assert client.get("/threads", headers=shared).json() == {"threads": [], "next_before": None}
        assert len(client.get(f"/threads/{session}", headers=shared).json()["messages"]) == 2
        assert is_problem(client.post("/ingest", json={}, headers=shared), 403)


def test_the_books_that_a_key_may_ask_and_what_can_be_chosen_in_them(book: Path) -> None:
    low, other = add_key("low", highest_tier=1), add_key("other", books=("another",))
    mine = "physical-ai-robotics"
    with serving(book, open_to_all=False) as client:
        assert [each["book_id"] for each in client.get("/books", headers=low).json()["books"]] == [mine]
        choices = client.get(f"/books/{mine}", headers=low).json()
        assert [each["name"] for each in choices["modules"]] == ["ros2"] and choices["tiers"] == [1]
        assert client.get("/books", headers=other).json() == {"books": []}
        assert is_problem(client.get(f"/books/{mine}", headers=other), 404)
        assert is_problem(client.get(f"/books/{mine}/pages?url=/x", headers=other), 403)


def test_a_key_cannot_reach_beyond_its_limits(book: Path) -> None:
    low, other = add_key("low", highest_tier=1), add_key("other", books=("another",))
    with serving(book, open_to_all=False) as client:
        body = {"query": "graphics card", "hardware_tier": 4}
        assert is_problem(client.post("/search", json=body, headers=low), 403)
        assert client.post("/search", json=body | {"hardware_tier": 1}, headers=low).status_code == 200
        mine = client.post("/search", json={"query": "node", "book_id": "physical-ai-robotics"}, headers=other)
        assert is_problem(mine, 403)


def test_more_requests_than_a_key_may_send_are_told_when_to_come_back(book: Path) -> None:
    key = add_key("busy")
    with serving(book, open_to_all=False, **{"api.limits": {"rate": "2"}}) as client:
        statuses = [client.post("/chat/run", json=QUESTION, headers=key).status_code for _ in range(3)]
        refused = client.post("/chat/run", json=QUESTION, headers=key)
    assert statuses == [200, 200, 429]
    assert is_problem(refused, 429) and 0 < int(refused.headers["retry-after"]) <= 61


def test_keys_are_shown_once_listed_without_their_secret_and_revoked(clean_surroundings: Path) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command_line, ["keys", *arguments])

    added = json.loads(run("add", "ci", "--book", "one", "--highest-tier", "2", "--json").stdout)
    listed = run("list")
    assert added["secret"].startswith("bw_") and added["secret"] not in listed.stdout
    assert added["key_id"] in listed.stdout and "one" in listed.stdout
    assert all(added["secret"].encode() not in path.read_bytes() for path in Path(".bookwise").rglob("*.sqlite"))
    assert run("revoke", added["key_id"]).exit_code == 0 and "revoked" in run("list").stdout
    assert run("revoke", "00000000").exit_code == 2


def test_without_keys_the_server_listens_on_loopback_only(clean_surroundings: Path) -> None:
    refused = CliRunner().invoke(command_line, ["serve", "--host", "0.0.0.0"])
    assert refused.exit_code == 2 and "keys add" in refused.stderr


def test_the_server_looks_for_keys_where_the_book_s_own_settings_keep_them(clean_surroundings: Path) -> None:
    book = clean_surroundings / "book"
    write_book(book / "docs", PAGES)
    (book / "bookwise.toml").write_text('[index]\ndirectory = "elsewhere"\n', encoding="utf-8")
    run = CliRunner(env={"BOOKWISE_TRUST_CONFIG": "1"})
    assert run.invoke(command_line, ["keys", "add", "ci", "--config", str(book / "bookwise.toml")]).exit_code == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rag.api.http.server.run", lambda *_, ready: ready())
        patch.setattr("rag.api.http.logs.set_up_logging", lambda _: None)
        told = run.invoke(command_line, ["serve", str(book), "--port", "0"])
    assert told.exit_code == 0 and "API key required" in told.stderr


def test_what_a_key_spent_stays_spent_when_its_conversations_are_deleted(book: Path) -> None:
    public, owner = add_key("site", is_public=True), add_key("owner", is_owner=True)
    with serving(book, open_to_all=False, **{"api.limits": {"daily_questions": 2}, "api.token_price": 2.0}) as client:
        for _ in range(2):
            session = client.post("/chat/run", json=QUESTION, headers=public).json()["session_id"]
            assert client.delete(f"/threads/{session}", headers=public).status_code == 204
        assert is_problem(client.post("/chat/run", json=QUESTION, headers=public), 429)
        [row] = client.get("/owner/usage?since=1d", headers=owner).json()["usage"]
    assert (row["name"], row["questions"], row["cost"]) == ("site", 2, 0.0)


def test_a_key_that_is_made_while_the_server_runs_is_asked_for(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.api.http.auth.CACHE_SECONDS", 0.0)
    with serving(book, open_to_all=True) as client:
        assert client.post("/chat/run", json=QUESTION).status_code == 200
        key = add_key("new")
        assert is_problem(client.post("/chat/run", json=QUESTION), 401)
        assert client.post("/chat/run", json=QUESTION, headers=key).status_code == 200


def test_nobody_waits_longer_than_five_seconds_for_that() -> None:
    assert CACHE_SECONDS <= 5.0

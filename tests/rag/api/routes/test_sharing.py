"""A shared answer is read without a key by who has its link, until it is revoked; off unless the owner allows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.chat_api import QUESTION, add_key, book, indexed, is_problem, serving

__all__ = ["book", "indexed"]


def asked(client: Any, key: dict[str, str]) -> tuple[str, str]:
    """A thread, and the path of the share of its answer."""
    session = client.post("/chat/run", json=QUESTION, headers=key).json()["session_id"]
    return session, f"/threads/{session}/messages/2/share"


def test_the_link_shows_the_question_and_the_answer_alone_until_it_is_revoked(book: Path) -> None:
    key = add_key("reader")
    with serving(book, open_to_all=False, **{"page.sharing": True}) as client:
        session, path = asked(client, key)
        client.post("/chat/run", json={"message": "What about topics?", "session_id": session}, headers=key)
        link = {"token": client.post(path, headers=key).json()["token"]}
        shown = client.get(f"/shared/{session}/2", params=link).json()
        assert shown["question"]["content"] == QUESTION["message"]
        assert shown["answer"]["answer"]["sources"] and set(shown) == {"question", "answer"}
        assert is_problem(client.get(f"/shared/{session}/4", params=link), 404)
        assert is_problem(client.get(f"/shared/{session}/2", params={"token": "x" * 32}), 404)
        assert client.delete(path, headers=key).status_code == 204
        assert is_problem(client.get(f"/shared/{session}/2", params=link), 404)


def test_a_new_link_ends_the_old_one_and_a_deleted_thread_ends_both(book: Path) -> None:
    with serving(book, open_to_all=True, **{"page.sharing": True}) as client:
        session, path = asked(client, {})
        old, new = (client.post(path).json()["token"] for _ in range(2))
        statuses = [client.get(f"/shared/{session}/2", params={"token": each}).status_code for each in (old, new)]
        assert statuses == [404, 200]
        client.delete(f"/threads/{session}")
        assert is_problem(client.get(f"/shared/{session}/2", params={"token": new}), 404)


def test_nothing_is_shared_where_the_owner_does_not_allow_it_nor_by_others(book: Path) -> None:
    mine, other = add_key("mine"), add_key("other")
    with serving(book, open_to_all=False, **{"page.sharing": True}) as client:
        session, path = asked(client, mine)
        assert is_problem(client.post(path, headers=other), 404) and is_problem(client.post(path), 401)
        assert is_problem(client.post(path.replace("/2/", "/1/"), headers=mine), 404)
        token = client.post(path, headers=mine).json()["token"]
    with serving(book, open_to_all=False) as client:
        assert is_problem(client.post(path, headers=mine), 404)
        assert is_problem(client.get(f"/shared/{session}/2", params={"token": token}), 404)
        assert not client.get("/start", headers=mine).json()["sharing"]

"""What a thread is about: said once it has five exchanges, by the model or from its questions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.chat_api import book, indexed, serving
from tests.support.openai_chat import ChatServer, says, search_then_quote
from tests.support.openai_server import Reply, Request

__all__ = ["book", "indexed"]


class Naming(ChatServer):
    """Answers questions, and says or refuses what a conversation is about."""

    def __init__(self, topic: str) -> None:
        super().__init__()
        self.topic = topic

    def answer(self, request: Request) -> Reply:
        if "tools" in request.body:
            return search_then_quote(request)
        self.requests.append(request)
        return says(self.topic)


def topic_after(exchanges: int, client: TestClient) -> Any:
    body: dict[str, Any] = {"message": "What is a node?"}
    for _ in range(exchanges):
        body["session_id"] = client.post("/chat/run", json=body).json()["session_id"]
    deadline = time.monotonic() + 60
    while (topic := client.get(f"/threads/{body['session_id']}").json().get("topic_summary")) is None:
        if exchanges < 5 or time.monotonic() > deadline:
            break
    return topic


@pytest.mark.parametrize(("said", "shown"), [("Nodes\nand topics", "Nodes and topics"), ("x" * 300, "x" * 199 + "…")])
def test_a_model_says_what_a_thread_of_five_exchanges_is_about(book: Path, said: str, shown: str) -> None:
    with Naming(said) as model, serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        assert topic_after(4, client) is None and model.requests == []
        assert topic_after(5, client) == shown
    [asked] = model.requests
    assert asked.body["messages"][1]["content"].count("What is a node?") == 5


def test_a_model_that_says_nothing_leaves_it_to_the_questions(book: Path) -> None:
    with Naming("") as model, serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        assert topic_after(5, client) == "What is a node?"


def test_without_a_model_the_questions_say_it(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        assert topic_after(5, client) == "What is a node?"

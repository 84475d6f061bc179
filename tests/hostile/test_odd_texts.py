"""NUL and halves of characters in lessons, questions and a model's answers: answered and stored in every database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.books import write_book
from tests.support.chat_api import events_in, serving
from tests.support.command_line import copy_index, run
from tests.support.openai_chat import ChatServer, calls, cites, raw_calls, says
from tests.support.postgres import database_url, postgres_server

__all__ = ["database_url", "postgres_server"]

LESSON = """---
title: "The zorblat\\0 valve \\uD800 turns"
description: "Odd \\0 \\uDFFF"
slug: "/a\\0b"
module: "m\\0"
tags: ["\\0", "\\uDC00"]
---

# The zorblat\0 valve

The zorblat\0 valve opens slowly. The valve needs oil &#0; twice a day. &#xD800; \x01\x1b[31m
"""
QUESTION = "How does the zorblat valve open?"


@pytest.fixture(scope="module")
def odd_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    write_book(folder / "docs", {"m/01-valve.md": LESSON, "m/02-good.md": "# Oil\n\nOil is kept cool.\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = run("ingest", "docs")
    assert done.exit_code in (0, 3), done.output
    return folder


@pytest.fixture
def book(clean_surroundings: Path, odd_book: Path) -> Path:
    copy_index(odd_book, clean_surroundings)
    return clean_surroundings


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def test_questions_and_titles_with_odd_characters_are_answered_and_stored(book: Path, database_url: str) -> None:
    bodies = [
        {"message": QUESTION},
        *(
            {"message": f"{QUESTION} {odd}"}
            for odd in ("\ud800", "\udc00\ud800", "\ufffe\uffff", "\x01\x1b", "\U0010ffff")
        ),
        {"message": f"{QUESTION}\0"},
        {"message": QUESTION, "book_id": "a\ud800"},
        {"message": QUESTION, "module": "m\ud800"},
        {"message": QUESTION, "url": "/a\ud800"},
    ]
    with serving(book, open_to_all=True, **{"index.database_url": database_url}) as client:
        for body in bodies:
            sent = {"content": json.dumps(body), "headers": {"content-type": "application/json"}}
            for path in ("/chat/run", "/chat/stream", "/search"):
                status = client.post(path, **sent).status_code
                assert status < 500, (body, path, status)
        threads = client.get("/threads").json()["threads"]
        assert len(threads) >= 2
        for thread in threads:
            assert client.get(f"/threads/{thread['thread_id']}").status_code == 200
        label = json.dumps({"topic": "a\ud800"})
        patched = client.patch(f"/threads/{threads[0]['thread_id']}", content=label)
        assert patched.status_code < 500
        assert client.get("/owner/questions").status_code == 200


ODD_REPLIES: list[list[Any]] = [
    [calls("zorblat"), cites("The valve\0 opens \ud83d", "slowly {0}. \udc00\ud800")],
    [
        raw_calls(("retrieve_documentation", json.dumps({"query": "zorblat \ud800\0 valve"}))),
        cites("It opens slowly {0}."),
    ],
    [raw_calls(("retrieve\0\ud800", "\0\ud800")), calls("zorblat"), cites("It opens slowly {0}.")],
    [calls("zorblat"), says("\0\ud800")],
    [calls("zorblat"), says("", finish="stop", refusal="No \0 \ud800")],
]


@pytest.mark.parametrize("script", ODD_REPLIES, ids=range(len(ODD_REPLIES)))
def test_a_model_that_writes_odd_characters_is_answered_and_stored(
    book: Path, database_url: str, model: ChatServer, script: list[Any]
) -> None:
    flags = {"openai.base_url": model.base_url, "index.database_url": database_url}
    with serving(book, open_to_all=True, **flags) as client:
        for path in ("/chat/run", "/chat/stream"):
            model.script.clear()
            model.script += script
            answer = client.post(path, json={"message": QUESTION})
            assert answer.status_code in (200, 502), answer.text
            assert "\0" not in answer.text and "\\u0000" not in answer.text and "\\ud800" not in answer.text
            if path == "/chat/stream":
                assert all(told.get("status") in (None, 502) for _, told in events_in(answer.text))
        for thread in client.get("/threads").json()["threads"]:
            assert client.get(f"/threads/{thread['thread_id']}").status_code == 200

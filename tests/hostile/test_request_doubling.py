"""No field of a request takes more than three times the processor time when its length doubles, up to its limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ingestion.settings.loader import load_settings
from rag.api.app import create_app
from rag.retrieval.query_terms import MAX_WEIGHED_CHARS, without_each_word
from tests.support.books import write_book
from tests.support.command_line import PAGES, run

TIMES_PER_DOUBLING = 3.0
SOON = 0.25
"""Seconds of processor time below which a ratio tells nothing."""

MEGABYTE = 1_000_000
Body = Callable[[str], dict[str, Any]]


def completion(*messages: tuple[str, str]) -> dict[str, Any]:
    return {"model": "robots", "messages": [{"role": role, "content": text} for role, text in messages]}


FIELDS: Mapping[str, tuple[str, int, Body]] = {
    "question": ("/chat/run", 1000, lambda text: {"message": text}),
    "search": ("/search", 1000, lambda text: {"query": text}),
    "module": ("/search", 200, lambda text: {"query": "pump", "module": text}),
    "book": ("/search", 200, lambda text: {"query": "pump", "book_id": text}),
    "completion": ("/v1/chat/completions", MEGABYTE, lambda text: completion(("user", text))),
    "task": ("/v1/chat/completions", MEGABYTE, lambda text: completion(("user", f"### Task:\n{text}"))),
    "history": (
        "/v1/chat/completions",
        MEGABYTE,
        lambda text: completion(
            ("user", f"### Task: title\n<chat_history>\nUSER: {text}\n</chat_history>"),
        ),
    ),
    "answer": (
        "/v1/chat/completions",
        MEGABYTE,
        lambda text: completion(("user", "pump?"), ("assistant", text), ("user", "How long?")),
    ),
    "style": ("/v1/chat/completions", MEGABYTE, lambda text: completion(("system", text), ("user", "How long?"))),
    "code": ("/render", 10_000, lambda text: {"items": [{"kind": "code", "text": text, "language": "python"}]}),
    "language": ("/render", 100, lambda text: {"items": [{"kind": "code", "text": "x", "language": text}]}),
    "formula": ("/render", 1000, lambda text: {"items": [{"kind": "math", "text": text, "display": True}]}),
}
UNITS = (
    *("a", "a ", " ", "\n", "<chat_history>\n", "USER: ", '{ "', "\n\nSources:\n1. "),
    *("\n\nNote: ", "1. a\n", "ب ", "-`"),
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("book")
        patch.chdir(folder)
        write_book(folder / "docs", PAGES)
        assert run("ingest", "--book", "robots").exit_code == 0
        place = {"index.directory": str(folder / ".bookwise"), "index.state": str(folder / ".ingestion_state.json")}
        rates = {"api.limits": dict.fromkeys(("rate", "client_rate", "read_rate"), 1_000_000)}
        settings = load_settings({"embedding.embedder": "local"} | place | rates)
        with TestClient(
            create_app(settings, folder / "docs", open_to_all=True), base_url="http://127.0.0.1"
        ) as client:
            yield client


def seconds(client: TestClient, path: str, body: dict[str, Any]) -> float:
    began = time.process_time()
    response = client.post(path, json=body)
    assert response.status_code < 500, response.text
    return time.process_time() - began


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_of_twice_the_length_takes_no_three_times_the_work(name: str, client: TestClient) -> None:
    path, limit, body = FIELDS[name]
    first = client.post(path, json=body("pump"))
    assert first.status_code == 200 or name in ("module", "book"), first.text
    for unit in UNITS:
        half, whole = (body((unit * limit)[: size - 200 if size > 2000 else size]) for size in (limit // 2, limit))
        tries = 0
        while (longer := seconds(client, path, whole)) > max(SOON, TIMES_PER_DOUBLING * seconds(client, path, half)):
            tries += 1
            assert tries < 3, f"{name}, {unit!r}: {longer:.2f} s"


def test_a_task_of_a_client_is_read_in_linear_time() -> None:
    from rag.api.services.client_tasks import reader_words, task_in

    for text in ("### Task:\n" + "<chat_history>\n" * 60_000, "### Task:title<chat_history>USER: " + " " * MEGABYTE):
        for ending in ("", "x</chat_history>"):
            began = time.process_time()
            task = task_in(text + ending)
            assert task is None or task.reply()
            reader_words(text + ending)
            assert time.process_time() - began < 10


def test_what_is_embedded_of_a_long_question_word_by_word_is_bounded() -> None:
    words = " ".join(f"gear{number} turns" for number in range(400))[:4000]
    assert sum(len(rest) for rest, _ in without_each_word(words)) <= MAX_WEIGHED_CHARS
    assert len(without_each_word("How do the gears of a robot turn?")) == 3

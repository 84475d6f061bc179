"""One index of every form that hides something: no door shows a hidden word, and whole pages show all others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import bookwise
from rag.filters import Filters
from tests.hidden.forms import FORMS, PLACES, page_of
from tests.hidden.test_page import words
from tests.support.api_servers import events_of, listening
from tests.support.command_line import copy_index, index_book, run
from tests.support.mcp_servers import call, text_of
from tests.support.openai_chat import ChatServer, calls, cites

QUESTION = "What does the charger of this page say?"
WHOLE = next(place for place in PLACES if place.name == "blank lines")
INLINE = next(place for place in PLACES if place.name == "in a line")
PAGES = {
    f"m1/{number:02}-page.md": page_of(form, WHOLE if form.blocks else INLINE if form.inline else PLACES[4]).replace(
        "zabefore", f"The charger of this page says much, zabefore{number}"
    )
    for number, form in enumerate(FORMS, 1)
    if "unknown" in form.hiding
}
FIRST = next(iter(PAGES))
OPEN = Filters(hardware_tier=4)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_book(tmp_path_factory.mktemp("hidden"), PAGES)


@pytest.fixture
def book(clean_surroundings: Path, indexed: Path) -> Path:
    copy_index(indexed, clean_surroundings)
    return clean_surroundings


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def hidden_in(shown: str) -> set[str]:
    return words(shown, "zq")


def test_the_commands(book: Path) -> None:
    searches = [run("search", QUESTION, "--limit", "20"), run("search", QUESTION, "--limit", "20", "--json")]
    lessons = [run("lesson", path) for path in PAGES]
    answers = [run("ask", QUESTION, "--no-llm"), run("ask", "zqone zqword?", "--no-llm", "--json")]
    assert run("export", "out").exit_code == 0
    exported = [(book / "out" / name).read_text() for name in ("llms.txt", "llms-full.txt")]
    assert all(each.exit_code == 0 for each in (*searches, *lessons))
    printed = [each.stdout for each in (*searches, *lessons, answers[0])]
    assert [text for text in (*printed, *exported) if hidden_in(text)] == []
    assert hidden_in(json.loads(answers[1].stdout)["answer"]) <= hidden_in("zqone zqword")
    seen = {word for text in PAGES.values() for word in words(text, "za")}
    for whole in ("\n".join(each.stdout for each in lessons), exported[1]):
        assert words(whole, "za") == seen


def test_the_servers_and_what_the_model_is_sent(book: Path, server: ChatServer) -> None:
    server.script.extend([calls(QUESTION), cites("It says much {0}."), calls(QUESTION), cites("It says much {0}.")])
    texts: dict[str, str] = {}
    with listening(book, **{"openai.base_url": server.base_url}) as client:
        found = client.post("/search", json={"query": QUESTION, "limit": 20})
        assert found.status_code == 200, found.text
        texts["/search"] = found.text
        lesson = found.json()["results"][0]["parent_doc_id"]
        texts["lesson"] = client.get(f"/lessons/{lesson}").text
        book_id = found.json()["book_id"]
        texts["llms-full"] = client.get(f"/books/{book_id}/llms-full.txt").text
        with client.stream("POST", "/chat/stream", json={"message": QUESTION}) as response:
            texts["stream"] = json.dumps(list(events_of(response)), default=str)
        asked = {"model": book_id, "messages": [{"role": "user", "content": QUESTION}]}
        texts["openai"] = client.post("/v1/chat/completions", json=asked).text
    assert server.requests
    texts["the model"] = "".join(json.dumps(each.body, default=str) for each in server.requests)
    assert {door: hidden_in(text) for door, text in texts.items() if hidden_in(text)} == {}
    assert all(words(texts[door], "za") for door in ("/search", "lesson", "llms-full"))


def test_mcp_and_the_retrievers_of_others(book: Path) -> None:
    from bookwise.langchain import BookwiseRetriever

    found = call(book, OPEN, "search_lessons", query=QUESTION, limit=20)
    read = call(book, OPEN, "read_lesson", reference=FIRST)
    answered = call(book, OPEN, "ask", question=QUESTION)
    texts = [text_of(each) + json.dumps(each.structured_content) for each in (found, read, answered)]
    with bookwise.open_book(book) as opened:
        texts += [each.page_content for each in BookwiseRetriever(book=opened, k=20).invoke(QUESTION)]
    assert [text for text in texts if hidden_in(text)] == []
    assert words(texts[1], "za") == words(PAGES[FIRST], "za")

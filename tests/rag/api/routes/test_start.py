"""What a page shows first: one request for books, choices, threads and the owner's own words, colour and logo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ingestion.errors import ConfigurationError
from ingestion.settings.loader import load_settings
from rag.api.app import create_app
from tests.support.chat_api import QUESTION, add_key, book, indexed, serving

__all__ = ["book", "indexed"]

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'


def test_one_request_tells_what_four_did(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        session = client.post("/chat/run", json=QUESTION).json()["session_id"]
        told = client.get(f"/start?thread_id={session}").json()
        [first] = client.get("/books").json()["books"]
        assert told["books"] == [first]
        assert told["book"] == client.get(f"/books/{first['book_id']}").json()
        assert told["threads"] == client.get("/threads").json()
        assert told["archived"] == client.get("/threads?archived=true").json()
        assert told["thread"]["messages"][0]["content"] == QUESTION["message"]
        assert (told["questions"], told["disclaimer"], told["sharing"]) == ([], None, False)


def test_a_thread_that_is_gone_and_a_book_that_is_none_fail_nothing(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        told = client.get("/start?book_id=another&thread_id=550e8400-e29b-41d4-a716-446655440000").json()
    assert told["thread"] is None and told["book"]["book_id"] == told["books"][0]["book_id"]


def test_a_public_key_is_told_no_threads_of_others(book: Path) -> None:
    public = add_key("page", is_public=True)
    with serving(book, open_to_all=False) as client:
        client.post("/chat/run", json=QUESTION, headers=public)
        told = client.get("/start", headers=public).json()
        refused = client.get("/start")
    assert told["threads"]["threads"] == [] and told["book"] and refused.status_code == 401


def test_page_and_widget_have_the_owners_colour_logo_and_words(clean_surroundings: Path) -> None:
    (clean_surroundings / "logo.svg").write_text(SVG)
    own = {"page.colour": "#AA0055", "page.logo": str(clean_surroundings / "logo.svg")}
    app = create_app(load_settings(own, environ={}), clean_surroundings, open_to_all=True)
    client = TestClient(app, base_url="http://127.0.0.1")
    page, widget, logo = (client.get(path) for path in ("/", "/widget.js", "/logo"))
    assert 'data-colour="#aa0055"' in page.text and '<img class="logo" src="logo" alt="">' in page.text
    assert json.dumps({"colour": "#aa0055", "has_logo": True}) in widget.text
    assert logo.headers["content-type"] == "image/svg+xml" and logo.text == SVG
    assert "sandbox" in logo.headers["content-security-policy"]


def test_without_a_logo_there_is_none(clean_surroundings: Path) -> None:
    client = TestClient(
        create_app(load_settings({}, environ={}), clean_surroundings, open_to_all=True), base_url="http://127.0.0.1"
    )
    assert client.get("/logo").status_code == 404 and "logo" not in client.get("/").text


@pytest.mark.parametrize(("name", "value"), [("colour", "red"), ("logo", "passwd"), ("logo", "../outside.png")])
def test_what_is_no_colour_or_no_picture_of_the_book_is_refused(
    clean_surroundings: Path, name: str, value: str
) -> None:
    config = clean_surroundings / "bookwise.toml"
    config.write_text(f'[page]\n{name} = "{value}"\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=f"page.{name}"):
        load_settings({}, config=config, environ={})

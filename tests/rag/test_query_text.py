"""A question of two Chinese, Japanese or Korean characters is searched wherever questions are asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bookwise.command_line import app
from ingestion.errors import InvalidToolCall
from rag.agent.tools import parse_call
from rag.api.schemas import SearchRequest
from rag.mcp.tools import AskArguments, SearchArguments
from rag.query_text import MOST_COMPARED, compared_part, is_long_enough
from tests.support.books import page
from tests.support.chat_api import serving
from tests.support.command_line import copy_index, index_book
from tests.support.mcp_servers import OPEN, call

JOINED = "می\u200cخواهم"
TITLE = "کتاب می\u200cخواهم"
PAGES = {
    "m/01-node.md": page("节点", "节点通过话题交换消息。"),
    "m/02-want.md": page(TITLE, f"من این کتاب را {JOINED} و آن را هر روز با دوستم می\u200cخوانم."),
    "m/04-go.md": page("Languages", "The driver is written in Go, the firmware in C."),
    "m/03-forms.md": page("Letters", "\ufe8d\ufedf\ufee4\ufeaa\ufead\ufeb3\ufe94 is a school in these forms."),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_book(tmp_path_factory.mktemp("unspaced"), PAGES)


@pytest.fixture
def indexed(clean_surroundings: Path, index: Path) -> Path:
    copy_index(index, clean_surroundings)
    return clean_surroundings


@pytest.mark.parametrize("text", ["节点", "ノド", "ﾉﾄﾞ", "노드", "か0", "𠀀𠀁", "abc", " abc "])
def test_three_characters_or_two_of_chinese_japanese_or_korean_are_enough(text: str) -> None:
    assert is_long_enough(text)


@pytest.mark.parametrize("text", ["", "hi", "节", " 节 ", "。、", "   ", "ا", "é!"])
def test_fewer_are_not(text: str) -> None:
    assert not is_long_enough(text)


def test_of_a_long_question_the_beginning_and_the_end_are_compared_in_whole_words() -> None:
    asked, why = "My pump stopped.", "Why does it?"
    log = "line of a log " * 300
    part = compared_part(f"{asked} {log} {why}")
    assert part.startswith(asked) and part.endswith(why) and len(part) <= MOST_COMPARED
    assert set(part.split()) <= {*asked.split(), *log.split(), *why.split()}
    assert len(compared_part("节" * 4_000)) <= MOST_COMPARED + 1
    assert compared_part(short := "Why does the pump stop?") == short


def test_a_model_searches_by_the_same_rule() -> None:
    assert parse_call("retrieve_documentation", '{"query": " 节点 "}').query == "节点"
    with pytest.raises(InvalidToolCall, match="at least 3 characters, or 2 in Chinese"):
        parse_call("retrieve_documentation", '{"query": "h!"}')


def test_schemas_state_the_fewest_characters_that_may_do() -> None:
    fields = [
        SearchRequest.model_json_schema()["properties"]["query"],
        SearchArguments.model_json_schema()["properties"]["query"],
        AskArguments.model_json_schema()["properties"]["question"],
    ]
    assert [(field["minLength"], field["maxLength"]) for field in fields] == [(1, 1000), (1, 4000), (1, 4000)]


def first_by_command(question: str) -> dict[str, str]:
    result = CliRunner().invoke(app, ["search", question, "--json"])
    assert result.exit_code == 0, result.stderr
    first: dict[str, str] = json.loads(result.stdout)["results"][0]
    return first


def test_two_characters_are_searched_by_command_http_and_mcp(indexed: Path) -> None:
    assert first_by_command("节点")["source_file"] == "m/01-node.md"
    with serving(indexed, open_to_all=True) as api:
        found = api.post("/search", json={"query": "节点"})
        said = api.post("/search", json={"query": "节"})
        answer = api.post("/chat/run", json={"message": "节点"})
    assert found.status_code == 200 and found.json()["results"][0]["source_file"] == "m/01-node.md"
    assert said.status_code == 422 and "2 in Chinese, Japanese or Korean" in said.json()["detail"]
    assert answer.status_code == 200
    told = call(indexed, OPEN, "search_lessons", query="节点")
    assert not told.is_error and told.structured_content["results"][0]["source_file"] == "m/01-node.md"
    assert call(indexed, OPEN, "search_lessons", query="节").is_error
    assert not call(indexed, OPEN, "ask", question="节点").is_error


@pytest.mark.parametrize("term", ["Go", "C"])
def test_a_term_of_the_index_is_searched_at_every_door_however_short(indexed: Path, term: str) -> None:
    assert first_by_command(term)["source_file"] == "m/04-go.md"
    with serving(indexed, open_to_all=True) as api:
        found = api.post("/search", json={"query": term})
    assert found.status_code == 200 and found.json()["results"][0]["source_file"] == "m/04-go.md"
    told = call(indexed, OPEN, "search_lessons", query=term)
    assert not told.is_error and told.structured_content["results"][0]["source_file"] == "m/04-go.md"


def test_a_short_word_that_the_book_lacks_gets_one_sentence_at_every_door(indexed: Path) -> None:
    sentence = "at least 3 characters, or 2 in Chinese, Japanese or Korean, or be a word that the book has"
    result = CliRunner().invoke(app, ["search", "zq"])
    assert result.exit_code and sentence in " ".join(result.stderr.split())
    with serving(indexed, open_to_all=True) as api:
        said = api.post("/search", json={"query": "zq"})
    assert said.status_code in (400, 422) and sentence in said.json()["detail"]
    assert call(indexed, OPEN, "search_lessons", query="zq").is_error


@pytest.mark.parametrize("question", [JOINED, JOINED.replace("\u200c", "")])
def test_persian_is_found_with_and_without_the_joiner_and_its_title_keeps_it(indexed: Path, question: str) -> None:
    first = first_by_command(question)
    assert first["source_file"] == "m/02-want.md" and first["page_title"] == TITLE


@pytest.mark.parametrize("question", ["\ufe8d\ufedf\ufee4\ufeaa\ufead\ufeb3\ufe94", "المدرسة"])
def test_arabic_is_found_in_letters_and_in_presentation_forms(indexed: Path, question: str) -> None:
    assert first_by_command(question)["source_file"] == "m/03-forms.md"

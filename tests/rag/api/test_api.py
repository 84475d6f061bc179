"""The chat API over its real parts: an embedded index, SQLite, no language model."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rag.api.http.logs import JsonLines
from tests.support.books import page, write_book
from tests.support.chat_api import PAGES, QUESTION, add_key, book, ended, events_in, indexed, is_problem, serving

__all__ = ["book", "indexed"]


@pytest.fixture
def client(book: Path) -> Iterator[TestClient]:
    with serving(book, open_to_all=True) as client:
        yield client


def test_an_answer_has_sources_and_its_exchange_is_in_the_thread(client: TestClient) -> None:
    answer = client.post("/chat/run", json=QUESTION).json()
    assert "one program" in answer["response"] and answer["should_answer"]
    assert answer["sources"][0]["source_file"] == "module-1-ros2/chapter-1-basics/01-nodes.md"
    thread = client.get(f"/threads/{answer['session_id']}").json()
    assert [message["role"] for message in thread["messages"]] == ["user", "assistant"]
    assert thread["messages"][0]["content"] == QUESTION["message"]


def test_a_stream_tells_retrieval_tokens_sources_and_the_same_answer(client: TestClient) -> None:
    response = client.post("/chat/stream", json=QUESTION)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_in(response.text)
    names = [name for name, _ in events]
    assert names[0] == "retrieval" and names[-2:] == ["sources", "done"] and "token" in names
    done = events[-1][1]
    assert "".join(data["text"] for name, data in events if name == "token").strip() == done["response"].strip()


def test_a_thread_goes_on_is_listed_and_can_be_deleted(client: TestClient) -> None:
    session = client.post("/chat/run", json=QUESTION).json()["session_id"]
    client.post("/chat/run", json={"message": "What about topics?", "session_id": session})
    [listed] = client.get("/threads").json()["threads"]
    assert (listed["thread_id"], listed["message_count"]) == (session, 4)
    assert client.delete(f"/threads/{session}").status_code == 204
    assert is_problem(client.get(f"/threads/{session}"), 404)
    assert client.get("/threads").json()["threads"] == []


def test_a_message_of_one_character_is_a_question(client: TestClient) -> None:
    answer = client.post("/chat/run", json={"message": "?"})
    assert answer.status_code == 200 and not answer.json()["should_answer"]
    [asked, _] = client.get(f"/threads/{answer.json()['session_id']}").json()["messages"]
    assert asked["content"] == "?"


def test_what_the_book_does_not_answer_is_refused_and_says_so(client: TestClient) -> None:
    answer = client.post("/chat/run", json={"message": "Who won the world cup in 1998?"}).json()
    assert not answer["should_answer"] and answer["sources"] == []


def test_the_tier_of_a_request_is_a_filter(client: TestClient) -> None:
    def found(tier: int) -> list[str]:
        results = client.post("/search", json={"query": "graphics card memory", "hardware_tier": tier}).json()
        return [each["source_file"] for each in results["results"]]

    assert not any("isaac" in path for path in found(1)) and any("isaac" in path for path in found(4))


@pytest.mark.parametrize(
    "body",
    [
        {"message": ""},
        {"message": "x" * 1001},
        {"message": "x", "top_k": 11},
        {"message": "x", "session_id": "no-uuid"},
        {"message": "x", "widen": True},
        {"message": "x", "module": "no-such-module"},
        {"message": "x", "chapter_min": 99},
        {"message": "x", "book_id": "another"},
    ],
)
def test_what_cannot_be_asked_is_a_problem_document(client: TestClient, body: dict[str, Any]) -> None:
    response = client.post("/chat/run", json=body)
    assert is_problem(response, 422)
    assert client.get("/threads").json()["threads"] == []


def test_broken_json_and_a_body_without_bound_are_refused(client: TestClient) -> None:
    broken = client.post("/chat/run", content=b"{bad", headers={"content-type": "application/json"})
    assert is_problem(broken, 400)
    large = client.post("/chat/run", content=b"x" * 10_000_000, headers={"content-type": "application/json"})
    assert is_problem(large, 413)
    assert client.post("/chat/run", json=QUESTION).status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/chat/run", '{"message": }', "body: the body is not JSON: Expecting value at character 12"),
        ("/search", '{"query": "a node", "limit": 99}', "limit: Input should be less than or equal to 20"),
        ("/search", '{"query": "a node", "proficiency_levels": ["A9"]}', "proficiency_levels.0: "),
        ("/nowhere", "{}", "no such path; see /docs"),
    ],
)
def test_a_mistake_is_told_by_its_field_in_one_sentence(
    client: TestClient, path: str, body: str, detail: str
) -> None:
    told = client.post(path, content=body, headers={"content-type": "application/json"}).json()["detail"]
    assert told.startswith(detail) and "\n" not in told


def test_the_inside_of_a_union_is_nobody_s_field(client: TestClient) -> None:
    asked = {"model": "physical-ai-robotics", "messages": [{"role": "user", "content": "What is a node?"}], "stop": 7}
    error = client.post("/v1/chat/completions", json=asked).json()["error"]
    assert error["param"] == "stop" and error["message"].count("stop") == 1 and "constrained" not in error["message"]


def test_figures_have_no_series_of_beginnings_and_tell_of_the_process(client: TestClient) -> None:
    client.post("/chat/run", json=QUESTION)
    figures = client.get("/metrics").text
    assert "_created" not in figures and "process_resident_memory_bytes" in figures
    assert "Disallow: /" in client.get("/robots.txt").text


def test_a_thread_is_listed_with_its_first_question_and_gives_its_sources_again(client: TestClient) -> None:
    answer = client.post("/chat/run", json=QUESTION).json()
    [listed] = client.get("/threads").json()["threads"]
    assert listed["metadata"] == {"question": QUESTION["message"]}
    kept = client.get(f"/threads/{answer['session_id']}").json()["messages"][1]["answer"]
    assert [each["chunk_id"] for each in kept["sources"]] == [each["chunk_id"] for each in answer["sources"]]
    assert kept["confidence_level"] == answer["confidence_level"] and kept["should_answer"]


def test_the_metadata_of_a_thread_take_the_specification_s_example_and_are_merged(client: TestClient) -> None:
    example = {"user_id": "user123", "tags": ["ros2", "urdf", "robotics"]}
    path = f"/threads/{client.post('/chat/run', json=QUESTION | {'metadata': example}).json()['session_id']}"
    assert client.get(path).json()["metadata"] == {"question": QUESTION["message"]} | example
    assert client.patch(path, json={"metadata": {"tags": None, "label": "homework"}}).status_code == 204
    merged = {"question": QUESTION["message"], "user_id": "user123", "label": "homework"}
    assert client.get(path).json()["metadata"] == merged
    assert is_problem(client.patch(path, json={"metadata": {"note": "x" * 5000}}), 422)
    nested = '{"metadata": ' + '{"a": ' * 500 + "1" + "}" * 501
    answer = client.patch(path, content=nested, headers={"content-type": "application/json"})
    assert is_problem(answer, 422) and "20 deep" in answer.text
    assert client.get(path).json()["metadata"] == merged


def test_a_conversation_holds_as_many_questions_as_the_owner_allows(book: Path) -> None:
    with serving(book, open_to_all=True, **{"agent.max_turns": 2}) as client:
        session = client.post("/chat/run", json=QUESTION).json()["session_id"]
        again = QUESTION | {"session_id": session}
        assert client.post("/chat/run", json=again).status_code == 200
        refused = client.post("/chat/run", json=again)
        assert is_problem(refused, 409) and "start a new one" in refused.json()["detail"]
        streamed = events_in(client.post("/chat/stream", json=again).text)
        assert streamed[-1][0] == "error" and streamed[-1][1]["status"] == 409
        assert client.get(f"/threads/{session}").json()["message_count"] == 4


def test_a_kept_answer_knows_what_was_searched_and_when(client: TestClient) -> None:
    answer = client.post("/chat/run", json=QUESTION).json()
    [search] = answer["retrieval_history"]
    assert search["query"] == QUESTION["message"] and search["tool_name"] == "retrieve_documentation"
    assert search["results_count"] > 0 and 0 < search["avg_similarity"] <= 1 and search["timestamp"].endswith("Z")
    kept = client.get(f"/threads/{answer['session_id']}").json()["messages"][1]["answer"]
    assert kept["retrieval_history"] == [search]


def test_what_is_offered_next_leads_where_it_says_and_is_kept(client: TestClient, book: Path) -> None:
    sections = {
        "Checking it": "The command lists every program that runs, with its name and its place.",
        "Stopping one": "Press Ctrl and C once; a second press loses what was not written.",
        "Rules of names": "Letters, digits and underscores; no name begins with a digit.",
        "Where logs go": "Every line is kept in a folder of the user, which is emptied after a week.",
        "Licences": "All examples may be copied and changed by everybody.",
    }
    text = "A node is one program that does one job.\n\n" + "".join(
        f"## {title}\n\n{words}\n\n" for title, words in sections.items()
    )
    write_book(book / "docs", PAGES | {"module-1-ros2/chapter-1-basics/01-nodes.md": page("Nodes", text)})
    ended(client, client.post("/ingest", json={}).json()["job_id"])
    answer = client.post("/chat/run", json=QUESTION).json()
    kept = client.get(f"/threads/{answer['session_id']}").json()["messages"][1]["answer"]
    assert answer["follow_ups"] and kept["follow_ups"] == answer["follow_ups"]
    for offered in answer["follow_ups"]:
        assert offered["question"].endswith("?")
        found = client.post("/chat/run", json={"message": offered["question"]}).json()
        assert sections[offered["section_title"]] in found["response"]


def test_a_question_may_keep_to_one_page(client: TestClient) -> None:
    [first, *_] = client.post("/search", json={"query": "one program does one job"}).json()["results"]
    body = {"query": "graphics card memory", "hardware_tier": 4, "parent_doc_id": first["parent_doc_id"]}
    found = client.post("/search", json=body).json()["results"]
    assert {each["source_file"] for each in found} == {first["source_file"]}


def test_a_run_started_over_http_indexes_what_changed_while_readers_go_on(client: TestClient, book: Path) -> None:
    write_book(
        book / "docs", PAGES | {"module-1-ros2/chapter-1-basics/02-topics.md": page("Topics", "A topic hums.")}
    )
    started = client.post("/ingest", json={})
    assert started.status_code == 202
    deadline = time.monotonic() + 30
    while (job := client.get(f"/ingest/{started.json()['job_id']}").json())["status"] in ("queued", "running"):
        assert time.monotonic() < deadline
        assert client.get("/health").status_code == 200
    assert job["status"] == "completed" and job["files_processed"] == 1
    found = client.post("/search", json={"query": "a topic hums"}).json()["results"]
    assert found[0]["source_file"].endswith("02-topics.md")
    assert is_problem(client.get("/ingest/123456"), 404)


def test_the_server_tells_its_health_its_readiness_and_its_figures(client: TestClient) -> None:
    client.post("/chat/run", json=QUESTION)
    assert client.get("/health").json()["status"] == client.get("/ready").json()["status"] == "ok"
    figures = client.get("/metrics").text
    assert 'route="/chat/run",status="200"} 1.0' in figures
    assert "bookwise_first_token_seconds_count 1.0" in figures and "bookwise_retrieval_seconds_count 1.0" in figures
    assert "bookwise_model_seconds_count 0.0" in figures and "_created" not in figures
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/chat/run", "/chat/stream", "/threads", "/search", "/ingest", "/health", "/ready"} <= set(paths)


def test_a_search_by_words_embeds_nothing(client: TestClient) -> None:
    asked = {"query": "graphics card memory", "hardware_tier": 4}
    by_words = client.post("/search", json=asked | {"ranking": "keyword"}).json()["results"]
    by_both = client.post("/search", json=asked).json()["results"]
    assert by_words[0]["id"] == by_both[0]["id"]
    assert by_words[0]["relevance"] > 0
    assert by_words[0]["score"] == 0 < by_both[0]["score"]
    typed = client.post("/search", json={"query": "graph", "hardware_tier": 4, "ranking": "keyword"}).json()
    assert typed["results"][0]["id"] == by_words[0]["id"] and typed["query"] == "graph"


def test_searching_while_one_types_uses_up_no_questions(book: Path) -> None:
    key = add_key("reader")
    asked = {"query": "graphics"}
    with serving(book, open_to_all=False, **{"api.limits": {"rate": 1}}) as client:
        typed = [
            client.post("/search", json=asked | {"ranking": "keyword"}, headers=key).status_code for _ in range(3)
        ]
        questions = [client.post("/search", json=asked, headers=key).status_code for _ in range(2)]
    assert typed == [200, 200, 200] and questions == [200, 429]


def test_the_log_has_the_figures_of_an_answer_and_its_words_only_if_asked(
    book: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bookwise.api")
    for asked in (False, True):
        caplog.clear()
        with serving(book, open_to_all=True, **{"api.log_texts": asked}) as client:
            answer = client.post("/chat/run", json=QUESTION, headers={"X-Request-ID": "mine-12345"}).json()
        lines = [json.loads(JsonLines().format(each)) for each in caplog.records]
        [told] = [each for each in lines if each["event"] == "answer"]
        assert told["thread_id"] == answer["session_id"] and told["tokens"] == 0 and told["retrieval_ms"] > 0
        assert any(each["event"] == "request" and each["route"] == "/chat/run" and each["ms"] > 0 for each in lines)
        assert (QUESTION["message"] in json.dumps(lines)) is asked


def test_without_an_index_nothing_is_ready_and_a_question_says_what_to_do(clean_surroundings: Path) -> None:
    with serving(clean_surroundings, open_to_all=True) as client:
        assert client.get("/health").status_code == 200 and client.get("/ready").status_code == 503
        response = client.post("/chat/run", json=QUESTION)
    assert response.status_code >= 500 and "bookwise ingest" in response.json()["detail"]


@pytest.mark.parametrize("wrong", ["2", True, 2.0, "2.0", [2]], ids=repr)
@pytest.mark.parametrize("field", ["hardware_tier", "chapter_min", "chapter_max", "lesson", "limit"])
def test_a_number_is_a_number_and_nothing_that_looks_like_one(client: TestClient, field: str, wrong: Any) -> None:
    refused = client.post("/search", json={"query": QUESTION["message"], field: wrong})
    assert is_problem(refused, 422) and [each["field"] for each in refused.json()["errors"]] == [field]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat/run", QUESTION | {"stream": "true"}),
        ("/chat/run", QUESTION | {"stream": 1}),
        ("/chat/run", QUESTION | {"top_k": "5"}),
        ("/chat/run", QUESTION | {"similarity_threshold": "0.1"}),
        ("/chat/run", QUESTION | {"similarity_threshold": True}),
        ("/chat/run", {"message": 5}),
        ("/ingest", {"allow_delete": 1}),
    ],
)
def test_a_value_of_another_type_is_refused_by_its_field(client: TestClient, path: str, body: dict[str, Any]) -> None:
    refused = client.post(path, json=body)
    assert is_problem(refused, 422) and refused.json()["errors"][0]["field"] == next(reversed(body))

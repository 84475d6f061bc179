"""Failures are told to the operator in full and to the reader in one sentence; `/ready` names a failing model."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rag.api.http.logs import JsonLines, TerminalLines
from rag.api.http.outages import Outages
from tests.support.chat_api import QUESTION, add_key, book, events_in, indexed, is_problem, serving
from tests.support.openai_chat import ChatServer, calls, cites, says_nothing, search_then_quote, stream
from tests.support.openai_server import Reply, Request, error
from tests.support.waits import LONGEST, wait_until

__all__ = ["book", "indexed"]

SECRET_WORDS = "quota of organization org-fake1234 at 10.1.2.3"


class Lines(logging.Handler):
    """Keeps each line of the log as it is written, in the request that it belongs to."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, object]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(JsonLines().format(record)))


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[list[dict[str, object]]]:
    caplog.set_level(logging.INFO, "bookwise.api")
    handler, logger = Lines(), logging.getLogger("bookwise.api")
    logger.addHandler(handler)
    yield handler.lines
    logger.removeHandler(handler)


@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_reader_is_told_nothing_of_what_the_service_said_and_the_operator_all(
    book: Path, model: ChatServer, log: list[dict[str, object]], status: int
) -> None:
    key = add_key("reader")
    model.script += [error(status, SECRET_WORDS, headers={"x-should-retry": "false"})] * 2
    with serving(book, open_to_all=False, **{"openai.base_url": model.base_url}) as client:
        whole = client.post("/chat/run", json=QUESTION, headers=key)
        streamed = client.post("/chat/stream", json=QUESTION, headers=key)
        owner = add_key("owner", is_owner=True)
        figures = client.get("/metrics", headers=owner).text
    name, told = events_in(streamed.text)[-1]
    assert whole.status_code == 200 and name == "done"
    for answer in (whole.json(), told):
        said = json.dumps(answer)
        assert "org-fake" not in said and "10.1.2.3" not in said and "127.0.0.1" not in said
        assert answer["model"] == "extractive" and answer["sources"] and answer["should_answer"]
        assert (
            answer["error"].startswith("The language model is not available")
            and answer["request_id"] in answer["error"]
        )
    failures = [line for line in log if line["event"] == "failure"]
    assert len(failures) == 2
    for line in failures:
        assert line["level"] == "error" and line["part"] == "model" and line["kind"] == "ChatModelError"
        assert line["request_id"] and line["key_id"] and line["outcome"] == "degraded" and line["cause"]
    assert 'bookwise_failures_total{kind="ChatModelError",part="model"} 2.0' in figures
    # One line of level error for each failure, one of the outage; the line of a request says what became of it.
    assert [line for line in log if line["level"] == "error"] == failures
    [outage] = [line for line in log if line["event"] == "outage"]
    assert (outage["part"], outage["level"]) == ("model", "warning")
    failed = [line for line in log if line["event"] == "request" and line.get("outcome")]
    assert [(line["outcome"], line["part"]) for line in failed] == [("degraded", "model")] * 2


def test_a_model_that_fails_is_degraded_until_it_answers_and_the_server_stays_ready(
    book: Path, model: ChatServer
) -> None:
    model.script.append(error(401, "no such key"))
    with serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        assert client.get("/ready").json()["checks"]["model"] == "ok"
        client.post("/chat/run", json=QUESTION)
        failed = client.get("/ready")
        client.post("/chat/run", json=QUESTION)
        mended = client.get("/ready").json()
    assert failed.status_code == 200 and failed.json()["status"] == "degraded"
    assert failed.json()["checks"]["model"].startswith("degraded")
    assert mended["status"] == "ok" and mended["checks"]["model"] == "ok"


def test_a_model_that_broke_off_is_degraded_although_it_answered(book: Path, model: ChatServer) -> None:
    model.script += [calls("node"), cites("A node is one program {0}.", finish=None)]
    with serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        half = client.post("/chat/run", json=QUESTION).json()
        assert client.get("/ready").json()["checks"]["model"].startswith("degraded")
        kept = client.get(f"/threads/{half['session_id']}").json()["messages"][1]["answer"]
    assert half["confidence_level"] == "low" and half["model"] != "extractive" and half["tokens_used"] > 0
    assert (kept["error"], kept["request_id"]) == (half["error"], half["request_id"])


def test_a_model_that_does_not_begin_in_time_is_degraded_and_the_book_quoted(book: Path, model: ChatServer) -> None:
    go_on = threading.Event()
    model.script += [waiting(go_on)] * 2
    flags = {"openai.base_url": model.base_url, "agent.timeout": 1}
    with serving(book, open_to_all=True, **flags) as client:
        answer = client.post("/chat/run", json=QUESTION)
        assert client.get("/ready").json()["checks"]["model"].startswith("degraded")
        go_on.set()
    assert answer.status_code == 200 and answer.json()["model"] == "extractive"
    assert len(model.requests) == 1


def test_an_answer_that_does_not_end_in_time_is_the_model_s_failure(
    book: Path, model: ChatServer, log: list[dict[str, object]]
) -> None:
    go_on = threading.Event()
    flags = {"openai.base_url": model.base_url, "api.timeout": 8}
    with serving(book, open_to_all=True, **flags) as client:
        assert client.post("/chat/run", json=QUESTION).status_code == 200  # the index is open now
        model.script.append(says_nothing(go_on))
        assert is_problem(client.post("/chat/run", json=QUESTION), 504)
        go_on.set()
        assert client.get("/ready").json()["checks"]["model"].startswith("degraded")
        figures = client.get("/metrics").text
    assert 'bookwise_failures_total{kind="AnswerTimeout",part="model"} 1.0' in figures
    assert [line["part"] for line in log if line["event"] == "outage"] == ["model"]


def waiting(until: threading.Event) -> Callable[[Request], Reply]:
    def reply(_: Request) -> Reply:
        until.wait(LONGEST)
        return error(500, "too late")

    return reply


def test_a_service_that_does_not_count_tokens_recovers_and_costs_what_was_sent(book: Path, model: ChatServer) -> None:
    uncounted = stream([{"content": "Nodes talk over topics."}], "stop")
    body = b"".join(line for line in uncounted.body.splitlines(keepends=True) if b"usage" not in line)
    model.script += [error(401, "no such key"), search_then_quote, replace(uncounted, body=body)]
    with serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        client.post("/chat/run", json=QUESTION)
        answer = client.post("/chat/run", json=QUESTION).json()
        ready = client.get("/ready").json()
    assert answer["tokens_used"] > 100 and ready["checks"]["model"] == "ok"


def test_without_keys_on_loopback_the_reader_is_the_operator(book: Path, model: ChatServer) -> None:
    model.script.append(error(401, "no such key"))
    with serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        assert "OPENAI_API_KEY" in client.post("/chat/run", json=QUESTION).json()["error"]


def test_a_part_that_is_down_is_not_described_to_readers(clean_surroundings: Path) -> None:
    key = add_key("reader")
    with serving(clean_surroundings, open_to_all=False) as client:
        ready = client.get("/ready")
        asked = client.post("/chat/run", json=QUESTION, headers=key)
    assert ready.status_code == 503 and "ingest" not in ready.text
    assert is_problem(asked, 503) and "ingest" not in asked.text


def test_an_outage_is_logged_when_it_begins_and_when_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bookwise.api")
    outages = Outages()
    for _ in range(1000):
        outages.failed("rate store", "no connection")
    outages.recovered("rate store")
    outages.recovered("rate store")
    assert [(record.message, vars(record).get("failures")) for record in caplog.records] == [
        ("outage", None),
        ("recovered", 1000),
    ]


def test_files_of_the_page_are_not_logged(book: Path, log: list[dict[str, object]]) -> None:
    with serving(book, open_to_all=True) as client:
        log.clear()
        for path in ("/", "/static/app.js", "/widget.js", "/health"):
            assert client.get(path).status_code == 200
        client.get("/books")
        client.get("/static/none.js")
    routes = [line["route"] for line in log if line["event"] == "request"]
    assert routes == ["/books", "/static/{name:path}"]


def test_a_line_for_a_terminal_shows_what_it_is_given_and_no_control_character() -> None:
    record = logging.makeLogRecord({"msg": "request", "levelname": "INFO", "route": "/a b\x1b[31m\n", "status": 200})
    line = TerminalLines().format(record)
    assert line.endswith('route="/a b\\\\x1b[31m\\\\n" status=200') and "\x1b" not in line and "\n" not in line


def test_a_server_without_an_index_says_what_to_do_when_it_starts(
    clean_surroundings: Path, log: list[dict[str, object]]
) -> None:
    with serving(clean_surroundings, open_to_all=True) as client:
        assert wait_until(lambda: any(line["event"] == "not ready" for line in log))
        assert client.get("/ready").status_code == 503
    [line] = [line for line in log if line["event"] == "not ready"]
    assert "bookwise ingest" in str(line["reason"])


def test_json_answers_are_neither_sniffed_nor_stored(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        answers = [client.get("/books"), client.post("/chat/run", json=QUESTION), client.get("/threads/none")]
    assert all(each.headers["x-content-type-options"] == "nosniff" for each in answers)
    assert all(each.headers["cache-control"] == "no-store" for each in answers)


@pytest.mark.parametrize("host", ["testserver", "evil.example", "127.0.0.1.evil.example", "[::2]"])
def test_a_keyless_server_answers_to_its_own_names_only(book: Path, host: str) -> None:
    with serving(book, open_to_all=True) as client:
        assert is_problem(client.get("/books", headers={"Host": host}), 400)


def test_a_keyless_server_refuses_pages_of_other_origins(book: Path) -> None:
    with serving(book, open_to_all=True, **{"api.origins": ["https://book.example"]}) as client:
        assert is_problem(client.get("/books", headers={"Origin": "https://evil.example"}), 403)
        assert is_problem(client.get("/books", headers={"Origin": "null"}), 403)
        for origin in ("http://127.0.0.1", "https://book.example"):
            assert client.get("/books", headers={"Origin": origin}).status_code == 200


def test_figures_need_the_owner_s_key(book: Path) -> None:
    reader, owner = add_key("reader"), add_key("owner", is_owner=True)
    with serving(book, open_to_all=False) as client:
        assert is_problem(client.get("/metrics"), 401)
        assert is_problem(client.get("/metrics", headers=reader), 403)
        assert client.get("/metrics", headers=owner).status_code == 200


def problem_types(client: TestClient) -> list[str]:
    return [client.get("/threads/none").json()["type"], client.get("/ingest/999").json()["type"]]


def test_the_type_of_a_problem_leads_to_its_explanation(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        for address in problem_types(client):
            explained = client.get(address)
            assert explained.status_code == 200 and address.rpartition("/")[2] in explained.text
        assert client.get("/problems/none").status_code == 404


@pytest.mark.parametrize(("sent", "said"), [("", "it is missing"), ("text/plain", "not text/plain")])
def test_a_body_that_does_not_say_it_is_json_is_told_the_header_to_send(book: Path, sent: str, said: str) -> None:
    with serving(book, open_to_all=True) as client:
        refused = client.post("/chat/run", content=b"How?", headers={"Content-Type": sent})
    assert is_problem(refused, 415)
    assert refused.json()["detail"] == f"send JSON with the header Content-Type: application/json ({said})"

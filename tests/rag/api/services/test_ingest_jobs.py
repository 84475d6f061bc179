"""Runs over HTTP: one at a time a book, known by the job ledger, which outlives the server."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ingestion.factory import ledger_of
from ingestion.settings.loader import load_settings
from ingestion.state.writer_lock import writer_lock
from rag.api.services import ingest_jobs
from tests.support.books import page, write_book
from tests.support.chat_api import PAGES, add_key, book, ended, indexed, is_problem, serving
from tests.support.command_line import BOOK
from tests.support.openai_server import OpenAIServer, Reply, Request, embeddings
from tests.support.waits import LONGEST

__all__ = ["book", "indexed"]

NEW = {"module-1-ros2/chapter-1-basics/02-topics.md": page("Topics", "A topic hums.")}


def left_open() -> int:
    with closing(ledger_of(load_settings({}, environ={}))) as ledger:
        return ledger.begin(BOOK, "incremental").job_id


def test_a_run_is_the_ledger_s_job_and_is_known_to_the_next_server(book: Path) -> None:
    write_book(book / "docs", PAGES | NEW)
    with serving(book, open_to_all=True) as client:
        started = client.post("/ingest", json={})
        job = ended(client, started.json()["job_id"])
    assert started.headers["location"] == f"/ingest/{job['job_id']}"
    assert job["status"] == "completed" and job["files_processed"] == 1 and job["lessons_done"] == 1
    with serving(book, open_to_all=True) as client:
        assert client.get(f"/ingest/{job['job_id']}").json() == job


def test_a_run_without_work_is_a_completed_job_too(client: TestClient) -> None:
    job = ended(client, client.post("/ingest", json={}).json()["job_id"])
    assert job["status"] == "completed" and job["files_processed"] == 0 and job["files_skipped"] == 2


def test_a_run_that_cannot_be_made_says_why(book: Path) -> None:
    with serving(book / "nowhere", open_to_all=True) as client:
        job = ended(client, client.post("/ingest", json={}).json()["job_id"])
    assert job["status"] == "failed" and "nowhere" in job["error_message"]


def test_a_job_whose_process_died_is_failed_and_keeps_no_run_from_beginning(client: TestClient) -> None:
    dead = left_open()
    job = client.get(f"/ingest/{dead}").json()
    assert job["status"] == "failed" and job["error_message"] == "the process died before it finished"
    left_open()
    assert client.post("/ingest", json={}).status_code == 202


def test_a_book_that_is_being_written_is_not_written_twice(client: TestClient, book: Path) -> None:
    alive = left_open()
    with writer_lock(book / ".bookwise" / "writer.lock"):
        refused = client.post("/ingest", json={})
        assert client.get(f"/ingest/{alive}").json()["status"] == "running"
    assert is_problem(refused, 409) and refused.headers["location"] == f"/ingest/{alive}"


def test_a_second_run_is_refused_while_the_first_goes_on(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    go_on, ingest = threading.Event(), ingest_jobs.ingest

    def held(*arguments: Any, **options: Any) -> Any:
        go_on.wait(LONGEST)
        return ingest(*arguments, **options)

    monkeypatch.setattr(ingest_jobs, "ingest", held)
    first = client.post("/ingest", json={}).json()["job_id"]
    second = client.post("/ingest", json={})
    go_on.set()
    assert is_problem(second, 409) and str(first) in second.json()["detail"]
    assert ended(client, first)["status"] == "completed"


def test_a_key_without_the_right_neither_starts_a_run_nor_sees_one(book: Path) -> None:
    low, full = add_key("reader"), add_key("ci", may_ingest=True)
    job_id = left_open()
    with serving(book, open_to_all=False) as client:
        assert is_problem(client.post("/ingest", json={}, headers=low), 403)
        assert is_problem(client.get(f"/ingest/{job_id}", headers=low), 404)
        assert client.get(f"/ingest/{job_id}", headers=full).status_code == 200
        assert is_problem(client.get("/ingest/0", headers=full), 422)


@pytest.fixture
def client(book: Path) -> Any:
    with serving(book, open_to_all=True) as client:
        yield client


def test_a_run_that_waits_for_a_service_stops_with_the_server_and_goes_on_with_the_next(
    clean_surroundings: Path,
) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def held(request: Request) -> Reply:
        asked.set()
        go_on.wait(LONGEST)
        return embeddings(request)

    write_book(clean_surroundings / "docs", PAGES)
    with OpenAIServer() as service:
        service.script.append(held)
        settings = {"embedding.embedder": "openai", "openai.base_url": service.base_url}
        with serving(clean_surroundings, open_to_all=True, **settings) as client:
            job_id = client.post("/ingest", json={}).json()["job_id"]
            assert asked.wait(LONGEST)
        try:
            with serving(clean_surroundings, open_to_all=True, **settings) as client:
                stopped = client.get(f"/ingest/{job_id}").json()
                again = ended(client, client.post("/ingest", json={}).json()["job_id"])
        finally:
            go_on.set()
    assert stopped["status"] == "failed" and stopped["error_message"].startswith(
        "interrupted: the server was stopped"
    )
    assert again["status"] == "completed" and again["files_processed"] == 2

"""A book of two lessons behind the chat API, what it answers, and keys for it."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import pytest
from starlette.testclient import TestClient

from ingestion.settings.loader import load_settings
from rag.api.app import create_app
from rag.conversations.api_keys import KeyStore
from rag.conversations.database import database_of
from tests.support.books import page
from tests.support.command_line import copy_index, index_book

PAGES = {
    "module-1-ros2/chapter-1-basics/01-nodes.md": page(
        "Nodes", "A node is one program that does one job. Nodes talk to each other over topics.", hardware_tier=1
    ),
    "module-3-isaac/chapter-2-sim/01-gpu.md": page(
        "Which graphics card", "Isaac Sim needs a card with sixteen gigabytes of memory.", hardware_tier=3
    ),
}
NOBODYS_ID = str(uuid5(NAMESPACE_DNS, "nobody"))
QUESTION = {"message": "What is a node?"}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_book(tmp_path_factory.mktemp("indexed"), PAGES)


@pytest.fixture
def book(clean_surroundings: Path, indexed: Path) -> Path:
    copy_index(indexed, clean_surroundings)
    return clean_surroundings


def serving(book: Path, *, open_to_all: bool, **settings: Any) -> TestClient:
    """The API of the book, called in this process."""
    made = create_app(load_settings(settings, environ={}), book / "docs", open_to_all=open_to_all)
    return TestClient(made, base_url="http://127.0.0.1", raise_server_exceptions=False)


def is_problem(response: Any, status: int) -> bool:
    """Whether the response is a problem document (RFC 9457) with this status and the id of its request."""
    document = response.json()
    return (
        response.status_code == document["status"] == status
        and response.headers["content-type"] == "application/problem+json"
        and document["request_id"] == response.headers["x-request-id"]
    )


def ended(client: TestClient, job_id: int) -> dict[str, Any]:
    """The job of a run, once it has ended."""
    deadline = time.monotonic() + 30
    while (job := client.get(f"/ingest/{job_id}").json())["status"] in ("queued", "running"):
        assert time.monotonic() < deadline, "the run does not end"
        time.sleep(0.01)
    return dict(job)


def events_in(text: str) -> list[tuple[str, Any]]:
    """The events of a stream, each with its name and its data."""
    blocks = [block.splitlines() for block in text.strip().split("\n\n") if not block.startswith(":")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def add_key(name: str, **access: Any) -> dict[str, str]:
    """Create an API key in the current folder's database; returns the header that sends it."""
    with closing(database_of(load_settings({}, environ={}))) as database:
        _, secret = KeyStore(database).add(name, **access)
    return {"Authorization": f"Bearer {secret}"}

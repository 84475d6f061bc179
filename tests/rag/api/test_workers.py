"""Several workers behind one socket: what they share stays true, and they are replaced without a refused request."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingestion.errors import ExitCode, UsageError
from ingestion.settings.loader import load_settings
from rag.api.http.server import check_workers
from tests.support.api_servers import serve_process
from tests.support.books import write_book
from tests.support.chat_api import add_key
from tests.support.command_line import PAGES, run
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.socket_servers import redis_server
from tests.support.waits import LONGEST

QUESTION = {"message": "Who keeps the last message for late subscribers?", "hardware_tier": 4}
QDRANT = {"qdrant.url": "http://127.0.0.1:6333"}
WORKERS = 2


@pytest.mark.parametrize(
    ("flags", "with_keys", "said"),
    [
        ({}, False, "the embedded index belongs to one process at a time"),
        (QDRANT, True, "BOOKWISE_API_RATE_STORE"),
    ],
)
def test_workers_that_would_break_a_promise_are_refused(flags: dict[str, Any], with_keys: bool, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        check_workers(load_settings({"api.workers": 2} | flags, environ={}), with_keys=with_keys)
    check_workers(load_settings({"api.workers": 1} | flags, environ={}), with_keys=with_keys)


def test_workers_of_a_server_without_keys_need_no_redis() -> None:
    check_workers(load_settings({"api.workers": 2} | QDRANT, environ={}), with_keys=False)


@pytest.fixture
def shared(clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A book in a Qdrant server, and a Redis."""
    with running(QdrantServer()) as qdrant, redis_server() as store:
        monkeypatch.setenv("QDRANT_URL", qdrant.url)
        monkeypatch.setenv("QDRANT_API_KEY", KEY)
        monkeypatch.setenv("BOOKWISE_API_RATE_STORE", store)
        write_book(clean_surroundings / "docs", PAGES)
        done = run("ingest", str(clean_surroundings / "docs"))
        assert done.exit_code == 0, done.output
        yield clean_surroundings


def processes_of(parent: int) -> set[int]:
    """The workers of a server."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8")
    commands = {int(each): Path(f"/proc/{each}/cmdline").read_bytes() for each in children.split()}
    return {child for child, command in commands.items() if b"spawn_main" in command}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_share_limits_and_figures_and_are_replaced_without_a_refused_request(shared: Path) -> None:
    key, owner = add_key("reader"), add_key("owner", is_owner=True)
    with serve_process(shared, "--workers", str(WORKERS), BOOKWISE_API_LIMITS='{"rate": 12}') as (process, client):
        before = _answering(client, key, process.pid)
        statuses = [client.post("/chat/run", json=QUESTION, headers=key).status_code for _ in range(14)]
        assert (statuses.count(200), statuses.count(429)) == (12, 2)
        figures = client.get("/metrics", headers=owner).text
        assert 'route="/chat/run",status="200"} 12.0' in figures
        process.send_signal(signal.SIGHUP)
        refused = _asked_until(lambda: not before & processes_of(process.pid), client, key)
        assert refused == [] and len(processes_of(process.pid)) == WORKERS
        assert 'route="/chat/run",status="200"} 12.0' in client.get("/metrics", headers=owner).text
        process.terminate()
        assert process.wait(LONGEST) == 0


def _answering(client: httpx.Client, key: dict[str, str], parent: int) -> set[int]:
    deadline = time.monotonic() + 60
    while len(workers := processes_of(parent)) < WORKERS or client.get("/books", headers=key).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return workers


def _asked_until(is_done: Any, client: httpx.Client, key: dict[str, str]) -> list[str]:
    """Ask over new connections until it is done; what went wrong."""
    wrong: list[str] = []
    deadline = time.monotonic() + 90
    while not is_done():
        assert time.monotonic() < deadline, "the workers were not replaced"
        try:
            answer = httpx.get(f"{client.base_url}/books", headers=key | {"connection": "close"}, trust_env=False)
            wrong += [] if answer.status_code == 200 else [answer.text]
        except httpx.HTTPError as error:
            wrong.append(repr(error))
        time.sleep(0.02)
    return wrong


@pytest.mark.slow
def test_workers_that_cannot_start_end_the_server_with_the_reason(shared: Path) -> None:
    with serve_process(shared, "--workers", "2", BOOKWISE_API_LIMITS='{"daily_cost": 1}') as (process, _):
        said = process.communicate(timeout=60)[1]
    assert "api.limits.daily_cost needs api.token_price" in said and "a worker could not start" in said
    assert process.returncode == ExitCode.CONFIGURATION

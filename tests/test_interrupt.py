"""Ctrl-C, SIGTERM and a second process, against real runs in the middle of their work (cases C29 and C34)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.embedding.openai import OpenAIEmbedder
from tests.support.books import write_book
from tests.support.openai_server import OpenAIServer, Reply, Request, embeddings, error
from tests.support.processes import EIGHT_LESSONS, Desk
from tests.support.waits import LONGEST, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals there are other ones")

with_proc = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked at in /proc")

SECONDS_TO_STOP = LONGEST / 2
"""Generous for a machine that is busy with other tests; `benchmarks/embedding.py` measures it."""


class SlowService:
    """An embedding service that answers `quick` requests at once and the next one only when told."""

    def __init__(self, server: OpenAIServer, quick: int) -> None:
        self.server = server
        self.go_on = threading.Event()
        server.script.extend([embeddings] * quick + [self._wait])
        self._quick = quick

    def is_asked(self) -> bool:
        """Whether the request that waits has come."""
        return len(self.server.requests) > self._quick

    def texts(self) -> list[str]:
        """Every text that came in."""
        return [text for request in self.server.requests for text in request.body["input"]]

    def _wait(self, request: Request) -> Reply:
        self.go_on.wait(LONGEST)
        return embeddings(request)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    write_book(tmp_path / "docs", EIGHT_LESSONS)
    return Desk(tmp_path)


def start(desk: Desk, server: OpenAIServer, *arguments: str, **settings: str) -> subprocess.Popen[str]:
    """A process that embeds two texts at a time, one request after another."""
    service = {
        "OPENAI_API_KEY": "any",
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_EMBEDDING_DIMENSIONS": "8",
        "BOOKWISE_EMBEDDING_LIMITS": '{"request_inputs": 2, "in_flight": 1}',
    }
    return desk.start(*arguments, **service | settings)


def begin(desk: Desk, service: SlowService) -> subprocess.Popen[str]:
    """A run that waits in the middle for the service."""
    process = start(desk, service.server, "ingest")
    assert wait_until(service.is_asked, lambda: process.poll() is not None), process.communicate()
    return process


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_stops_at_once_and_the_next_embeds_only_the_rest(
    desk: Desk, server: OpenAIServer, end: signal.Signals
) -> None:
    service = SlowService(server, quick=2)
    process = begin(desk, service)
    # What is embedded is written while the next request is under way.
    assert wait_until(lambda: desk.state.exists() and len(desk.records()) == 4, lambda: process.poll() is not None)
    sent = time.monotonic()
    process.send_signal(end)
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - sent
    service.go_on.set()
    assert process.returncode == 130 and took < SECONDS_TO_STOP
    assert "4 lessons are done and saved, 4 are left" in said and "Traceback" not in said
    assert len(desk.records()) == 4
    done = service.texts()[:4]
    server.requests.clear()
    desk.embedder = OpenAIEmbedder(dimensions=8, api_key="any", base_url=server.base_url)
    assert desk.ingest().files == {"new": 4, "unchanged": 4}
    assert len(service.texts()) == 4 and not set(service.texts()) & set(done)


def test_an_interrupt_does_not_wait_for_a_service_that_asks_to_wait(desk: Desk, server: OpenAIServer) -> None:
    """Case C20: eight requests, each told to come back in a minute."""
    server.script.extend([error(429, "later", headers={"Retry-After": "60"})] * 8)
    process = start(desk, server, "ingest", BOOKWISE_EMBEDDING_LIMITS='{"request_inputs": 1, "in_flight": 8}')
    assert wait_until(lambda: len(server.requests) == 8, lambda: process.poll() is not None), process.communicate()
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and time.monotonic() - sent < SECONDS_TO_STOP
    assert "0 lessons are done and saved, 8 are left" in said and not desk.state.exists()


def test_of_two_runs_at_once_the_second_is_refused_and_a_reader_is_told_or_waits(
    desk: Desk, server: OpenAIServer
) -> None:
    service = SlowService(server, quick=2)
    first = begin(desk, service)
    # The index is opened by the first write.
    assert wait_until(desk.state.exists, lambda: first.poll() is not None)
    second = start(desk, server, "ingest", BOOKWISE_WAIT="0")
    _, said = second.communicate(timeout=60)
    assert second.returncode == 8 and f"pid {first.pid}" in said
    reader = start(desk, server, "info", BOOKWISE_WAIT="0")
    _, said = reader.communicate(timeout=60)
    assert reader.returncode == 8 and f"in use by process {first.pid}" in said
    patient = start(desk, server, "info", "--json", BOOKWISE_WAIT="20")
    service.go_on.set()
    _, said = first.communicate(timeout=20)
    assert first.returncode == 0, said
    printed, _ = patient.communicate(timeout=20)
    assert json.loads(printed)["books"][0]["files"] == len(EIGHT_LESSONS) == len(desk.records())


def test_what_a_run_says_shows_neither_the_key_nor_what_libraries_log(desk: Desk, server: OpenAIServer) -> None:
    service = SlowService(server, quick=0)
    (desk.folder / ".env").write_text("OPENAI_API_KEY=sk-nobody-sees-this\n")
    process = start(desk, server, "ingest", "-v", OPENAI_API_KEY="")
    assert wait_until(service.is_asked, lambda: process.poll() is not None), process.communicate()
    assert server.requests[0].headers["authorization"] == "Bearer sk-nobody-sees-this"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    service.go_on.set()
    assert "Traceback" not in said and "sk-nobody" not in said
    told = [line for line in said.splitlines() if line.startswith("DEBUG")]
    assert any(line.startswith("DEBUG embedding 2 texts") for line in told), said
    assert all("HTTP" not in line and "StateBlock" not in line for line in told), "libraries are not shown"

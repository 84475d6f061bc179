"""Connections that send nothing, send slowly or read nothing give way, and lock nobody out."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from rag.serving.connections import ConnectionLimits, log_accept_failures_once
from rag.serving.sockets import connections_of
from tests.support.api_servers import in_thread
from tests.support.chat_api import book, indexed
from tests.support.paths import ROOT
from tests.support.waits import LONGEST, wait_until

__all__ = ["book", "indexed"]

LARGE = b"x" * 50_000_000
ASK = b"GET / HTTP/1.1\r\nhost: h\r\n\r\n"
posix = pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of open files, nor 127.0.0.2")


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers after the whole body; `/large` with more than a connection holds."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": LARGE if scope["path"] == "/large" else b"ok"})


@contextmanager
def served(**bounds: Any) -> Iterator[tuple[int, ConnectionLimits]]:
    """The port of a server with these bounds, and what it knows of its connections."""
    limits = ConnectionLimits(**{"total": 8, "per_client": 8} | bounds)
    with in_thread(connections_of(app, drain_seconds=1, limits=limits)) as port:
        yield port, limits


def connect(port: int, sent: bytes = b"", *, source: str = "127.0.0.1") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=5, source_address=(source, 0))
    made.sendall(sent)
    return made


def answer(port: int, *, source: str = "127.0.0.1") -> bytes:
    """What a new client is answered, nothing where it is refused."""
    with connect(port, ASK, source=source) as asking:
        try:
            return asking.recv(15)
        except ConnectionError:
            return b""


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


WAITING = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nhost: h\r\n",
    "half a body": b"POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\n1",
    "half a body in pieces": b"POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n",
    "a whole request": ASK,
}


@pytest.mark.parametrize("sent", WAITING.values(), ids=WAITING)
def test_where_all_connections_are_taken_the_one_that_waited_the_longest_makes_room(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with served() as (port, limits), ExitStack() as stack:
        taken = [stack.enter_context(connect(port, sent)) for _ in range(30)]
        if sent == ASK:
            # One that is being answered does not make room: each is answered or refused by then.
            assert len([is_closed(one) for one in taken]) == 30
        for _ in range(20):
            assert answer(port).startswith(b"HTTP/1.1 200")
        assert wait_until(lambda: limits.clients.total() <= 8)
        if sent != ASK:
            assert is_closed(taken[0])
    assert [record.message for record in caplog.records if record.name == "bookwise.api"] == ["too many connections"]


@posix
def test_one_client_takes_no_more_than_its_share() -> None:
    with served(total=100, per_client=4) as (port, limits), ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(connect(port))
        assert wait_until(lambda: limits.clients["127.0.0.1"] == 4)
        assert answer(port, source="127.0.0.2").startswith(b"HTTP/1.1 200") and answer(port)


def test_a_head_that_comes_a_byte_at_a_time_is_not_waited_for() -> None:
    with served(header_seconds=0.5) as (port, _), connect(port, b"GET / HTTP/1.1\r\nx: ") as slow:
        end = time.monotonic() + LONGEST
        with pytest.raises(ConnectionError):
            while time.monotonic() < end:
                slow.sendall(b"a")
                time.sleep(0.05)


def test_a_second_head_on_a_connection_that_was_used_is_not_waited_for_either() -> None:
    with served(header_seconds=0.5) as (port, _), connect(port, ASK) as used:
        assert used.recv(200)
        used.sendall(b"GET / HTTP/1.1\r\nx: ")
        assert wait_until(lambda: is_closed(used))


def test_a_client_that_reads_nothing_of_its_answer_is_let_go() -> None:
    refused: list[str] = []
    with (
        served(read_seconds=0.5, on_refused=refused.append) as (port, limits),
        connect(port, ASK.replace(b"/", b"/large", 1)),
    ):
        assert wait_until(lambda: refused == ["slow"] and not limits.clients)


def test_that_nothing_can_be_accepted_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(times: int) -> None:
        loop = asyncio.get_running_loop()
        log_accept_failures_once(loop)
        for _ in range(times):
            context = {"message": "socket.accept() out of system resource", "exception": OSError(24, "too many")}
            loop.call_exception_handler(context)

    with caplog.at_level(logging.ERROR):
        asyncio.run(fail(1000))
    assert [record.message for record in caplog.records] == ["no connection can be accepted"]


SERVE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
import cli
cli.app()
"""
HARMS: dict[str, Callable[[int], bytes]] = {
    "idle": lambda _: b"",
    "slow heads": lambda number: f"GET /{number} HTTP/1.1\r\nhost: ".encode(),
    "slow bodies": lambda _: b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 50\r\n\r\n{",
}


@pytest.mark.slow
@pytest.mark.timeout(180)
@posix
@pytest.mark.parametrize("harm", HARMS)
def test_three_hundred_sockets_under_a_limit_of_256_files_leave_answers_below_a_second(
    book: Path, tmp_path: Path, harm: str
) -> None:
    log = tmp_path / "log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-c", SERVE, "serve", str(book / "docs"), "--port", "0"],
            cwd=book,
            env={"PYTHONPATH": str(ROOT)},
            stderr=errors,
        ) as process,
        ExitStack() as stack,
    ):
        try:
            assert wait_until(lambda: b"http://" in log.read_bytes(), lambda: process.poll() is not None)
            [port] = re.findall(rb"http://127\.0\.0\.1:(\d+)", log.read_bytes())
            search(int(port))  # which opens the index
            alone = sorted(search(int(port)) for _ in range(5))[2]
            for number in range(300):
                stack.enter_context(connect(int(port), HARMS[harm](number)))
            took = sorted(search(int(port)) for _ in range(20))
        finally:
            process.kill()
    said = log.read_text()
    # The first may come while the burst is being let go, which is work that others on the machine delay.
    assert took[-2] < max(1.0, 5 * alone), (took, alone)
    assert said.count("too many connections") == 1 and said.count("cannot") == said.count("Traceback") == 0, said


def search(port: int) -> float:
    """The seconds of one search."""
    body = b'{"query": "What is a node?"}'
    head = f"POST /search HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
    began = time.monotonic()
    sent = head.encode() + b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body
    with connect(port, sent) as asking:
        asking.settimeout(60)
        assert asking.recv(15).startswith(b"HTTP/1.1 200")
    return time.monotonic() - began

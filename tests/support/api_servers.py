"""The chat API as a real server: uvicorn on a socket, in a thread or as a process of its own."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from ingestion.settings import override
from ingestion.settings.loader import load_settings
from rag.api.http.server import Recipe, ServerConfig
from tests.support.paths import ROOT
from tests.support.waits import wait_until

SERVE = "from bookwise.command_line import app; app()"


class _ConfigInThread(ServerConfig):
    def end_process_in_time(self) -> None:
        """Leave the process alone: it is that of the tests."""


@contextmanager
def in_thread(config: uvicorn.Config) -> Iterator[int]:
    """The port of a server on a thread of its own."""
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            wait_until(lambda: server.started, lambda: not thread.is_alive())
            yield sock.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(timeout=20)


@contextmanager
def listening(book: Path, **settings: Any) -> Iterator[httpx.Client]:
    """A client of a server without keys; `settings` replace those that are loaded, beyond their bounds too."""
    loaded = override(load_settings({}, environ={}), settings)
    config = _ConfigInThread(Recipe(loaded, book / "docs", open_to_all=True))
    config.load()
    with (
        in_thread(config) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=100, trust_env=False) as client,
    ):
        client.app = config.loaded_app  # type: ignore[attr-defined]
        yield client


@contextmanager
def serve_process(
    book: Path, *flags: str, program: str = SERVE, **environment: str
) -> Iterator[tuple[Any, httpx.Client]]:
    """`bookwise serve` as a process, and a client of it."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", str(book / "docs"), "--port", "0", *flags],
        cwd=book,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        said = process.stderr.readline()
        url = re.search(r"http://\S+", said)
        assert url, said + process.stderr.read()
        with httpx.Client(base_url=url[0], timeout=100, trust_env=False) as client:
            yield process, client
    finally:
        process.kill()
        process.communicate()


def events_of(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    """The events of a stream as they come, without heartbeats."""
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def stream(client: httpx.Client, body: dict[str, Any]) -> list[tuple[str, Any]]:
    """The events of an answer, once it has ended."""
    with client.stream("POST", "/chat/stream", json=body) as response:
        return list(events_of(response))


def roles(client: httpx.Client, session: str) -> list[str]:
    """Who said each message of a thread."""
    return [each["role"] for each in client.get(f"/threads/{session}").json()["messages"]]

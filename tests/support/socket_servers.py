"""Servers that answer on a thread of the tests' process, a Redis among them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import TCPServer

import pytest


@contextmanager
def answering(server: TCPServer) -> Iterator[int]:
    """The port of a server, which answers until the block ends."""
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def redis_server() -> Iterator[str]:
    """The address of an empty Redis; skips the test where its packages are not installed."""
    pytest.importorskip("lupa", reason="fakeredis[lua] is not installed")
    fakeredis = pytest.importorskip("fakeredis", reason="fakeredis[lua] is not installed")
    pytest.importorskip("redis", reason="redis is not installed")
    with answering(fakeredis.TcpFakeServer(("127.0.0.1", 0), server_type="redis")) as port:
        yield f"redis://127.0.0.1:{port}"

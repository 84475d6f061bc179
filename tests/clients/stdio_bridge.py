"""A server process that speaks over its pipes, reached over HTTP: tools that test over HTTP then test its stdio."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.socket_servers import answering

HEADERS = ("Content-Type", "application/json")


@contextmanager
def bridged(process: subprocess.Popen[str]) -> Iterator[str]:
    """The address at which each posted message goes to the process as a line, and its reply comes back."""
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), _handler(process))) as port:
        yield f"http://127.0.0.1:{port}/mcp"


def _handler(process: subprocess.Popen[str]) -> type[BaseHTTPRequestHandler]:
    turn = threading.Lock()

    class Bridge(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with turn:
                reply = _exchange(process, message)
            body = json.dumps(reply).encode() if reply else b""
            self.send_response(200 if reply else 202)
            self.send_header(*HEADERS)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.send_error(405)

        def log_message(self, format: str, *args: object) -> None:
            """Tests look at the reply instead."""

    return Bridge


def _exchange(process: subprocess.Popen[str], message: dict[str, Any]) -> dict[str, Any] | None:
    """Send a message; returns the reply to a request, None for a notification."""
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()
    if "id" not in message:
        return None
    while (reply := json.loads(process.stdout.readline())).get("id") != message["id"]:
        pass
    answered: dict[str, Any] = reply
    return answered

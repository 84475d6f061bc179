"""A loopback embedding service in a process of its own, as fast as it may be: every text gets the same vector."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

DIMENSIONS = 1536


@dataclass(frozen=True, slots=True)
class Service:
    """Where it answers, how many requests it got, and when the first of them came (seconds of the epoch)."""

    url: str
    _requests: Any
    _first: Any

    @property
    def requests(self) -> int:
        """How many came."""
        return int(self._requests.value)

    @property
    def first(self) -> float:
        """When the first one came."""
        return float(self._first.value)


@contextmanager
def service(latency: float) -> Iterator[Service]:
    """A running service that answers each request after `latency` seconds."""
    spawn = multiprocessing.get_context("spawn")
    port, requests, first = spawn.Value("i", 0), spawn.Value("i", 0), spawn.Value("d", 0.0)
    process = spawn.Process(target=_serve, args=(latency, port, requests, first), daemon=True)
    process.start()
    while not port.value:
        time.sleep(0.01)
    try:
        yield Service(f"http://127.0.0.1:{port.value}/v1", requests, first)
    finally:
        process.kill()
        process.join()


def _serve(latency: float, port: Any, requests: Any, first: Any) -> None:
    """Answer until killed."""
    import json
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    import numpy as np

    from tests.support.openai_server import in_base64

    vector = in_base64(np.full(DIMENSIONS, 0.025, "<f4"))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            begun = time.time()
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with requests.get_lock():
                first.value = first.value or begun
                requests.value += 1
            items = ",".join(f'{{"index":{index},"embedding":"{vector}"}}' for index in range(len(asked["input"])))
            body = f'{{"object":"list","model":"m","data":[{items}],"usage":{{}}}}'.encode()
            time.sleep(max(0.0, latency - (time.time() - begun)))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    port.value = server.server_port
    server.serve_forever()

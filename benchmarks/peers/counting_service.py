"""A loopback OpenAI-compatible embedding service that counts requests and texts, and takes a fixed time per token."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 256
SECONDS_PER_TOKEN = 2e-6
"""Half a million tokens per second: the work around embedding is what is measured."""


@dataclass
class Counts:
    """What was asked since the last `reset`."""

    requests: int = 0
    texts: int = 0
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reset(self) -> None:
        """Count from zero."""
        with self.lock:
            self.requests = self.texts = 0


@contextmanager
def counting_service() -> Iterator[Counts]:
    """Run the service; `url` of the counts is its base address."""
    counts = Counts()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            inputs = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            # A list of numbers is one text in tokens.
            inputs = [inputs] if inputs and isinstance(inputs[0], int) else inputs
            with counts.lock:
                counts.requests += 1
                counts.texts += len(inputs)
            time.sleep(SECONDS_PER_TOKEN * sum(map(_tokens, inputs)))
            in_base64 = asked.get("encoding_format") == "base64"
            data = [
                {"object": "embedding", "index": index, "embedding": _vector(text, in_base64)}
                for index, text in enumerate(inputs)
            ]
            body = json.dumps(
                {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
            ).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    counts.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield counts
    finally:
        server.shutdown()
        server.server_close()


def _tokens(text: Any) -> int:
    return len(text) if isinstance(text, list) else len(text) // 4 + 1


def _vector(text: Any, in_base64: bool) -> str | list[float]:
    """A unit vector that depends on the text alone."""
    seed = hashlib.sha256(json.dumps(text).encode()).digest()
    numbers = [byte - 127.5 for byte in seed * (DIMENSIONS // len(seed))]
    length = math.sqrt(sum(number * number for number in numbers))
    unit = [number / length for number in numbers]
    return base64.b64encode(struct.pack(f"<{DIMENSIONS}f", *unit)).decode() if in_base64 else unit

"""A certificate that signs itself, and a server on loopback that shows it."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.socket_servers import answering


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost and its key; skips the test where there is no openssl."""
    certificate, key = folder / "ca.pem", folder / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    try:
        command = [*made, *names, "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl makes the certificate of this test")
    return certificate, key


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that do not trust it."""


@contextmanager
def https_server(certificate: Path, key: Path, handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """Yield the port of a server that answers as the handler does."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    server = _Quiet(("127.0.0.1", 0), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with answering(server) as port:
        yield port

"""What failures say: one sentence with the cause and what to do, over REST and gRPC."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import grpc
import pytest

from ingestion.errors import ConfigurationError, RequestFailed, VectorStoreError
from ingestion.settings.qdrant import QdrantClientSettings, QdrantSettings
from ingestion.vector_stores.server.client import connect
from tests.support.qdrant_server import QdrantServer, running
from tests.support.tls import https_server, self_signed


@contextmanager
def grpc_server(code: grpc.StatusCode, details: str, credentials: Any = None) -> Iterator[int]:
    """A server that answers each call with this status; yields its port."""

    def refuse(request: Any, context: grpc.ServicerContext) -> Any:
        context.abort(code, details)

    class Everything(grpc.GenericRpcHandler):
        def service(self, handler_call_details: Any) -> Any:
            return grpc.unary_unary_rpc_method_handler(refuse)

    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers([Everything()])
    # Of localhost's two addresses gRPC takes what it gets: the other one's port may be another test's.
    address = "127.0.0.1:0"
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()


def failure(url: str, settings: QdrantSettings) -> tuple[str, list[float]]:
    """The message of a count that fails, and the pauses that were made."""
    pauses: list[float] = []
    server = connect(url, "the-key", settings, sleep=pauses.append)
    with pytest.raises(VectorStoreError) as caught:
        server.call("counting", lambda client: client.count("book"))
    return str(caught.value), pauses


@pytest.mark.parametrize(
    ("code", "details", "expected", "status"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "Invalid API key or JWT", "check QDRANT_API_KEY", 401),
        (grpc.StatusCode.PERMISSION_DENIED, "Global access is required", "manage access to the whole server", 403),
        (grpc.StatusCode.INVALID_ARGUMENT, "Wrong input: no such vector", "no such vector", 400),
        (grpc.StatusCode.NOT_FOUND, "Collection `book` doesn't exist!", "doesn't exist", 404),
    ],
)
def test_a_grpc_error_is_one_sentence(code: grpc.StatusCode, details: str, expected: str, status: int) -> None:
    with grpc_server(code, details) as port:
        settings = QdrantSettings(client=QdrantClientSettings(prefer_grpc=True, grpc_port=port, timeout=5))
        server = connect("http://127.0.0.1:1", None, settings)
        with pytest.raises(RequestFailed) as caught:
            server.call("counting", lambda client: client.count("book"))
    message = str(caught.value)
    assert details in message and expected in message and caught.value.status == status
    assert "RPC" not in message and "\n" not in message and "debug_error_string" not in message


def test_a_grpc_server_that_is_not_there_is_one_sentence() -> None:
    message, pauses = failure(
        "http://localhost:1", QdrantSettings(client=QdrantClientSettings(prefer_grpc=True, grpc_port=1, timeout=2))
    )
    assert "is the server running, and QDRANT_URL right?" in message and "RPC" not in message
    assert len(pauses) == 2


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("authority"))


class CountHandler(BaseHTTPRequestHandler):
    """Answers every request as Qdrant counts points."""

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = b'{"result": {"count": 7}, "status": "ok", "time": 0.0}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_a_private_authority_is_trusted_by_its_file_and_named_otherwise(authority: tuple[Path, Path]) -> None:
    with https_server(*authority, CountHandler) as port:
        url = f"https://localhost:{port}"
        message, pauses = failure(url, QdrantSettings(client=QdrantClientSettings(timeout=5)))
        assert "its certificate is not trusted" in message and "qdrant.ca_file" in message
        assert "is the server running" not in message and pauses == []
        for several in (url, f"{url},{url}"):
            server = connect(
                several, None, QdrantSettings(ca_file=authority[0], client=QdrantClientSettings(timeout=5))
            )
            assert server.call("counting", lambda client: client.count("book")).count == 7


def test_an_https_address_of_a_server_without_tls_is_named() -> None:
    with running(QdrantServer()) as qdrant:
        message, pauses = failure(
            qdrant.url.replace("http://", "https://"), QdrantSettings(client=QdrantClientSettings(timeout=5))
        )
    assert "it answers without TLS" in message and "write http:// in QDRANT_URL" in message
    assert "is the server running" not in message and pauses == []


def test_a_private_authority_is_trusted_over_grpc_too(authority: tuple[Path, Path]) -> None:
    certificate, key = authority
    credentials = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    with grpc_server(grpc.StatusCode.NOT_FOUND, "it was reached", credentials) as port:
        settings = QdrantSettings(client=QdrantClientSettings(prefer_grpc=True, grpc_port=port, timeout=5))
        message, pauses = failure("https://127.0.0.1:1", settings)
        assert "certificate is not trusted" in message and pauses == []
        trusted = QdrantSettings(
            client=QdrantClientSettings(prefer_grpc=True, grpc_port=port, timeout=5), ca_file=certificate
        )
        message, _ = failure("https://127.0.0.1:1", trusted)
        assert "it was reached" in message


def test_a_file_that_holds_no_certificate_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    with pytest.raises(ConfigurationError, match=r"qdrant\.ca_file .*ca\.pem cannot be used"):
        connect("https://localhost:1", None, QdrantSettings(ca_file=tmp_path / "ca.pem"))

"""Requests without the SDK: connections that are kept, TLS, proxies, packed replies, and what is asked again."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ingestion.errors import ConfigurationError
from ingestion.openai_client.access import ServiceAccess
from ingestion.openai_client.posting import Poster, PostFailed
from tests.support.openai_server import OpenAIServer, Reply, error
from tests.support.socket_servers import answering
from tests.support.tls import https_server, self_signed

ANSWER = b'{"fine": true}'


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


class KeptHandler(BaseHTTPRequestHandler):
    """Keeps connections, and notes what comes in over each."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[tuple[int, str, dict[str, str], Any]]] = []
    packed: tuple[str, bytes] = ("identity", ANSWER)
    hang_up = False

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.seen.append((self.client_address[1], self.path, headers, body))
        encoding, answer = self.packed
        self.send_response(200)
        self.send_header("content-encoding", encoding)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        self.close_connection = self.hang_up

    def do_CONNECT(self) -> None:
        """Pass on what both sides say, as a proxy does for TLS."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.seen.append((self.client_address[1], self.path, headers, None))
        host, _, port = self.path.partition(":")
        with socket.create_connection((host, int(port))) as other:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=_copy, args=(other, self.connection), daemon=True)
            back.start()
            _copy(self.connection, other)
            back.join()
        self.close_connection = True


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        """One side is gone."""


@pytest.fixture
def handler() -> type[KeptHandler]:
    class Handler(KeptHandler):
        seen: ClassVar[list[tuple[int, str, dict[str, str], Any]]] = []

    return Handler


@contextmanager
def serving(handler: type[KeptHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    with answering(server) as port:
        yield f"http://127.0.0.1:{port}/v1"


def poster(base_url: str, **options: Any) -> Poster:
    settings: dict[str, Any] = {"api_key": "any", "timeout": 5.0, "max_retries": 0}
    return Poster(ServiceAccess(base_url=base_url, **settings | options))


def test_a_connection_is_kept_for_the_next_request(handler: type[KeptHandler]) -> None:
    with serving(handler) as url:
        asking = poster(url)
        assert [asking.post("/a", {"n": n}) for n in range(3)] == [ANSWER] * 3
    assert len({port for port, *_ in handler.seen}) == 1
    assert [body for *_, body in handler.seen] == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_one_that_the_service_closed_meanwhile_is_not_used_again(
    handler: type[KeptHandler], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.openai_client.posting.time.sleep", lambda seconds: None)
    handler.hang_up = True
    with serving(handler) as url:
        asking = poster(url, max_retries=2)
        assert [asking.post("/a", {}) for _ in range(3)] == [ANSWER] * 3
    assert len({port for port, *_ in handler.seen}) == len(handler.seen)


def test_each_of_several_threads_has_a_connection_of_its_own(handler: type[KeptHandler]) -> None:
    together = threading.Barrier(3, timeout=10)

    class Waiting(handler):  # type: ignore[misc,valid-type]
        def do_POST(self) -> None:
            together.wait()
            super().do_POST()

    with serving(Waiting) as url:
        asking = poster(url)
        threads = [threading.Thread(target=asking.post, args=("/a", {})) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({port for port, *_ in handler.seen}) == 3


def test_text_of_any_kind_arrives_as_it_is(handler: type[KeptHandler]) -> None:
    body = {"input": ["روبوٹ", "\ud800 half", "\u2028", "a" * 300_000]}
    with serving(handler) as url:
        poster(url).post("/a", body)
    assert handler.seen[0][3] == body


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)]
)
def test_a_reply_that_comes_packed_all_the_same_is_unpacked(
    handler: type[KeptHandler], encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    whole = ANSWER + b" " * 1_000_000 + b"."
    handler.packed = encoding, pack(whole)
    with serving(handler) as url:
        assert poster(url).post("/a", {}) == whole
        with pytest.raises(PostFailed, match="too large"):
            poster(url, max_reply_bytes=999_999).post("/a", {})


def test_a_reply_that_is_packed_twice_is_not_unpacked(handler: type[KeptHandler]) -> None:
    handler.packed = "gzip, gzip", gzip.compress(gzip.compress(ANSWER))
    with serving(handler) as url, pytest.raises(PostFailed, match="too large"):
        poster(url).post("/a", {})


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("authority"))


def test_a_private_authority_is_trusted_where_the_environment_names_it_and_never_otherwise(
    handler: type[KeptHandler], authority: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with https_server(*authority, handler) as port:
        url = f"https://localhost:{port}/v1"
        with pytest.raises(PostFailed, match=r"(?i)certificate") as caught:
            poster(url).post("/a", {})
        assert caught.value.failure == "connection" and handler.seen == []
        monkeypatch.setenv("SSL_CERT_FILE", str(authority[0]))
        assert poster(url).post("/a", {}) == ANSWER


def test_a_proxy_of_the_environment_is_used_unless_the_host_is_excepted(
    handler: type[KeptHandler], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(handler) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.replace("//", "//me:hidden@").removesuffix("/v1"))
        monkeypatch.setenv("http_proxy", proxy.replace("//", "//me:hidden@").removesuffix("/v1"))
        assert poster("http://service.invalid:8080/v1").post("/a", {}) == ANSWER
        monkeypatch.setenv("no_proxy", "service.invalid")
        with pytest.raises(PostFailed):
            poster("http://service.invalid:8080/v1").post("/a", {})
    ((_, path, headers, _),) = handler.seen
    assert path == "http://service.invalid:8080/v1/a"
    assert headers["proxy-authorization"].startswith("Basic ") and headers["host"] == "service.invalid:8080"


def test_a_proxy_passes_tls_on_and_never_sees_the_key(
    handler: type[KeptHandler], authority: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Proxy(KeptHandler):
        seen: ClassVar[list[tuple[int, str, dict[str, str], Any]]] = []

    monkeypatch.setenv("SSL_CERT_FILE", str(authority[0]))
    with https_server(*authority, handler) as port, serving(Proxy) as proxy:
        monkeypatch.setenv("https_proxy", proxy.removesuffix("/v1"))
        asking = poster(f"https://localhost:{port}/v1", api_key="the-key")
        assert [asking.post("/a", {}), asking.post("/a", {})] == [ANSWER, ANSWER]
        del asking
    ((_, path, headers, _),) = Proxy.seen
    assert path == f"localhost:{port}" and "the-key" not in str(headers)
    assert [each[2]["authorization"] for each in handler.seen] == ["Bearer the-key"] * 2


@pytest.mark.parametrize("url", ["socks5://127.0.0.1:9", "gopher://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_told_with_the_way_out(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", url)
    with pytest.raises(ConfigurationError, match="ALL_PROXY is not usable") as caught:
        poster("http://127.0.0.1:1/v1").post("/a", {})
    assert caught.value.hint == "name an http:// or https:// proxy, or put the host into NO_PROXY"


def test_name_and_password_in_the_address_are_sent_and_not_shown(handler: type[KeptHandler]) -> None:
    with serving(handler) as url:
        asking = ServiceAccess("any", url.replace("//", "//me:hidden@"), 5.0, 0)
        Poster(asking).post("/a", {})
    assert handler.seen[0][2]["authorization"] == "Basic bWU6aGlkZGVu" and "hidden" not in asking.host


@pytest.mark.parametrize(("told", "requests"), [("true", 3), ("false", 1)])
@pytest.mark.parametrize("status", [400, 503])
def test_a_service_that_says_whether_to_try_again_is_heard(status: int, told: str, requests: int) -> None:
    refusal = error(status, "no", headers={"x-should-retry": told, "retry-after-ms": "1"})
    with OpenAIServer() as server:
        server.script.extend([refusal] * 5)
        with pytest.raises(PostFailed):
            poster(server.base_url, max_retries=2).post("/embeddings", {})
        assert len(server.requests) == requests


@pytest.mark.parametrize("asked", ["soon", "-5", "nan", "", "Tue, 99 Nov"])
def test_a_wait_that_is_no_time_is_as_if_none_were_asked_for(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("ingestion.openai_client.posting.time.sleep", waits.append)
    with OpenAIServer() as server:
        server.script.append(error(503, "later", headers={"Retry-After": asked}))
        server.script.append(Reply({}))
        poster(server.base_url, max_retries=1).post("/embeddings", {})
    assert len(waits) == 1 and 0.375 <= waits[0] <= 0.5

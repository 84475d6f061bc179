"""A loopback service that means harm: it answers every connection with the bytes it was given, at its own speed.

with hostile_service(gzip_bomb(json_start=b'{"data": "')) as base_url:
    ...
"""

from __future__ import annotations

import gzip
import io
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress


@contextmanager
def hostile_service(pieces: Sequence[bytes], *, pause: float = 0.0, repeat: bool = False) -> Iterator[str]:
    """Yield the base URL of a server that sends the pieces, `pause` seconds apart; `repeat` goes on with the last."""
    stopped = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(20)
            _read_request(connection)
            for piece in pieces:
                connection.sendall(piece)
                if stopped.wait(pause):
                    return
            while repeat and not stopped.wait(pause):
                connection.sendall(pieces[-1])

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        stopped.set()
        listener.close()


def _read_request(connection: socket.socket) -> None:
    """Read all of it: closing a connection with unread data would reset it before the reply is read."""
    with connection.makefile("rb") as request:
        size = 0
        while (line := request.readline()).strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        request.read(size)


def whole(body: bytes, content_type: str = "application/json") -> list[bytes]:
    """Return a plain reply with this body."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n"
    return [f"{head}content-length: {len(body)}\r\n\r\n".encode(), body]


def gzip_bomb(
    megabytes: int, *, content_type: str = "application/json", status: str = "200 OK", again: int = 0
) -> list[bytes]:
    """Return so many megabytes of spaces, a thousand times smaller on the wire, packed `again` as often."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        for _ in range(megabytes):
            file.write(b" " * (1 << 20))
    body = packed.getvalue()
    for _ in range(again):
        body = gzip.compress(body)
    encoding = ", ".join(["gzip"] * (1 + again))
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-encoding: {encoding}\r\nconnection: close\r\n"
    )
    return [head.encode() + b"content-length: %d\r\n\r\n" % len(body), body]


def one_byte_at_a_time(content_type: str = "application/json") -> list[bytes]:
    """Return a reply whose body never ends; to be repeated with a pause."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
    return [head.encode(), b"1\r\n \r\n"]


def endless_headers() -> list[bytes]:
    """Return a head that never ends; to be repeated."""
    return [b"HTTP/1.1 200 OK\r\n", b"x-more: and more\r\n"]


def one_byte_of_a_header_at_a_time() -> list[bytes]:
    """Return a head that never ends; to be repeated with a pause."""
    return [b"HTTP/1.1 200 OK\r\nx-more: ", b"a"]


def endless_hints() -> list[bytes]:
    """Return heads that promise another one; to be repeated."""
    return [b"HTTP/1.1 103 Early Hints\r\n\r\n"]


def endless_chunks(content_type: str = "application/json") -> list[bytes]:
    """Return a body that never ends; to be repeated."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
    return [head.encode(), b"10000\r\n" + b" " * 0x10000 + b"\r\n"]


def redirect_to_itself(status: int) -> list[bytes]:
    """Return a redirect to the address that was asked."""
    head = (
        f"HTTP/1.1 {status} Elsewhere\r\nlocation: /v1/embeddings\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    )
    return [head.encode()]

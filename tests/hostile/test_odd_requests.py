"""Values that no client means, sent to every operation over a socket: refused or not found, never a fault of ours."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from rag.api.openapi import operations
from tests.support.api_servers import listening
from tests.support.chat_api import indexed

__all__ = ["indexed"]

ID = "550e8400-e29b-41d4-a716-446655440000"
ODD_TEXTS = [
    *("", "%00", "a%00b", "%ff%fe", "%ED%A0%80", "%F0%9F%98%80", "%", "%zz", "%25%30%30", "+", "%0d%0aX-Evil:%201"),
    *("..", "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/", "/", "//", "a//b", "%5c..%5c", "."),
    *("-1", "0", "1.5", "1e400", "NaN", "Infinity", "-Infinity", "9" * 19, "9" * 4500, "0x10", "true", "null", "[]"),
    *(
        "http://%5B",
        "http://%5B::1",
        "javascript:alert(1)",
        "http://a:b:c",
        "http://%00",
        "//%ff",
        "?",
        "#",
        "&",
        "=",
    ),
    *("http://127.0.0.1/%E2%80%AE", "http://xn--%00", "http://a%20b", "/..;/x", "http://" + "a" * 3000, "x" * 9000),
    *("2026-13-45T99:99:99", "0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59.999999-23:59", "1e9", "now"),
    *(
        "%D9%A1",
        "%C2%B2",
        "%E2%80%A8",
        "%EF%BB%BF",
        ID,
        ID.upper(),
        "{" + ID + "}",
        "urn:uuid:" + ID,
        ID.replace("-", ""),
    ),
]
HUGE = "9" * 4400
DEEP = '{"a":' * 900 + "1" + "}" * 900
ODD_VALUES = [
    *("null", "true", "false", "0", "-1", "1.5", "1e308", "1e999", "-0.0", HUGE, f"-{HUGE}", "NaN", "Infinity"),
    *(r'"\ud800"', r'"\udc00"', r'"\udc00\ud800"', r'"a\u0000b"', '""', '" "', r'"\u2028"', r'"\ufeff"', r'"\u0000"'),
    *(
        '"x"',
        json.dumps("x" * 50_000),
        json.dumps("\u0301" * 900),
        json.dumps("👩\u200d🚀" * 300),
        '"%00"',
        '"../.."',
    ),
    *("[]", "[null]", "[[]]", "{}", '{"a": {}}', DEEP, "[" * 900 + "]" * 900, "[" + "1," * 20_000 + "1]"),
    *(json.dumps(ID), '"f47ac10a-58cc-11f0-8de9-0242ac120002"', '"http://["', '"1e400"', '"2026-99-99"', '"*"'),
]
BODIES = [
    *(b"", b"{", b"[]", b"null", b'"text"', b"1", b"\xff\xfe", b"\xef\xbb\xbf{}", b"[" * 60_000, b'{"a":' * 10_000),
    *(b'{"message": "a", "message": {"b": 1}}', b'{"message": "a", "message": null}', b'{"\\ud800": 1}', b'{"": 1}'),
    *(b'{"__proto__": 1, "message": "x"}', b"--x\r\n\r\n--x--", b"message=x", b"\x00", HUGE.encode()),
]
TYPES = [
    *("application/json", "application/json; charset=utf-16", "text/plain", "multipart/form-data; boundary=x", ""),
    *("application/json;;;=", "application/x-www-form-urlencoded", "application/vnd.api+json", "x" * 5000, "\xff"),
]


class Sender:
    """Sends requests as they are written, over one connection each."""

    def __init__(self, port: int) -> None:
        self.port = port

    def raw(self, request: bytes) -> int:
        """Return the status of the answer, 0 where the connection was closed without one."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(request)
            answer = connection.makefile("rb").readline()
        return int(answer.split()[1]) if answer else 0

    def send(self, method: str, target: str, body: bytes = b"", headers: str = "") -> int:
        head = f"{method} {target} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\nconnection: close\r\n{headers}"
        return self.raw(head.encode("latin-1") + b"content-length: %d\r\n\r\n" % len(body) + body)


@pytest.fixture(scope="module")
def served(indexed: Path) -> Iterator[tuple[Sender, dict[str, Any]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(indexed)
        with listening(indexed, **{"index.directory": str(indexed / ".bookwise")}) as client:
            document: dict[str, Any] = client.app.openapi()  # type: ignore[attr-defined]
            yield Sender(client.base_url.port or 0), document


def targets(path: str, operation: dict[str, Any]) -> Iterator[str]:
    """Addresses of an operation in which one parameter is odd."""
    parameters = operation.get("parameters", ())
    good = path
    for parameter in parameters:
        if parameter["in"] == "path":
            good = good.replace(f"{{{parameter['name']}}}", ID)
    for parameter in parameters:
        for odd in ODD_TEXTS:
            if parameter["in"] == "path":
                yield path.replace(f"{{{parameter['name']}}}", odd).replace("{", "%7B").replace("}", "%7D")
            elif parameter["in"] == "query":
                yield f"{good}?{parameter['name']}={odd}"
                yield f"{good}?{parameter['name']}={odd}&{parameter['name']}=x&{quote(odd)}={odd}"


def properties(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """The fields of an operation's body with an example of each."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").removeprefix("#/components/schemas/")
    schema = document["components"]["schemas"].get(name, {})
    example = (schema.get("examples") or [{}])[0]
    return {field: example.get(field) for field in schema.get("properties", ())}


def faults(answers: Iterator[tuple[str, int]]) -> list[str]:
    return [f"{status}: {asked[:200]}" for asked, status in answers if status >= 500]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_odd_parameter_is_a_fault_of_the_server(served: tuple[Sender, dict[str, Any]]) -> None:
    sender, document = served

    def ask() -> Iterator[tuple[str, int]]:
        for method, path, operation in operations(document):
            for target in targets(path, operation):
                yield f"{method} {target}", sender.send(method.upper(), target)

    assert faults(ask()) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_odd_value_of_a_body_is_a_fault_of_the_server(served: tuple[Sender, dict[str, Any]]) -> None:
    sender, document = served
    json_type = "content-type: application/json\r\n"

    def ask() -> Iterator[tuple[str, int]]:
        for method, path, operation in operations(document):
            fields = properties(document, operation)
            good = {field: value for field, value in fields.items() if value is not None}
            target = path.replace("{thread_id}", ID).replace("{number}", "1").replace("{job_id}", "1")
            for field in fields:
                for odd in ODD_VALUES:
                    rest = json.dumps({name: value for name, value in good.items() if name != field})
                    body = f'{{"{field}": {odd}{", " if len(rest) > 2 else ""}{rest[1:]}'
                    yield f"{method} {path} {body}", sender.send(method.upper(), target, body.encode(), json_type)
            if fields:
                for raw in BODIES:
                    yield f"{method} {path} {raw[:60]!r}", sender.send(method.upper(), target, raw, json_type)
                for kind in TYPES:
                    header = f"content-type: {kind}\r\n"
                    yield f"{method} {path} {kind[:60]}", sender.send(method.upper(), target, b"{}", header)

    assert faults(ask()) == []


HEADS = [
    b"GET /books HTTP/1.1\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: evil.example\r\n\r\n",
    b"GET /books HTTP/9.9\r\nhost: 127.0.0.1\r\n\r\n",
    b"GET /books\r\n\r\n",
    b"BREW /books HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET http://evil.example/books HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef",
    b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: -1\r\n\r\n",
    b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: +5\r\n\r\nabcde",
    b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99999999999999999999\r\nconnection: close\r\n\r\n",
    b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\nzz\r\n",
    b"POST /search HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: 127.0.0.1\r\nx: a\r\n b\r\nconnection: close\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost : 127.0.0.1\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: 127.0.0.1\r\nx: \x00\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: [::1\r\nconnection: close\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://[\r\nconnection: close\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: \xff\r\nconnection: close\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer \xff\xfe\r\nconnection: close\r\n\r\n",
    b"GET /books HTTP/1.1\r\nhost: 127.0.0.1\r\nx-request-id: \xff\r\nconnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\naccept-language: " + b"a;q=9," * 9000 + b"\r\nconnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\naccept-language: \xff;q=\xff,*;q=nan\r\nconnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nif-none-match: \xff\r\nif-modified-since: x\r\nconnection: close\r\n\r\n",
    b"GET /static/app.js HTTP/1.1\r\nhost: 127.0.0.1\r\nrange: bytes=9-1,-0,a\r\nconnection: close\r\n\r\n",
    b"GET /static/../../../../etc/passwd HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET /static/%2e%2e/%2e%2e/app.py HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET /static/%00 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET /static/%ff HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET /static//etc/passwd HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET /static/" + b"a" * 5000 + b" HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"GET /problems/%00 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
]


@pytest.mark.parametrize("head", HEADS, ids=range(len(HEADS)))
def test_no_head_of_a_request_is_a_fault_of_the_server(served: tuple[Sender, dict[str, Any]], head: bytes) -> None:
    sender, _ = served
    assert sender.raw(head) < 500
    assert sender.send("GET", "/books") == 200

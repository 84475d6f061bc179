"""A loopback server that speaks OpenAI's files and batches, beside embeddings; the real SDK talks to it.

    with BatchServer() as server:
        …  # send with base_url=server.base_url
        server.end("batch_1", failing=("beta",))

A batch stays `in_progress` until a test ends it. Its vectors are those of `tests.support.openai_server`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.support.openai_server import Reply, Request, embeddings, error

Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class BatchServer:
    """Serves until left. `files` and `batches` are what it holds, `embedded` what came in without a batch."""

    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    embedded: list[str] = field(default_factory=list)
    faults: dict[str, Reply] = field(default_factory=dict)
    """Replies given once, by method and path."""
    lose_reply_to: str = ""
    """The request that is carried out, but answered with an error."""

    def __post_init__(self) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))

    @property
    def base_url(self) -> str:
        """What goes into OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> BatchServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def lines(self, batch_id: str) -> list[dict[str, Any]]:
        """The requests of a batch."""
        return [json.loads(line) for line in self.files[self.batches[batch_id]["input_file_id"]].splitlines()]

    def end(
        self,
        batch_id: str,
        state: str = "completed",
        *,
        failing: Collection[str] = (),
        unreached: Collection[str] = (),
        change: Change = lambda line: line,
    ) -> None:
        """End a batch: texts that hold a word of `failing` are refused, of `unreached` never embedded."""
        output, errors = [], []
        for line in self.lines(batch_id):
            text = line["body"]["input"]
            answer = {"id": "batch_req", "custom_id": line["custom_id"], "response": None, "error": None}
            if _holds(text, unreached):
                answer["error"] = {"code": "batch_expired", "message": "This request was not run before the end."}
                errors.append(answer)
            elif _holds(text, failing):
                body = {"error": {"message": "this input is refused", "code": "invalid"}}
                errors.append(answer | {"response": {"status_code": 400, "request_id": "r", "body": body}})
            else:
                request = Request("/v1/embeddings", {}, line["body"] | {"input": [text]})
                response = {"status_code": 200, "request_id": "r", "body": embeddings(request).body}
                output.append(change(answer | {"response": response}))
        batch = self.batches[batch_id]
        batch["status"] = state
        batch["request_counts"] |= {"completed": len(output), "failed": len(errors)}
        for kind, lines in (("output", output), ("error", errors)):
            if lines:
                # Results come in any order.
                self.files[f"{kind}-{batch_id}"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines[::-1])
                batch[f"{kind}_file_id"] = f"{kind}-{batch_id}"

    def refuse(self, batch_id: str, reason: str) -> None:
        """End a batch before it began."""
        problem = {"code": "token_limit_exceeded", "message": reason, "line": None, "param": None}
        self.batches[batch_id] |= {"status": "failed", "errors": {"object": "list", "data": [problem]}}

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        """The reply to one request."""
        if fault := self.faults.pop(f"{method} {path}", None):
            return fault
        reply = self._answer(method, path.removeprefix("/v1"), headers, body)
        if self.lose_reply_to == f"{method} {path}":
            self.lose_reply_to = ""
            return error(500, "lost")
        return reply

    def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        match method, path.strip("/").split("/"):
            case "POST", ["embeddings"]:
                request = Request(path, headers, json.loads(body))
                self.embedded += request.body["input"]
                return embeddings(request)
            case "POST", ["files"]:
                return self._upload(headers, body)
            case "GET", ["files", name, "content"] if name in self.files:
                return Reply(self.files[name])
            case "POST", ["batches"]:
                return self._create(json.loads(body))
            case "GET", ["batches"]:
                return Reply({"object": "list", "data": list(self.batches.values())[::-1], "has_more": False})
            case "GET", ["batches", name] if name in self.batches:
                return Reply(self.batches[name])
        return error(404, f"nothing at {method} {path}")

    def _upload(self, headers: dict[str, str], body: bytes) -> Reply:
        form = message_from_bytes(b"content-type: " + headers["content-type"].encode() + b"\n\n" + body)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.get_payload()}
        assert parts["purpose"].get_payload() == "batch"
        name = f"file-{len(self.files) + 1}"
        self.files[name] = parts["file"].get_payload(decode=True)
        described = {
            "id": name,
            "object": "file",
            "bytes": len(self.files[name]),
            "created_at": 1,
            "status": "processed",
        }
        return Reply(described | {"filename": parts["file"].get_filename(), "purpose": "batch"})

    def _create(self, asked: dict[str, Any]) -> Reply:
        assert asked["endpoint"] == "/v1/embeddings" and asked["completion_window"] == "24h"
        name = f"batch_{len(self.batches) + 1}"
        total = self.files[asked["input_file_id"]].count(b"\n")
        self.batches[name] = asked | {
            "id": name,
            "object": "batch",
            "status": "in_progress",
            "created_at": 1,
            "request_counts": {"total": total, "completed": 0, "failed": 0},
        }
        return Reply(self.batches[name])


def _holds(text: str, words: Collection[str]) -> bool:
    return any(word in text for word in words)


def _handler(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.answer(self.command, urlsplit(self.path).path, headers, body)
            content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            sent = {"content-type": "application/json", "content-length": str(len(content)), **reply.headers}
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _serve

        def log_message(self, format: str, *args: object) -> None:
            """Tests look at what the server holds instead."""

    return Handler

"""Work for somebody who has gone ends at its next step: over HTTP, and in the tool calls of a model."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from rag.api.http.deadlines import CLIENT_LEFT
from rag.retrieval import retriever as retrievers
from rag.retrieval import search as searching
from rag.retrieval.abandonment import in_thread, stop_if_left
from tests.support.chat_api import book, indexed, serving

__all__ = ["book", "indexed"]

SECONDS = 30


class Held:
    """A search that waits in its first step; `steps` are those that came after it, `ended` is set at its end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.go_on, self.ended = threading.Event(), threading.Event(), threading.Event()
        self.steps: list[str] = []
        self.error: BaseException | None = None
        scan, rank, search = searching._scan_of, searching._rank, retrievers.search

        def held_scan(*arguments: Any) -> Any:
            self.began.set()
            assert self.go_on.wait(SECONDS)
            return scan(*arguments)

        def counted_rank(*arguments: Any) -> Any:
            self.steps.append("rank")
            return rank(*arguments)

        def watched(*arguments: Any, **named: Any) -> Any:
            try:
                return search(*arguments, **named)
            except BaseException as error:
                self.error = error
                raise
            finally:
                self.ended.set()

        monkeypatch.setattr(searching, "_scan_of", held_scan)
        monkeypatch.setattr(searching, "_rank", counted_rank)
        monkeypatch.setattr(retrievers, "search", watched)


async def post(app: Any, path: str, body: dict[str, Any], left: threading.Event) -> int:
    """Send a request, of which the client leaves once `left` is set; return the status."""
    given = json.dumps(body).encode()
    messages = [{"type": "http.request", "body": given, "more_body": False}]
    headers = [(b"content-type", b"application/json"), (b"host", b"127.0.0.1")]
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await asyncio.to_thread(left.wait, SECONDS)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": path}
    scope |= {"raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http", "headers": headers}
    scope |= {"client": ("127.0.0.1", 50_000), "server": ("127.0.0.1", 8000)}
    await app(scope, receive, send)
    return statuses[0]


@pytest.mark.parametrize(("path", "key"), [("/search", "query"), ("/chat/run", "message")])
def test_a_search_whose_client_leaves_ends_at_its_next_step(
    path: str, key: str, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(book, open_to_all=True) as client:
        assert client.portal
        held = Held(monkeypatch)  # after the search that the server makes before it is ready
        status = client.portal.call(post, client.app, path, {key: "What is a node?"}, held.began)
        held.go_on.set()
        assert held.ended.wait(SECONDS)
    assert status == CLIENT_LEFT
    assert isinstance(held.error, CancelledError) and not held.steps


def test_a_search_whose_client_stays_is_answered(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(book, open_to_all=True) as client:
        held = Held(monkeypatch)
        held.go_on.set()
        assert client.post("/search", json={"query": "What is a node?"}).status_code == 200
    assert held.error is None and held.steps


def test_work_in_a_thread_is_told_that_nobody_waits() -> None:
    began, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    told: list[bool] = []

    def work() -> None:
        stop_if_left()
        began.set()
        go_on.wait(SECONDS)
        try:
            stop_if_left()
        except CancelledError:
            told.append(True)
        ended.set()

    async def leave() -> None:
        working = asyncio.create_task(in_thread(work))
        await asyncio.to_thread(began.wait, SECONDS)
        working.cancel()
        await asyncio.wait({working})
        assert working.cancelled()
        go_on.set()

    asyncio.run(leave())
    assert ended.wait(SECONDS) and told == [True]


def test_work_outside_of_a_watched_thread_goes_on() -> None:
    stop_if_left()
    assert asyncio.run(in_thread(lambda given: given, 1)) == 1

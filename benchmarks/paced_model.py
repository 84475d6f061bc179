"""A language model on loopback that takes its time: it searches, pauses, then writes at an even pace; asyncio alone.

Every question carries a mark such as `#17`; what the model did for it, and when, stands in `calls[17]`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

SENTENCE_WORDS = 20
MARK = re.compile(r"#(\d+)")
HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "paced"}
HEADERS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass(slots=True)
class Call:
    """One request: when it had come, when its first word was whole (the second began), and when it ended."""

    came: float
    first_word: float = 0.0
    ended: float = 0.0

    @property
    def seconds(self) -> float:
        """The model's own time."""
        return self.ended - self.came


@dataclass(slots=True)
class PacedModel:
    """Two calls a question: a search after `pause` seconds, then `words` words over `seconds` after a `pause`."""

    pause: float
    seconds: float
    words: int
    calls: dict[int, list[Call]] = field(default_factory=lambda: defaultdict(list))
    url: str = ""

    async def start(self) -> asyncio.Server:
        """Listen; `url` is then what goes into OPENAI_BASE_URL."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024, limit=1 << 20)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head, re.I)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await self._answer(json.loads(body)["messages"], writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def _answer(self, messages: list[dict[str, Any]], writer: asyncio.StreamWriter) -> None:
        question = next(each["content"] for each in reversed(messages) if each["role"] == "user")
        mark = MARK.search(question)
        call = Call(time.monotonic())
        self.calls[int(mark[1]) if mark else -1].append(call)
        writer.write(HEADERS)
        await asyncio.sleep(self.pause)
        if messages[-1]["role"] == "user":
            arguments = json.dumps({"query": f"in the course: {question}"})
            function = {"name": "retrieve_documentation", "arguments": arguments}
            writer.write(_event({"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": function}]}))
            finish = "tool_calls"
        else:
            finish = "stop"
            await self._write(self._answer_to(messages, len(self.calls)), writer, call)
        end = {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}}
        # Before it is written: from then on the time is the server's.
        call.ended = time.monotonic()
        writer.write(_event({}, finish) + _chunk(HEAD | end) + _chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        await writer.drain()

    def _answer_to(self, messages: list[dict[str, Any]], number: int) -> list[str]:
        """Sentences that nobody else is given, each out of another passage, which it cites."""
        results = json.loads(messages[-1]["content"])["results"]
        words: list[str] = []
        for sentence, result in zip(range(self.words // SENTENCE_WORDS), itertools.cycle(results), strict=False):
            said = re.findall(r"[a-z]+", result["chunk_text"])
            start = (number * 7 + sentence) % max(1, len(said) - SENTENCE_WORDS)
            words += ["Here", *said[start : start + SENTENCE_WORDS - 1]]
            words[-1] += f" [{result['passage_id']}]."
        return words

    async def _write(self, words: list[str], writer: asyncio.StreamWriter, call: Call) -> None:
        begun = time.monotonic()
        for number, word in enumerate(words):
            if number == 1:
                call.first_word = time.monotonic()
            writer.write(_event({"content": f" {word}" if number else word}))
            await asyncio.sleep(begun + self.seconds * (number + 1) / len(words) - time.monotonic())


def _event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _chunk(HEAD | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _chunk(document: dict[str, Any]) -> bytes:
    return _chunked(b"data: " + json.dumps(document).encode() + b"\n\n")


def _chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)

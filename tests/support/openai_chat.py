"""Scripted chat completions on the loopback server: text, tool calls and faults as a service streams them.

    with ChatServer() as server:
        server.script += [calls("pump"), cites("The pump runs {0}.")]

Without a script the model searches for the question and answers with the first sentence of the first passage; try it
by hand with `python -m tests.support.openai_chat`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.openai_server import Answer, OpenAIServer, Reply, Request, embeddings

PATH = "/v1/chat/completions"
TOOL = "retrieve_documentation"
TOKENS, WRITTEN = 30, 10
"""What every reply says it cost, and how much of it the model wrote."""


class ChatServer(OpenAIServer):
    """Scripts are for chat requests alone; embeddings are always answered."""

    def answer(self, request: Request) -> Reply:
        if request.path != PATH:
            return embeddings(request)
        self.requests.append(request)
        step = self.script.popleft() if self.script else search_then_quote
        return step if isinstance(step, Reply) else step(request)


def says(*pieces: str, finish: str | None = "stop", **delta: Any) -> Reply:
    """Text in these pieces; `finish` None breaks the stream off without an end."""
    deltas: list[dict[str, Any]] = [{"role": "assistant"}, *({"content": piece} for piece in pieces)]
    return stream([*deltas, delta] if delta else deltas, finish)


def cites(*pieces: str, finish: str | None = "stop") -> Answer:
    """Text with {0} for the reference to the first passage shown, {1} for the second, and so on."""

    def reply(request: Request) -> Reply:
        ids = [f"[{each['passage_id']}]" for each in passages_in(request)]
        return says(*(piece.format(*ids) for piece in pieces), finish=finish)

    return reply


def calls(*queries: str, name: str = TOOL, **arguments: Any) -> Reply:
    """One search for each query, in one reply."""
    return raw_calls(*((name, json.dumps({"query": query, **arguments})) for query in queries))


def raw_calls(*wanted: tuple[str, str]) -> Reply:
    """Calls of these tools with arguments as written, which come in two halves."""
    deltas: list[dict[str, Any]] = []
    for index, (name, arguments) in enumerate(wanted):
        half = len(arguments) // 2
        first = {"name": name, "arguments": arguments[:half]}
        deltas.append({"tool_calls": [{"index": index, "id": f"id-{index}", "type": "function", "function": first}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": arguments[half:]}}]})
    return stream(deltas, "tool_calls")


def stream(deltas: Sequence[dict[str, Any]], finish: str | None) -> Reply:
    """Server-sent events of one completion."""
    events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    if finish is not None:
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        usage = {"prompt_tokens": TOKENS - WRITTEN, "completion_tokens": WRITTEN, "total_tokens": TOKENS}
        events.append({"choices": [], "usage": usage})
    return sse(*events)


def sse(*events: dict[str, Any]) -> Reply:
    """Server-sent events as they are, and the end mark."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    lines = [f"data: {json.dumps(head | event)}\n\n" for event in events]
    return Reply("".join([*lines, "data: [DONE]\n\n"]).encode(), headers={"content-type": "text/event-stream"})


def in_pieces(reply: Reply, pieces: Iterator[bytes] | None = None) -> Reply:
    """The same reply, one event at a time, followed by `pieces`."""
    events = re.findall(rb".+?\n\n", reply.body, re.S)

    def sent() -> Iterator[bytes]:
        yield from events
        yield from pieces or ()

    return Reply(sent(), reply.status, reply.headers)


def says_nothing(until: threading.Event) -> Reply:
    """A stream that stays open and says nothing until the event: comments alone."""

    def comments() -> Iterator[bytes]:
        while not until.wait(0.1):
            yield b": still here\n\n"

    return Reply(comments(), headers={"content-type": "text/event-stream"})


def passages_in(request: Request) -> list[dict[str, Any]]:
    """The passages that the request shows the model, in the order of its tool messages."""
    tool = [json.loads(each["content"]) for each in request.body["messages"] if each["role"] == "tool"]
    return [passage for each in tool for passage in each.get("results", ())]


def search_then_quote(request: Request) -> Reply:
    """What a dutiful model does."""
    messages = request.body["messages"]
    if messages[-1]["role"] == "user":
        return calls(messages[-1]["content"])
    passages = passages_in(request)
    if not passages:
        return says("I don't have information about that in the book content.")
    prose = re.sub(r"^(#|\||```).*$", "", passages[0]["chunk_text"], flags=re.M).strip()
    sentence = re.split(r"(?<=[.!?])\s", prose)[0]
    pieces = re.findall(r".{1,7}", f"{sentence} [{passages[0]['passage_id']}]", re.S)
    return says(*pieces)


if __name__ == "__main__":
    import time

    with ChatServer() as server:
        print(f"OPENAI_BASE_URL={server.base_url}")
        while True:
            time.sleep(3600)

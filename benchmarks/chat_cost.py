"""What a chat over HTTP costs, beside a proxy that only forwards to the model and beside one search.

    python -m benchmarks.chat_cost [--chats 40] [--rounds 3] [--code FOLDER]

Three servers' work is measured in turn, over and over, so that what else the machine does falls on all alike: a
streamed `/chat/stream` of `bookwise serve` with a scripted model; a proxy of some thirty lines (Starlette, httpx)
that hands the same model's stream on; one `/search`. Processor time is that of the serving process. The model
searches once, then writes 100 words within a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.paced_model import PacedModel
from benchmarks.serve import HERE, SAMPLE, WORDS, cpu_seconds, index_sample, serving

PROXY = """
import os, httpx, uvicorn
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route

client = httpx.AsyncClient(timeout=60)
address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
HEADERS = {"content-type": "application/json"}

async def forward(request):
    asked = client.build_request("POST", address, content=await request.body(), headers=HEADERS)
    reply = await client.send(asked, stream=True)
    async def pieces():
        try:
            async for piece in reply.aiter_raw():
                yield piece
        finally:
            await reply.aclose()
    return StreamingResponse(pieces(), reply.status_code, media_type="text/event-stream")

app = Starlette(routes=[Route("/v1/chat/completions", forward, methods=["POST"])])
server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
socket = server.config.bind_socket()
socket.listen(2048)
print(socket.getsockname()[1], flush=True)
server.run(sockets=[socket])
"""
AT_ONCE = 4


@contextmanager
def proxy(model: PacedModel) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The proxy's process and port."""
    environment = os.environ | {"OPENAI_BASE_URL": model.url}
    process = subprocess.Popen([sys.executable, "-c", PROXY], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process, int(process.stdout.readline().split()[-1])
    finally:
        process.kill()
        process.wait()


async def post(port: int, path: str, document: dict[str, Any], first: bytes) -> float:
    """The seconds from the question to the first line that holds `first`."""
    body = json.dumps(document).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    head += f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    begun, took = time.monotonic(), 0.0
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(head.encode() + body)
    async for line in reader:
        if not took and first in line:
            took = time.monotonic() - begun
    writer.close()
    assert took, f"{path} did not answer"
    return took


async def many(ask: Callable[[int], Awaitable[float]], numbers: range) -> list[float]:
    """What each took, some at once."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> float:
        async with free:
            return await ask(number)

    return list(await asyncio.gather(*map(one, numbers)))


async def measure(folder: Path, options: argparse.Namespace) -> dict[str, tuple[list[float], list[float]]]:
    """Processor seconds per request, by rounds, and the seconds to every first token, by what was asked."""
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [each["question"] for each in map(json.loads, lines) if each["answerable"]][:20]
    model = PacedModel(pause=0.0, seconds=1.0, words=WORDS)
    passages = json.dumps({"results": [{"chunk_text": "a node talks over topics " * 40, "passage_id": "p-1"}]})

    def question(number: int) -> str:
        return f"{asked[number % len(asked)]} #{number}"

    def chat(number: int) -> Awaitable[float]:
        return post(served, "/chat/stream", {"message": question(number), "hardware_tier": 4}, b"event: token")

    def forwarded(number: int) -> Awaitable[float]:
        messages = [{"role": "user", "content": question(number)}, {"role": "tool", "content": passages}]
        return post(forwarding, "/v1/chat/completions", {"messages": messages, "stream": True}, b'"content": "Here')

    def search(number: int) -> Awaitable[float]:
        return post(served, "/search", {"query": question(number), "hardware_tier": 4}, b'"results"')

    async with await model.start():
        with (
            serving(folder, options.code, OPENAI_BASE_URL=model.url, BOOKWISE_API_LIMITS='{"rate": 1000000}') as (
                server,
                served,
            ),
            proxy(model) as (forwarder, forwarding),
        ):
            jobs = {"proxy": (forwarder, forwarded), "search": (server, search), "chat": (server, chat)}
            found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in jobs}
            for each in range(options.rounds + 1):
                for name, (process, ask) in jobs.items():
                    numbers = range(each * options.chats, (each + 1) * options.chats)
                    before = cpu_seconds(process)
                    first = await many(ask, numbers)
                    if each:  # the first round warms up
                        found[name][0].append((cpu_seconds(process) - before) / options.chats)
                        found[name][1].extend(first)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chats", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--code", type=Path, default=HERE, help="folder of the code to serve")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index_sample(folder, options.code)
        found = asyncio.run(measure(folder, options))
    cost = {name: statistics.median(seconds) for name, (seconds, _) in found.items()}
    first = {name: statistics.median(seconds) for name, (_, seconds) in found.items()}
    for name in cost:
        print(f"{name:<7} {1000 * cost[name]:5.1f} ms of a processor, first words after {1000 * first[name]:6.1f} ms")
    print(
        f"a chat costs {cost['chat'] / cost['proxy']:.1f} times the proxy and {cost['chat'] / cost['search']:.1f} "
        f"times a search; its first token comes {first['chat'] / first['proxy']:.1f} times as late as the proxy's"
    )


if __name__ == "__main__":
    main()

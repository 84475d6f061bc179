"""What the chat API adds to the time of the language model, with many conversations open at once.

    python -m benchmarks.serve [--chats 200] [--seconds 10] [--rounds 2] [--burst] [--code FOLDER]

`bookwise serve` runs as a process of its own over the sample book, with MiniLM and SQLite; model and clients share
another, which does next to nothing. Chats arrive by chance (Poisson, seeded), so that `--chats` are open on average,
each for `--seconds`; arriving evenly, all chats would write their words in the same instants. With `--burst` they all
arrive at once. Every question is another one, the model searches in words of its own, and each of its sentences is
another one too and cites, so that a chat costs two embeddings of a question and those of its sentences. The figures:

    overhead      from sending a question to the end of its stream, less what the model itself took
    first token   from the model's first word to the first token at the client
    processor     time of a chat on a processor, also in multiples of the embedding of one question, which is measured
                  in the same run; `--code` serves another commit, to compare with
    listing       GET /threads of 1,000 threads with 50 messages each
    memory        of the server over `--requests` questions, searches, lists and pages in turn (`--memory`)
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.paced_model import PacedModel

HERE = Path(__file__).parents[1]
SAMPLE = HERE / "examples" / "physical-ai"
WORDS = 100
COMMAND = (sys.executable, "-c", "from bookwise.command_line import app; app()")


@dataclass(slots=True)
class Chat:
    """One question and its stream, as its client saw them."""

    sent: float
    first_token: float = 0.0
    ended: float = 0.0
    is_answered: bool = False


async def ask(port: int, message: str) -> Chat:
    """Send one question and read its stream to the end."""
    body = json.dumps({"message": message, "hardware_tier": 4}).encode()
    head = "POST /chat/stream HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    head += f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    chat = Chat(time.monotonic())
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(head.encode() + body)
    async for line in reader:
        if line.startswith(b"event: token") and not chat.first_token:
            chat.first_token = time.monotonic()
        if line.startswith(b"event: done"):
            chat.is_answered = True
    chat.ended = time.monotonic()
    writer.close()
    return chat


async def load(port: int, questions: list[str], *, gap: float, first: int) -> dict[int, Chat]:
    """Ask all of them, one every `gap` seconds on average."""
    chance = random.Random(first)
    begun = time.monotonic()
    times = list(itertools.accumulate(chance.expovariate(1 / gap) if gap else 0.0 for _ in questions))

    async def later(number: int, question: str) -> Chat:
        await asyncio.sleep(begun + times[number] - time.monotonic())
        return await ask(port, f"{question} #{first + number}")

    chats = await asyncio.gather(*(later(number, each) for number, each in enumerate(questions)))
    return dict(enumerate(chats, first))


def report(name: str, chats: dict[int, Chat], model: PacedModel) -> None:
    """Print one line of figures."""
    good = {mark: chat for mark, chat in chats.items() if chat.is_answered and len(model.calls[mark]) == 2}
    over = [chat.ended - chat.sent - sum(call.seconds for call in model.calls[mark]) for mark, chat in good.items()]
    first = [chat.first_token - model.calls[mark][-1].first_word for mark, chat in good.items()]
    print(f"{name:<34} {len(chats):4} chats, {len(chats) - len(good)} failed", end="")
    for what, values in (("overhead", over), ("first token", first)):
        p50, p95 = (1000 * statistics.quantiles(values, n=100)[each] for each in (49, 94))
        print(f"   {what} p50 {p50:5.0f} ms, p95 {p95:5.0f} ms", end="")
    print()


def embedding_seconds(questions: list[str]) -> float:
    """What embedding one question costs a processor."""
    from ingestion.embedding.minilm import MiniLm

    embedder = MiniLm()
    embedder.embed_query("a question")
    before = time.process_time()
    for question in questions:
        embedder.embed_query(question)
    return (time.process_time() - before) / len(questions)


def index_sample(folder: Path, code: Path) -> None:
    """Put the sample book into a folder, with the index that this code makes of it."""
    shutil.copytree(SAMPLE / "docs", folder / "docs")
    shutil.copy(code / "examples" / "physical-ai" / "bookwise.toml", folder)
    environment = os.environ | {"PYTHONPATH": str(code)}
    subprocess.run([*COMMAND, "ingest", "docs"], cwd=folder, env=environment, check=True, capture_output=True)


@contextmanager
def serving(folder: Path, code: Path, **environment: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The server's process and port."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "docs", "--port", "0"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(code)} | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        said = process.stderr.readline()
        port = re.search(r":(\d+) ", said)
        assert port, said + process.stderr.read()
        with tempfile.TemporaryFile() as log:
            copier = subprocess.Popen(["cat"], stdin=process.stderr, stdout=log)
            yield process, int(port[1])
            process.terminate()
            process.wait()
            copier.wait()
    finally:
        process.kill()


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """What the process has used of the processors."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def chats(folder: Path, options: argparse.Namespace) -> None:
    """Measure conversations."""
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [each["question"] for each in map(json.loads, lines) if each["answerable"]]
    model = PacedModel(pause=options.seconds / 4, seconds=options.seconds / 2, words=WORDS)
    async with await model.start():
        with serving(folder, options.code, OPENAI_BASE_URL=model.url) as (process, port):
            # Only what the book answers is put to the model, here as in the measurement.
            tried = await load(port, asked, gap=0.2, first=100_000)
            asked = [asked[mark - 100_000] for mark in tried if len(model.calls[mark]) == 2]
            count = options.chats * (1 if options.burst else options.rounds)
            questions = (asked * (count // len(asked) + 1))[:count]
            before, begun = cpu_seconds(process), time.monotonic()
            gap = 0.0 if options.burst else options.seconds / options.chats
            done = await load(port, questions, gap=gap, first=0)
            used, took = cpu_seconds(process) - before, time.monotonic() - begun
    name = f"{options.chats} at once" if options.burst else f"{options.chats} open, {options.seconds:g} s each"
    report(name, done, model)
    one = embedding_seconds(questions)
    print(
        f"{'':<34} {1000 * used / count:.0f} ms of a processor per chat, {used / count / one:.1f} embeddings of a "
        f"question ({1000 * one:.1f} ms), {used / took:.2f} processors"
    )


def resident_mb(process: subprocess.Popen[str]) -> float:
    """The memory that the process holds."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(folder: Path, options: argparse.Namespace) -> None:
    """Measure the server's memory over many requests: questions, searches, lists and pages."""
    body = {"message": "Who keeps the last message for late subscribers?", "hardware_tier": 4}
    search = {"query": body["message"], "hardware_tier": 4}
    kinds = [("/chat/run", body), ("/search", search), ("/threads", None), ("/books", None), ("/", None)]
    with (
        serving(folder, options.code) as (process, port),
        httpx.Client(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        for sent in range(options.requests + 1):
            if sent % (options.requests // 10) == 0:
                print(f"{f'{sent} requests':<34} {resident_mb(process):6.0f} MB")
            path, document = kinds[sent % len(kinds)]
            reply = client.post(path, json=document, timeout=60) if document else client.get(path, timeout=60)
            assert reply.status_code == 200, reply.text


def listing(folder: Path, options: argparse.Namespace) -> None:
    """Measure the list of threads."""
    from contextlib import closing

    from rag.conversations.database import ConversationDatabase
    from rag.conversations.models import Message
    from rag.conversations.store import ThreadStore

    text = "A node is one program that does one job, and nodes talk to each other over topics. " * 8
    with closing(ConversationDatabase(f"sqlite:///{folder / '.bookwise' / 'threads.sqlite'}")) as database:
        store = ThreadStore(database)
        pair = [Message("user", "What is a node in this book?"), Message("assistant", text, confidence=0.9)]
        for _ in range(1000):
            store.append(store.create().thread_id, pair * 25)
    with serving(folder, options.code) as (_, port):
        for limit in (50, 1000):
            times = [asyncio.run(get(port, f"/threads?limit={limit}")) for _ in range(30)]
            print(
                f"{f'GET /threads?limit={limit}':<34} p50 {1000 * statistics.median(times):5.1f} ms, "
                f"p95 {1000 * statistics.quantiles(times, n=100)[94]:5.1f} ms"
            )


async def get(port: int, path: str) -> float:
    """The seconds of one request."""
    begun = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    return time.monotonic() - begun


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--burst", action="store_true")
    parser.add_argument("--listing", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--code", type=Path, default=HERE, help="folder of the code to serve")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index_sample(folder, options.code)
        if options.listing:
            listing(folder, options)
        elif options.memory:
            memory(folder, options)
        else:
            asyncio.run(chats(folder, options))


if __name__ == "__main__":
    main()

"""What embedding costs beside what it must cost: requests, time, memory, and the rate of the embedded embedder.

    python -m benchmarks.embedding [requests|time|slow|memory|rate|stop ...]

The service answers each request after 50 ms, so that what is measured beside it is ours; its least time is that of
eight requests at a time without a pause. Index and state are the real ones.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from benchmarks.embedding_service import service
from benchmarks.processes import processor_of_children
from benchmarks.reconcile import paragraph, write_book
from ingestion.factory import build_parts
from ingestion.settings.loader import load_settings
from ingestion.sync.pipeline import ingest

if TYPE_CHECKING:
    from ingestion.report import IngestReport

LATENCY = 0.05
IN_FLIGHT = 8
BIG_FILES, SECTIONS = 1_000, 100
BOOKWISE = "import signal, cli; signal.signal(signal.SIGINT, signal.default_int_handler); cli.app()"


def run(folder: Path, **flags: Any) -> IngestReport:
    """One first run over `folder/docs`."""
    place = {"index.directory": str(folder / ".bookwise"), "index.state": str(folder / ".ingestion_state.json")}
    with closing(build_parts(load_settings(place | flags, environ={}))) as parts:
        return ingest(parts, folder / "docs", book_id="book")


def remote(url: str, **flags: Any) -> dict[str, Any]:
    """Settings for the service."""
    limits = {"in_flight": IN_FLIGHT}
    return {"embedding.embedder": "openai", "openai.base_url": url, "embedding.limits": limits} | flags


def measure_requests(folder: Path) -> str:
    """All bounds as OpenAI has them: requests against what the sum of tokens must take."""
    write_book(folder / "docs", 3_000)
    with service(LATENCY) as asked:
        report = run(folder, **remote(asked.url))
        least = max(-(-report.chunks.tokens // 300_000), -(-report.chunks.embedded // 2048))
        return f"{asked.requests} requests for {report.chunks.embedded} chunks, at least {least} needed"


def measure_time(folder: Path) -> str:
    """Small requests, so that there is a service to wait for: three seconds, and ten with 1 to 4 texts each."""
    sizes = (1_000, 4), (800, 1), (1_600, 2), (3_200, 4)
    return "".join(f"\n  {wait_for(folder / str(files), files, LATENCY, inputs=inputs)}" for files, inputs in sizes)


def measure_slow(folder: Path) -> str:
    """The same with the latency of a real service."""
    return wait_for(folder, 1_000, 0.5, inputs=8)


def wait_for(folder: Path, files: int, latency: float, *, inputs: int) -> str:
    """One first run as a process: all of it, and from its first request to its last commit, the state's."""
    write_book(folder / "docs", files)
    with service(latency) as asked:
        environ = os.environ | {"OPENAI_BASE_URL": asked.url, "OPENAI_API_KEY": "any", "PYTHONPATH": os.getcwd()}
        environ["BOOKWISE_EMBEDDING_LIMITS"] = json.dumps({"request_inputs": inputs, "in_flight": IN_FLIGHT})
        command = [sys.executable, "-c", BOOKWISE, "ingest", "docs"]
        before, begun = processor_of_children(), time.perf_counter()
        subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True)
        whole, processor = time.perf_counter() - begun, processor_of_children() - before
        least = asked.requests * latency / IN_FLIGHT
        work = (folder / ".ingestion_state.json").stat().st_mtime - asked.first
        return (
            f"{asked.requests} requests of {latency} s, {inputs} texts each, least {least:.1f} s; from the first "
            f"request to the last commit {work:.1f} s, {work / least:.2f} ×; the process {whole:.1f} s, "
            f"{whole / least:.2f} ×, of which {processor:.1f} s on a core"
        )


def measure_memory(folder: Path) -> str:
    """100,000 chunks of 1,536 numbers, made, embedded and then dropped: what the index takes is `benchmarks.store`'s.

    Memory of the process's own, sampled; files that are mapped are the system's to give and take.
    """
    from ingestion.vector_stores.edge.store import EdgeStore

    def drop(_: EdgeStore, points: object) -> None:
        """A mock would keep them."""

    for number in range(BIG_FILES):
        page = folder / "docs" / f"module-{number % 10}-m" / f"page-{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        sections = "\n".join(f"## Part {part}\n\n{paragraph(number, part)[:500]}\n" for part in range(SECTIONS))
        page.write_text(f"# Page {number}\n\n{sections}", encoding="utf-8")
    with service(0.0) as asked, mock.patch.object(EdgeStore, "upsert", drop), highest_memory() as peak:
        report = run(folder, **remote(asked.url, **{"chunk.tokens": 100, "chunk.max_tokens": 200}))
    return f"{peak[0] >> 10} MB at most for {report.chunks.embedded} chunks, {report.seconds:.0f} s"


@contextmanager
def highest_memory() -> Iterator[list[int]]:
    """A list of one number that rises with the anonymous memory of this process, in KiB."""
    peak, ended = [0], threading.Event()

    def sample() -> None:
        while not ended.wait(0.02):
            peak[0] = max(peak[0], anonymous_memory("self"))

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    try:
        yield peak
    finally:
        ended.set()
        sampler.join()


def anonymous_memory(process: str) -> int:
    """In KiB; nothing where it has ended."""
    try:
        return int(Path(f"/proc/{process}/status").read_text().partition("RssAnon:")[2].split()[0])
    except (OSError, IndexError):
        return 0


def measure_rate(folder: Path) -> str:
    """The embedded embedder in a run against the same texts given to it alone, in turns: a short book, then one whose
    start does not count."""
    return "".join(f"\n  {rate_of(folder / str(files), files, turns)}" for files, turns in ((100, 3), (320, 1)))


def rate_of(folder: Path, files: int, turns: int) -> str:
    """Rate and share of it, the median of the turns; processor time counts all cores and no other program."""
    from ingestion.embedding.minilm import MiniLm

    write_book(folder / "docs", files)
    texts = [
        f"Page {number} › Part {part}\n\n{paragraph(number, part)}" for number in range(files) for part in (1, 2)
    ]
    rates, shares, processor_shares = [], [], []
    for turn in range(turns):
        raw = Stopwatch()
        MiniLm().embed_documents(texts)
        raw.stop()
        place = {"index.directory": str(folder / f"index-{turn}"), "index.state": str(folder / f"state-{turn}")}
        whole = Stopwatch()
        report = run(folder, **place, **{"embedding.embedder": "local"})
        whole.stop()
        assert report.chunks.embedded == len(texts)
        rates.append(len(texts) / whole.seconds)
        shares.append(raw.seconds / whole.seconds)
        processor_shares.append(raw.processor / whole.processor)
    return (
        f"{len(texts)} chunks: {statistics.median(rates):.0f} a second in a run, {statistics.median(shares):.2f} of "
        f"the embedder alone ({statistics.median(processor_shares):.2f} by processor time)"
    )


class Stopwatch:
    """Seconds, and seconds of this process on all cores, from its making to its stop."""

    def __init__(self) -> None:
        self.seconds, self.processor = -time.perf_counter(), -time.process_time()

    def stop(self) -> None:
        """Hold the figures."""
        self.seconds += time.perf_counter()
        self.processor += time.process_time()


def measure_stop(folder: Path) -> str:
    """Ctrl-C while eight requests wait for a service that is silent."""
    write_book(folder / "docs", 50)
    stops = []
    with service(60.0) as asked:
        for turn in range(3):
            environ = os.environ | {"OPENAI_BASE_URL": asked.url, "OPENAI_API_KEY": "any", "PYTHONPATH": os.getcwd()}
            environ["BOOKWISE_EMBEDDING_LIMITS"] = '{"request_inputs": 4}'
            before = asked.requests
            process = subprocess.Popen(
                [sys.executable, "-c", BOOKWISE, "ingest", "docs"], cwd=folder, env=environ, stderr=subprocess.PIPE
            )
            while asked.requests < before + IN_FLIGHT and process.poll() is None:
                time.sleep(0.01)
            begun = time.perf_counter()
            process.send_signal(signal.SIGINT)
            process.communicate()
            stops.append(time.perf_counter() - begun)
            assert process.returncode == 130, turn
    return f"{statistics.median(stops):.2f} s from Ctrl-C to the end of the process"


MEASURES: dict[str, Callable[[Path], str]] = {
    "requests": measure_requests,
    "time": measure_time,
    "slow": measure_slow,
    "memory": measure_memory,
    "rate": measure_rate,
    "stop": measure_stop,
}


def main() -> None:
    """Measure and print, each in a process of its own, whose memory is its own."""
    for name in sys.argv[1:] or MEASURES:
        with (
            tempfile.TemporaryDirectory() as folder,
            ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other,
        ):
            print(f"{name}: {other.submit(MEASURES[name], Path(folder)).result()}", flush=True)


if __name__ == "__main__":
    main()

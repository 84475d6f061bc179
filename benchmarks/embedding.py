"""What embedding costs beside what it must cost: requests, time, memory, and the rate of the embedded embedder.

    python -m benchmarks.embedding [requests|time|slow|memory|rate|stop ...]

The service is a loopback server in a process of its own that answers each request after 50 ms; it gives every text
the same vector, so that what is measured is ours. Index and state are the real ones.
"""

from __future__ import annotations

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

from benchmarks.reconcile import paragraph, write_book
from ingestion.build import DEFAULT_BOOK, build_parts
from ingestion.configuration import load_settings
from ingestion.pipeline import ingest

if TYPE_CHECKING:
    from ingestion.report import IngestReport

LATENCY = 0.05
IN_FLIGHT = 8
DIMENSIONS = 1536
BIG_FILES, SECTIONS = 1_000, 100
BOOKWISE = "import signal, cli; signal.signal(signal.SIGINT, signal.default_int_handler); cli.app()"


def serve(latency: float, port: Any, requests: Any) -> None:
    """Answer embedding requests until killed; counts them."""
    import json
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    import numpy as np

    from tests.openai_server import in_base64

    vector = in_base64(np.full(DIMENSIONS, 0.025, "<f4"))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            begun = time.monotonic()
            with requests.get_lock():
                requests.value += 1
            items = ",".join(f'{{"index":{index},"embedding":"{vector}"}}' for index in range(len(asked["input"])))
            body = f'{{"object":"list","model":"m","data":[{items}],"usage":{{}}}}'.encode()
            time.sleep(max(0.0, latency - (time.monotonic() - begun)))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    port.value = server.server_port
    server.serve_forever()


@contextmanager
def service(latency: float = LATENCY) -> Iterator[tuple[str, Any]]:
    """The address of a running service, and the number of requests it got."""
    spawn = multiprocessing.get_context("spawn")
    port, requests = spawn.Value("i", 0), spawn.Value("i", 0)
    process = spawn.Process(target=serve, args=(latency, port, requests), daemon=True)
    process.start()
    while not port.value:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port.value}/v1", requests
    finally:
        process.kill()
        process.join()


def run(folder: Path, **flags: Any) -> IngestReport:
    """One first run over `folder/docs`."""
    place = {"directory": str(folder / ".bookwise"), "state": str(folder / ".ingestion_state.json")}
    with closing(build_parts(load_settings(place | flags, environ={}))) as parts:
        return ingest(parts, folder / "docs", book_id=DEFAULT_BOOK)


def remote(url: str, **flags: Any) -> dict[str, Any]:
    """Settings for the service."""
    return {"embedder": "openai", "openai_base_url": url, "embedding_in_flight": IN_FLIGHT} | flags


def measure_requests(folder: Path) -> str:
    """All bounds as OpenAI has them: requests against what the sum of tokens must take."""
    write_book(folder / "docs", 3_000)
    with service() as (url, requests):
        report = run(folder, **remote(url))
        least = max(-(-report.chunks.tokens // 300_000), -(-report.chunks.embedded // 2048))
        return f"{requests.value} requests for {report.chunks.embedded} chunks, at least {least} needed"


def measure_time(folder: Path, latency: float = LATENCY, inputs: int = 4) -> str:
    """Small requests, so that there is a service to wait for."""
    write_book(folder / "docs", 1_000)
    with service(latency) as (url, requests):
        report = run(folder, **remote(url, embedding_request_inputs=inputs))
        ideal = requests.value * latency / IN_FLIGHT
        asked = f"{requests.value} requests of {latency} s, the service's least {ideal:.2f} s"
        return f"{report.seconds:.2f} s for {asked}: {report.seconds / ideal:.2f} ×"


def measure_slow(folder: Path) -> str:
    """The same with the latency of a real service."""
    return measure_time(folder, latency=0.5, inputs=8)


def measure_memory(folder: Path) -> str:
    """100,000 chunks of 1,536 numbers, made, embedded and then dropped: what the index takes is `benchmarks.store`'s.

    Memory of the process's own, sampled; files that are mapped are the system's to give and take.
    """
    from ingestion.vector_stores.edge import EdgeStore

    def drop(_: EdgeStore, points: object) -> None:
        """A mock would keep them."""

    for number in range(BIG_FILES):
        page = folder / "docs" / f"module-{number % 10}-m" / f"page-{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        sections = "\n".join(f"## Part {part}\n\n{paragraph(number, part)[:500]}\n" for part in range(SECTIONS))
        page.write_text(f"# Page {number}\n\n{sections}", encoding="utf-8")
    with service(0.0) as (url, _), mock.patch.object(EdgeStore, "upsert", drop), highest_memory() as peak:
        report = run(folder, **remote(url, chunk_tokens=100, chunk_max_tokens=200))
    return f"{peak[0] >> 10} MB at most for {report.chunks.embedded} chunks, {report.seconds:.0f} s"


@contextmanager
def highest_memory() -> Iterator[list[int]]:
    """A list of one number that rises with this process's anonymous memory, in KiB."""
    peak, ended = [0], threading.Event()

    def sample() -> None:
        while not ended.wait(0.02):
            status = Path("/proc/self/status").read_text()
            peak[0] = max(peak[0], int(status.partition("RssAnon:")[2].split()[0]))

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    try:
        yield peak
    finally:
        ended.set()
        sampler.join()


def measure_rate(folder: Path) -> str:
    """The embedded embedder in a run against the same texts given to it alone, in turns."""
    from ingestion.embedders.minilm import MiniLm

    write_book(folder / "docs", 100)
    texts = [f"Page {number} › Part {part}\n\n{paragraph(number, part)}" for number in range(100) for part in (1, 2)]
    shares, rates = [], []
    for turn in range(3):
        begun = time.perf_counter()
        embedder = MiniLm()
        embedder.embed_documents(texts)
        raw = len(texts) / (time.perf_counter() - begun)
        report = run(
            folder, embedder="local", directory=str(folder / f"index-{turn}"), state=str(folder / f"state-{turn}")
        )
        rates.append(report.chunks.embedded / report.seconds)
        shares.append(rates[-1] / raw)
    return f"{statistics.median(rates):.0f} chunks/s in a run, {statistics.median(shares):.2f} of the embedder alone"


def measure_stop(folder: Path) -> str:
    """Ctrl-C while eight requests wait for a service that is silent."""
    write_book(folder / "docs", 50)
    stops = []
    with service(60.0) as (url, requests):
        for turn in range(3):
            environ = os.environ | {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "any", "PYTHONPATH": os.getcwd()}
            environ |= {"BOOKWISE_EMBEDDING_REQUEST_INPUTS": "4"}
            before = requests.value
            process = subprocess.Popen(
                [sys.executable, "-c", BOOKWISE, "ingest", "docs"], cwd=folder, env=environ, stderr=subprocess.PIPE
            )
            while requests.value < before + IN_FLIGHT and process.poll() is None:
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

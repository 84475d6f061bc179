"""What the vector stores cost beyond their engines: load, search, requests and memory.

    python -m benchmarks.store [POINTS DIMENSIONS]

Without arguments 10,000 and 100,000 points of 384 and 1,536 numbers. Ours and the bare engine calls take turns in
processes of their own, over the same points. The server is one on loopback that says "completed" and keeps nothing,
so that only the client's side is timed: no Qdrant server runs here.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from ingestion.vector_stores.bm25 import document_vector, query_vector
from ingestion.vector_stores.filters import AnyOf, Equals, Range, Where
from ingestion.vector_stores.types import Point, Schema, SparseVector

GROUP = 1024
QUERIES = 200
POINTS_TO_SERVER = 10_000
WORDS = [f"word{number}" for number in range(5000)]
FILTERED = Where((Equals("book_id", "book-1"), AnyOf("module", ("m1",)), Range("hardware_tier", lte=2)))


def points_of(count: int, dimensions: int) -> Iterator[list[Point]]:
    """The same points at every call, in groups as a run writes them."""
    rng = np.random.default_rng(7)
    texts = [" ".join(rng.choice(WORDS, 80)) for _ in range(500)]
    sparse = [document_vector(text) for text in texts]
    for start in range(0, count, GROUP):
        rows = rng.standard_normal((min(GROUP, count - start), dimensions), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        yield [
            Point(
                f"00000000-0000-0000-0000-{start + at:012x}",
                row,
                _scaled(sparse[(start + at) % 500], start + at),
                _payload(start + at, texts[(start + at) % 500]),
            )
            for at, row in enumerate(rows)
        ]


def _scaled(sparse: SparseVector, number: int) -> SparseVector:
    """The weights of a text of a length of its own: equal scores, of which books have few, are asked for again."""
    factor = 1 + number * 1e-5
    return SparseVector(sparse.indices, tuple(weight * factor for weight in sparse.values))


def _payload(number: int, text: str) -> dict[str, Any]:
    return {
        "book_id": f"book-{number % 5}",
        "module": f"m{number // 5 % 4}",
        "hardware_tier": number // 20 % 4 + 1,
        "source_file": f"docs/{number // 10}.md",
        "text": text,
    }


def embedded(count: int, dimensions: int, ours: bool) -> dict[str, float]:
    """Load and search one embedded index, through the store or with the engine's own calls."""
    from ingestion.vector_stores.edge.generations import EdgeGenerations
    from ingestion.vector_stores.edge.store import _to_filter, _to_point

    with tempfile.TemporaryDirectory() as folder:
        generations = EdgeGenerations(Path(folder) / "index")
        with closing(generations.create(Schema("bench/1", dimensions))) as store:
            shard = store._shard
            write = store.upsert if ours else partial(_write_bare, shard, _to_point)
            seconds = _load(points_of(count, dimensions), write, shard.flush)
            ask = _ours(store) if ours else _bare(shard, _to_filter)
            figures = {"points/s": count / seconds, "MB": _peak()}
            for name, filtered, hybrid in (("filtered", True, False), ("hybrid", True, True), ("all", False, False)):
                figures |= _latency(name, ask, dimensions, filtered=filtered, hybrid=hybrid)
    return figures


def _write_bare(shard: Any, to_point: Callable[[Point], Any], points: Sequence[Point]) -> None:
    import qdrant_edge as qe

    for start in range(0, len(points), 256):
        shard.update(qe.UpdateOperation.upsert_points([to_point(each) for each in points[start : start + 256]]))


def _load(groups: Iterator[list[Point]], write: Callable[[list[Point]], None], flush: Callable[[], object]) -> float:
    seconds = 0.0
    for group in groups:
        begun = time.perf_counter()
        write(group)
        flush()
        seconds += time.perf_counter() - begun
    return seconds


def _ours(store: Any) -> Callable[[Any, Any, bool], object]:
    def ask(dense: Any, sparse: Any, filtered: bool) -> object:
        return store.search(dense=dense, sparse=sparse, where=FILTERED if filtered else Where(), limit=5)

    return ask


def _bare(shard: Any, to_filter: Callable[[Where], Any]) -> Callable[[Any, Any, bool], object]:
    import qdrant_edge as qe

    def ask(dense: Any, sparse: Any, filtered: bool) -> object:
        matching = to_filter(FILTERED if filtered else Where())
        queries = [qe.QueryRequest(limit=5, query=qe.Query.Nearest(dense, using="dense"), filter=matching)]
        if sparse:
            terms = qe.SparseVector(list(sparse.indices), list(sparse.values))
            queries.append(qe.QueryRequest(limit=5, query=qe.Query.Nearest(terms, using="bm25"), filter=matching))
        answers = shard.query_batch(qe.QueryBatchRequest(queries))
        return [[(str(each.id), each.score) for each in answer] for answer in answers]

    return ask


def _latency(
    name: str, ask: Callable[[Any, Any, bool], object], dimensions: int, *, filtered: bool, hybrid: bool
) -> dict[str, float]:
    rng = np.random.default_rng(8)
    times = []
    for _ in range(QUERIES):
        dense = rng.standard_normal(dimensions, np.float32)
        dense /= np.linalg.norm(dense)
        sparse = query_vector(" ".join(rng.choice(WORDS, 4))) if hybrid else None
        begun = time.perf_counter()
        ask(dense, sparse, filtered)
        times.append((time.perf_counter() - begun) * 1000)
    p50, p99 = np.percentile(times[10:], [50, 99])
    return {f"{name} p50": p50, f"{name} p99": p99}


def on_server(url: str, count: int, dimensions: int, ours: bool) -> dict[str, float]:
    """Send points to the server that keeps nothing, through the store or with the client's `upload_points`."""
    from qdrant_client import QdrantClient

    from ingestion.vector_stores.server.client import Node, Server
    from ingestion.vector_stores.server.limits import POINTS_PER_WRITE
    from ingestion.vector_stores.server.store import ServerStore

    client = QdrantClient(url=url, check_compatibility=False, timeout=60)
    store = ServerStore(Server([Node(client, url)]), "bench", Schema("bench/1", dimensions))

    def bare(points: list[Point]) -> None:
        structs = (_struct_of(point) for point in points)
        client.upload_points("bench", structs, batch_size=POINTS_PER_WRITE, wait=True)

    groups = list(points_of(count, dimensions))
    store.upsert(groups[0][:1])  # which opens the connection
    begun, used = time.perf_counter(), time.process_time()
    for group in groups:
        (store.upsert if ours else bare)(group)
    seconds, used = time.perf_counter() - begun, time.process_time() - used
    return {"points/s": count / seconds, "CPU us/point": used / count * 1e6, "MB": _peak()}


def _struct_of(point: Point) -> Any:
    """A point as a user of the client would write it."""
    from qdrant_client import models

    sparse = models.SparseVector(indices=list(point.sparse.indices), values=list(point.sparse.values))
    return models.PointStruct(
        id=point.id, vector={"dense": point.dense.tolist(), "bm25": sparse}, payload=dict(point.payload)
    )


def _serve(port: Connection) -> None:
    """Answer every write with "completed", every GET with the requests and bytes so far, which it sets back to 0."""
    seen = [0, 0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

        def do_PUT(self) -> None:
            size = int(self.headers["content-length"])
            self.rfile.read(size)
            seen[:] = [seen[0] + 1, seen[1] + size]
            self._send({"result": {"operation_id": 0, "status": "completed"}, "status": "ok", "time": 0.0})

        def do_GET(self) -> None:
            self._send(seen)
            seen[:] = [0, 0]

        def _send(self, answer: object) -> None:
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        port.send(http.server_address[1])
        with suppress(KeyboardInterrupt):
            http.serve_forever()


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def in_own_process(function: Callable[..., dict[str, float]], *arguments: object) -> dict[str, float]:
    """The result of a call in a new process, whose memory is then only the call's."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def in_turns(
    function: Callable[..., dict[str, float]], *arguments: object, rounds: int = 3
) -> tuple[dict[str, float], dict[str, float]]:
    """The bare figures and ours, each the best of the rounds: other work disturbs them."""
    measured = [[in_own_process(function, *arguments, ours) for ours in (False, True)] for _ in range(rounds)]
    bare, ours = (
        {name: (max if name == "points/s" else min)(each[name] for each in side) for name in side[0]}
        for side in zip(*measured, strict=True)
    )
    return bare, ours


def print_comparison(title: str, ours: dict[str, float], bare: dict[str, float]) -> None:
    """A line per figure; for points per second the ratio is turned, so that more is worse throughout."""
    print(f"\n{title}\n{'figure':<14} {'ours':>10} {'bare':>10} {'ratio':>7}")
    for name, value in ours.items():
        ratio = bare[name] / value if name == "points/s" else value / bare[name]
        print(f"{name:<14} {value:10.2f} {bare[name]:10.2f} {ratio:7.2f}")


def main(sizes: Sequence[tuple[int, int]]) -> None:
    """Measure every size embedded, and the client's side of a server once for each vector length."""
    for count, dimensions in sizes:
        bare, ours = in_turns(embedded, count, dimensions, rounds=3 if count <= POINTS_TO_SERVER else 1)
        print_comparison(f"embedded, {count} points of {dimensions}", ours, bare)
    receiver, sender = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(sender,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{receiver.recv()}"
    try:
        for dimensions in sorted({dimensions for _, dimensions in sizes}):
            _measure_server(url, min(POINTS_TO_SERVER, sizes[0][0]), dimensions)
    finally:
        server.terminate()


def _measure_server(url: str, count: int, dimensions: int) -> None:
    from urllib.request import urlopen

    bare, ours = in_turns(on_server, url, count, dimensions)
    urlopen(url).close()
    in_own_process(on_server, url, count, dimensions, True)
    with urlopen(url) as answer:
        requests, size = json.load(answer)
    print_comparison(f"to a server, {count} points of {dimensions}", ours, bare)
    print(
        f"requests {requests}, the fewest by bytes {math.ceil(size / (32 << 20))}, {size / count:.0f} bytes a point"
    )


if __name__ == "__main__":
    chosen = [(int(sys.argv[1]), int(sys.argv[2]))] if sys.argv[1:] else None
    main(chosen or [(count, dimensions) for count in (10_000, 100_000) for dimensions in (384, 1536)])

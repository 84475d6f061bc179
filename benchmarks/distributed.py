"""The embedding stage on workers of a Ray cluster: `python -m benchmarks.distributed [TEXTS]`.

The built-in model on one thread, in this process (none), on one worker and on two; the texts go through the
scheduler of a run. The cluster is started before, and each worker has its model loaded. Median of five turns, in
which the three take turns, since other work on the machine changes from minute to minute.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from contextlib import closing
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.reconcile import paragraph
from ingestion.embedding.batching import Limits
from ingestion.embedding.minilm import MiniLm
from ingestion.factory import RayChoice, build_parts
from ingestion.models import DocumentChunk
from ingestion.settings.loader import load_settings
from ingestion.sync.embed_scheduler import EmbedRequests
from ingestion.sync.parts import Cluster

TURNS = 5


def chunks_of(turn: str, number: int) -> list[DocumentChunk]:
    """Return chunks as the scheduler sees them, no text twice."""
    texts = [f"Page {turn} › Part {each}\n\n{paragraph(each, 1)}" for each in range(number)]
    return [cast("DocumentChunk", SimpleNamespace(embed_text=text, embed_key=text)) for text in texts]


def stage(requests: EmbedRequests, chunks: list[DocumentChunk]) -> float:
    """Embed all; return chunks per second."""
    began = time.perf_counter()
    with requests:
        requests.add(chunks)
        requests.send()
        while requests.unfinished:
            requests.settle(wait=True)
    assert requests.counts.embedded == len(chunks), requests.error
    return len(chunks) / (time.perf_counter() - began)


def cluster_of(workers: int) -> Any:
    """Return the parts of a run with so many workers, all of them warm."""
    settings = load_settings({"embedding.embedder": "local", "embedding.threads": 1}, environ={})
    parts = build_parts(settings, ray=RayChoice(None, workers))
    assert parts.cluster
    parts.cluster.connect()
    stage(on_cluster(parts.cluster), chunks_of("warm", 64 * workers))
    return parts


def on_cluster(cluster: Cluster) -> EmbedRequests:
    """Return the requests of a run on a cluster."""
    return EmbedRequests(MiniLm(1), None, cluster.start_workers, cluster.limits)


def main() -> None:
    """Measure and print the table."""
    import ray

    # By default the system prefers all other work to Ray's workers, this process included.
    os.environ["RAY_worker_niceness"] = str(os.nice(0))  # noqa: SIM112 - Ray reads it so
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    alone = MiniLm(1)
    one_thread = Limits(inputs=16, in_flight=1)
    rates: dict[str, list[float]] = {"none": [], "one": [], "two": []}
    with closing(cluster_of(1)) as one, closing(cluster_of(2)) as two:
        stage(EmbedRequests(alone, None, None, one_thread), chunks_of("warm", 16))
        for turn in range(TURNS):
            chunks = chunks_of(str(turn), number)
            rates["none"].append(stage(EmbedRequests(alone, None, None, one_thread), chunks))
            rates["one"].append(stage(on_cluster(one.cluster), chunks))
            rates["two"].append(stage(on_cluster(two.cluster), chunks))
    middle = {name: statistics.median(found) for name, found in rates.items()}
    print("| workers | chunks/s | to one worker |\n| --- | ---: | ---: |")
    for name, rate in middle.items():
        print(f"| {name} | {rate:.1f} | {rate / middle['one']:.2f} |")


if __name__ == "__main__":
    main()

"""The embedding stage on workers of a Ray cluster: `python -m benchmarks.distributed [TEXTS]`.

The built-in model, one thread for each request: in this process (none), on one worker and on two; the texts go
through the scheduler of a run. The cluster is started before, and a first round loads the models. Medians of five
rounds, in each of which the three take turns, since other work on the machine changes from minute to minute. Seconds
on a core are those of this process and of the workers, which other work hardly changes.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.reconcile import paragraph
from ingestion.embedding.batching import Limits
from ingestion.embedding.minilm import MiniLm
from ingestion.factory import RayChoice, build_parts
from ingestion.models import DocumentChunk
from ingestion.settings.loader import load_settings
from ingestion.sync.embed_scheduler import EmbedRequests
from tests.support.clusters import kept_actors

TURNS = 5
ALONE = MiniLm(1)
ONE_THREAD = Limits(inputs=16, in_flight=1)


def chunks_of(turn: str, number: int) -> list[DocumentChunk]:
    """Return chunks as the scheduler sees them, no text twice."""
    texts = [f"Page {turn} › Part {each}\n\n{paragraph(each, 1)}" for each in range(number)]
    return [cast("DocumentChunk", SimpleNamespace(embed_text=text, embed_key=text)) for text in texts]


class Setting:
    """Where the texts are embedded, and what was measured there: chunks per second, and per second on a core."""

    def __init__(self, cluster: Any = None) -> None:
        self.cluster = cluster
        self.actors: list[Any] = []
        self.rates: list[float] = []
        self.core_rates: list[float] = []

    def requests(self) -> EmbedRequests:
        """Return the requests of a run."""
        if self.cluster:
            return EmbedRequests(ALONE, None, self.cluster.start_workers, self.cluster.limits)
        return EmbedRequests(ALONE, None, None, ONE_THREAD)

    def embed(self, chunks: list[DocumentChunk]) -> None:
        """Embed all and keep the figures."""
        began, processor = time.perf_counter(), self._processor()
        with self.requests() as requests:
            requests.add(chunks)
            requests.send()
            while requests.unfinished:
                requests.settle(wait=True)
        assert requests.counts.embedded == len(chunks), requests.error
        self.rates.append(len(chunks) / (time.perf_counter() - began))
        self.core_rates.append(len(chunks) / (self._processor() - processor))

    def _processor(self) -> float:
        import ray

        there = [actor.__ray_call__.remote(lambda _: time.process_time()) for actor in self.actors]
        return time.process_time() + sum(ray.get(there))


def with_workers(workers: int) -> Setting:
    """Connect so many workers."""
    settings = load_settings({"embedding.embedder": "local", "embedding.threads": 1}, environ={})
    setting = Setting(build_parts(settings, ray=RayChoice(None, workers)).cluster)
    with kept_actors() as actors:
        setting.cluster.connect()
    setting.actors = actors
    return setting


def main() -> None:
    """Measure and print the table."""
    import ray

    # By default the system prefers all other work to Ray's workers, this process included.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray reads it so
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    settings = {"none": Setting(), "one": with_workers(1), "two": with_workers(2)}
    for turn in range(TURNS + 1):
        for setting in settings.values():
            setting.embed(chunks_of(str(turn), number))
    print("| workers | chunks/s | to one | chunks per second on a core | to none |\n|---" + "|---:" * 4 + "|")
    middle = {name: statistics.median(setting.rates[1:]) for name, setting in settings.items()}
    core = {name: statistics.median(setting.core_rates[1:]) for name, setting in settings.items()}
    for name in settings:
        to_one, to_none = middle[name] / middle["one"], core[name] / core["none"]
        print(f"| {name} | {middle[name]:.1f} | {to_one:.2f} | {core[name]:.1f} | {to_none:.2f} |")
    for setting in settings.values():
        if setting.cluster:
            setting.cluster.close()
    ray.shutdown()


if __name__ == "__main__":
    main()

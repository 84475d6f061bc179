"""How many workers a cluster gets: by its cores, by its GPUs, or by what a service allows."""

from __future__ import annotations

import pytest

from ingestion.embedding.batching import Limits
from ingestion.embedding.protocol import EmbedderKind
from ingestion.sync.distributed.layout import WorkerLayout, limits_of, plan_layout

CORES = {"CPU": 16.0}
GPUS = CORES | {"GPU": 4.0}


@pytest.mark.parametrize(
    ("kind", "threads", "resources", "wanted", "layout"),
    [
        ("local", 0, CORES, None, WorkerLayout(workers=16)),
        ("local", 4, CORES, None, WorkerLayout(workers=4, cpus=4)),
        ("local", 0, CORES, 3, WorkerLayout(workers=3)),
        ("local", 0, {}, None, WorkerLayout(workers=1)),
        ("local", 0, GPUS, None, WorkerLayout(workers=16)),
        ("sentence-transformers", 0, GPUS, None, WorkerLayout(workers=4, gpus=1)),
        ("openai", 0, CORES, None, WorkerLayout(workers=8, concurrent=1)),
        ("openai", 0, {"CPU": 3.0}, None, WorkerLayout(workers=3, concurrent=3)),
    ],
)
def test_workers_follow_what_the_cluster_has(
    kind: EmbedderKind, threads: int, resources: dict[str, float], wanted: int | None, layout: WorkerLayout
) -> None:
    assert plan_layout(kind, threads=threads, in_flight=8, resources=resources, wanted=wanted) == layout


def test_a_model_gets_calls_that_keep_all_workers_busy_and_a_service_no_more_than_it_allows() -> None:
    limits = Limits(inputs=4, in_flight=2)
    assert limits_of("local", limits, WorkerLayout(workers=10)) == Limits(inputs=16, in_flight=20)
    assert limits_of("openai", limits, WorkerLayout(workers=10)) == limits

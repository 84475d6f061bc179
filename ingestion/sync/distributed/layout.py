"""How many workers a cluster gets, and what each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ingestion.embedding.batching import Limits
from ingestion.embedding.protocol import EmbedderKind

INPUTS_PER_CALL = 16
"""Texts per call for the built-in model: 0.2 s of work, beside which the way there and back counts for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLayout:
    """Workers of a cluster; each takes `cpus` and `gpus` and works on `concurrent` calls at a time."""

    workers: int
    cpus: int = 1
    gpus: int = 0
    concurrent: int = 1

    @property
    def calls_per_worker(self) -> int:
        """Return how many calls a worker is given at a time: one of them waits, so that it is never idle."""
        return self.concurrent + 1

    @property
    def calls(self) -> int:
        """Return how many calls keep all workers busy."""
        return self.workers * self.calls_per_worker


def plan_layout(
    kind: EmbedderKind, *, threads: int, in_flight: int, resources: Mapping[str, float], wanted: int | None
) -> WorkerLayout:
    """Return the layout for a cluster with these resources; `wanted` is the number of workers that the user set.

    A model gets a GPU per worker where there are some and the library uses them, else `threads` cores (one, if
    they are not set). Calls to a service wait more than they work, so the workers share those that the limits of
    the service allow.
    """
    cores = int(resources.get("CPU", 1))
    gpus = int(resources.get("GPU", 0)) if kind == "sentence-transformers" else 0
    if kind == "openai":
        workers = wanted or max(1, min(cores, in_flight))
        return WorkerLayout(workers=workers, concurrent=-(-in_flight // workers))
    cpus = threads or 1
    if gpus:
        return WorkerLayout(workers=wanted or gpus, cpus=cpus, gpus=1)
    return WorkerLayout(workers=wanted or max(1, cores // cpus), cpus=cpus)


def limits_of(kind: EmbedderKind, limits: Limits, layout: WorkerLayout) -> Limits:
    """Return the limits of requests that keep all workers busy; a service keeps its own."""
    if kind == "openai":
        return limits
    return replace(limits, inputs=max(limits.inputs, INPUTS_PER_CALL), in_flight=layout.calls)

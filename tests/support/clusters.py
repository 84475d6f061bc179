"""A cluster of threads: all that goes to a worker and back is pickled, and workers die on request."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest import mock

from ingestion.embedding.protocol import Embedder
from ingestion.sync.distributed.cluster import StageCluster
from ingestion.sync.distributed.connection import RayConnection
from ingestion.sync.distributed.layout import WorkerLayout
from ingestion.sync.distributed.worker import LessonWorker

ARGUMENTS: dict[str, Any] = {"threads": 1, "requests_per_minute": None, "tokens_per_minute": None}


@contextmanager
def kept_actors() -> Iterator[list[Any]]:
    """The actors that connections to a real Ray cluster start meanwhile."""
    actors: list[Any] = []
    start = RayConnection.start_worker

    def start_and_keep(connection: RayConnection, layout: WorkerLayout) -> Any:
        worker: Any = start(connection, layout)
        actors.append(worker.args[0])
        return worker

    with mock.patch.object(RayConnection, "start_worker", start_and_keep):
        yield actors


class WorkerDeath(Exception):
    """What a call raises whose worker died."""


class ThreadConnection:
    """Starts workers on threads. A worker dies where `dies_on` says so of a call's method and arguments."""

    def __init__(self, dies_on: Callable[[str, tuple[Any, ...]], bool] = lambda *_: False) -> None:
        self.dies_on = dies_on
        self.sent: list[tuple[str, bytes]] = []
        self.deaths = 0
        self.opened = 0
        self.closed = 0

    def open(self) -> None:
        self.opened += 1

    def close(self) -> None:
        self.closed += 1

    def resources(self) -> Mapping[str, float]:
        return {"CPU": 2.0}

    def start_worker(self, layout: WorkerLayout) -> Callable[..., Future[Any]]:
        thread = ThreadPoolExecutor(1)
        worker = LessonWorker(log_level=30)
        return lambda method, *args: thread.submit(self._call, worker, method, args)

    def share(self, value: Any) -> Any:
        return value

    def is_loss(self, error: BaseException) -> bool:
        return isinstance(error, WorkerDeath)

    def _call(self, worker: LessonWorker, method: str, args: tuple[Any, ...]) -> Any:
        message = pickle.dumps(args)
        self.sent.append((method, message))
        if self.dies_on(method, args):
            self.deaths += 1
            raise WorkerDeath("killed by a signal")
        return pickle.loads(pickle.dumps(getattr(worker, method)(*pickle.loads(message))))


def cluster_of(connection: ThreadConnection, embedder: Embedder) -> StageCluster:
    """A cluster whose workers embed with a copy of `embedder`, once `build_embedder` is `embedder_from`."""
    arguments = ARGUMENTS | {"copied": embedder}
    return StageCluster(connection, None, kind="local", embedder=embedder, arguments=arguments)


def embedder_from(*, copied: Embedder, **_: Any) -> Embedder:
    """Stands for `build_embedder` in workers of `cluster_of`."""
    return copied

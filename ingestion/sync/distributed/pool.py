"""Gives calls to workers of a cluster, a few to each, and tries again elsewhere what a worker died on."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from ingestion.errors import ClusterError, WorkerLost

logger = logging.getLogger(__name__)

TRIES = 3
"""Workers that may die on a call before it is given up."""

MAX_LOSSES = 24
"""Deaths of workers, with no call finished between them, from which the cluster is at fault and not the work."""

STOP_SECONDS = 5.0

RemoteCall = Callable[..., "Future[Any]"]
"""Begins a method, by name and arguments, on one worker."""


@dataclass(slots=True, eq=False)
class _Task:
    method: str
    args: tuple[Any, ...]
    future: Future[Any] = field(default_factory=Future)
    tries: int = 0


@dataclass(slots=True, eq=False)
class _Seat:
    call: RemoteCall
    busy: int = 0


class WorkerPool:
    """Runs calls on the workers that were added, at most `calls_per_worker` on each, in the order they came.

    `is_loss` tells the errors that mean the end of a worker. All state belongs to the thread `cluster-calls`.
    """

    def __init__(self, calls_per_worker: int, is_loss: Callable[[BaseException], bool]) -> None:
        self._calls_per_worker = calls_per_worker
        self._is_loss = is_loss
        self._events: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._waiting: deque[_Task] = deque()
        self._running: set[_Task] = set()
        self._seats: list[_Seat] = []
        self._losses = 0
        self._broken: ClusterError | None = None
        self.has_worker = Event()
        self._thread = Thread(target=self._run, name="cluster-calls", daemon=True)
        self._thread.start()

    def add(self, worker: RemoteCall) -> None:
        """Add a worker; calls that wait are given to it at once."""
        self._events.put(partial(self._add, worker))

    def submit(self, method: str, *args: Any) -> Future[Any]:
        """Queue a call. Its future raises WorkerLost where workers died on it, ClusterError where all did."""
        task = _Task(method, args)
        self._events.put(partial(self._enqueue, task))
        return task.future

    def stop(self) -> None:
        """Fail what has not come back, and end the thread."""
        self._events.put(partial(self._give_up, ClusterError("the run has ended")))
        self._events.put(None)
        # It may be held up in a call to a cluster that is gone.
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while event := self._events.get():
            event()

    def _add(self, worker: RemoteCall) -> None:
        self._seats.append(_Seat(worker))
        self.has_worker.set()
        self._dispatch()

    def _enqueue(self, task: _Task) -> None:
        if self._broken:
            task.future.set_exception(self._broken)
            return
        self._waiting.append(task)
        self._dispatch()

    def _dispatch(self) -> None:
        while self._waiting and (seat := self._free_seat()):
            task = self._waiting.popleft()
            if task.tries or task.future.set_running_or_notify_cancel():
                self._begin(task, seat)

    def _free_seat(self) -> _Seat | None:
        least = min(self._seats, key=lambda seat: seat.busy, default=None)
        return least if least and least.busy < self._calls_per_worker else None

    def _begin(self, task: _Task, seat: _Seat) -> None:
        task.tries += 1
        seat.busy += 1
        self._running.add(task)
        try:
            remote = seat.call(task.method, *task.args)
        except Exception as error:
            remote = Future()
            remote.set_exception(error)
        remote.add_done_callback(lambda done: self._events.put(partial(self._end, task, seat, done)))

    def _end(self, task: _Task, seat: _Seat, done: Future[Any]) -> None:
        seat.busy -= 1
        if task in self._running:
            self._running.remove(task)
            error = done.exception()
            if error is None:
                self._losses = 0
                task.future.set_result(done.result())
            elif self._is_loss(error):
                self._lose(task, error)
            else:
                task.future.set_exception(error)
        self._dispatch()

    def _lose(self, task: _Task, error: BaseException) -> None:
        self._losses += 1
        reason = " ".join(str(error).split())[:200]
        if self._losses > MAX_LOSSES:
            task.future.set_exception(WorkerLost(reason))
            self._give_up(ClusterError(f"the workers of the Ray cluster keep dying ({reason})"))
        elif task.tries < TRIES:
            logger.warning("a worker of the Ray cluster died; its work is retried")
            logger.debug("the worker died: %s", reason)
            self._waiting.appendleft(task)
        else:
            task.future.set_exception(WorkerLost(f"{TRIES} workers of the Ray cluster died on it ({reason})"))

    def _give_up(self, error: ClusterError) -> None:
        self._broken = error
        failed, self._running = self._running, set()
        for task in (*failed, *self._waiting):
            if task.tries or task.future.set_running_or_notify_cancel():
                task.future.set_exception(error)
        self._waiting.clear()

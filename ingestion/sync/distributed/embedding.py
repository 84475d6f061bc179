"""Workers, as the embed scheduler knows them, that are those of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, wait
from functools import partial
from queue import SimpleQueue
from threading import Event

from ingestion.embedding.workers import FINISH_SECONDS, Call, CallResult, handle_record, not_sent
from ingestion.errors import WorkerLost
from ingestion.sync.distributed.pool import WorkerPool
from ingestion.sync.distributed.worker import EmbedSetup, Reply


class ClusterWorkers:
    """Makes calls on the cluster; a text on which workers die is refused, and the others of its call are embedded."""

    def __init__(self, pool: WorkerPool, setup: EmbedSetup, finished: SimpleQueue[CallResult]) -> None:
        self._pool = pool
        self._setup = setup
        self._finished = finished
        self._stopped = Event()
        self._open: set[Future[Reply]] = set()

    def send(self, call: Call) -> None:
        """See `Workers`."""
        if self._stopped.is_set():
            self._finished.put(not_sent(call))
        else:
            self._submit(call, partial(self._take, call))

    def stop(self) -> None:
        """See `Workers`; what a worker is at is abandoned."""
        self._stopped.set()
        still_open = self._open.copy()
        for future in still_open:
            future.cancel()
        wait(still_open, FINISH_SECONDS)

    def _submit(self, call: Call, take: Callable[[CallResult], None]) -> None:
        future = self._pool.submit("embed", self._setup, call)
        self._open.add(future)

        def ended(future: Future[Reply]) -> None:
            self._open.discard(future)
            take(_result(call, future))

        future.add_done_callback(ended)

    def _take(self, call: Call, done: CallResult) -> None:
        """Pass on what came of a call; where workers died on it, give its texts out one by one."""
        if not isinstance(done.error, WorkerLost) or self._stopped.is_set():
            self._finish(done)
            return
        parts: dict[int, CallResult] = {}

        def take_part(position: int, part: CallResult) -> None:
            parts[position] = part
            if len(parts) == len(call.texts):
                self._finish(_merged(call.number, parts))

        for position, text in enumerate(call.texts):
            self._submit(Call(call.number, [text]), partial(take_part, position))

    def _finish(self, done: CallResult) -> None:
        if done.error:
            self._stopped.set()
        self._finished.put(done)


def _result(call: Call, future: Future[Reply]) -> CallResult:
    try:
        reply = future.result()
    except CancelledError:
        return not_sent(call)
    except Exception as error:
        return CallResult(call.number, error=error)
    for record in reply.records:
        handle_record(record)
    done: CallResult = reply.value
    return done


def _merged(number: int, parts: Mapping[int, CallResult]) -> CallResult:
    """Return one result of calls with one text each, by its position."""
    merged = CallResult(number)
    for position, part in sorted(parts.items()):
        if isinstance(part.error, WorkerLost):
            merged.refused[position] = f"cannot be embedded: {part.error}"
        elif part.error:
            merged.error = merged.error or part.error
        elif part.refused:
            merged.refused[position] = part.refused[0]
        else:
            merged.accepted.append(position)
            merged.pieces += part.pieces
    return merged

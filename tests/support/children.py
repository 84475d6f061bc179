"""The child of `ingestion.embedding.subprocess_pool`, on a thread of this process: nothing is imported twice."""

from __future__ import annotations

import pickle
import socket
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, cast

from ingestion.embedding.protocol import Embedder
from ingestion.embedding.subprocess_pool import SubprocessWorkers, WorkerSetup
from ingestion.embedding.subprocess_worker import serve
from ingestion.embedding.workers import CallResult

KILLED = -9
SETUP = WorkerSetup({"api_key": "sk-secret"}, log_level=30)


class ThreadChild:
    """Stands for the process. What is put into `sent` goes to the parent too."""

    def __init__(self, embedder: Embedder) -> None:
        self.sent: SimpleQueue[Any] = SimpleQueue()
        self.is_killed = False
        to_child, self._in = socket.socketpair()
        from_child, self._out = socket.socketpair()
        self.stdin = cast("IO[bytes]", to_child.makefile("wb", buffering=0))
        self.stdout = cast("IO[bytes]", from_child.makefile("rb", buffering=0))
        # A socket is closed with the last file made from it.
        to_child.close()
        from_child.close()
        Thread(target=self._serve, args=(embedder,), daemon=True).start()

    def kill(self) -> None:
        """Cut both pipes."""
        self.is_killed = True
        for each in (self._in, self._out):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def wait(self) -> int:
        return KILLED

    def _serve(self, embedder: Embedder) -> None:
        with (
            suppress(OSError),  # killed while it had something to say
            self._in,
            self._out,
            self._in.makefile("rb") as incoming,
            self._out.makefile("wb") as outgoing,
        ):
            pickle.load(incoming)
            serve(embedder, incoming, outgoing, self.sent)


def on_a_thread(embedder: Embedder) -> Callable[[SimpleQueue[CallResult]], SubprocessWorkers]:
    """Workers as `Parts.apart` starts them."""
    return lambda finished: SubprocessWorkers(SETUP, finished, ThreadChild(embedder))

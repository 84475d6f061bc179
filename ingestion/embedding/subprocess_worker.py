"""The subprocess of `subprocess_pool`: read calls from standard input until it ends, write their results.

Messages are pickled, between two processes of the same code and user: first a WorkerSetup and then Calls to the
subprocess; CallResults, in any order, and log records from it. The end of its input makes it exit, even if the parent
was killed.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import pickle
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from ingestion.embedding.factory import build_embedder
from ingestion.embedding.protocol import Embedder
from ingestion.embedding.workers import FINISH_SECONDS, Call, CallResult, ThreadWorkers, portable_error


def main() -> None:
    """Serve the standard streams, then exit at once, whatever is under way."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever else is printed must not get between the replies.
    os.dup2(2, 1)
    setup = pickle.load(incoming)
    finished: SimpleQueue[Any] = SimpleQueue()
    to_parent = logging.handlers.QueueHandler(finished)
    # The parent adds the rest of the line.
    logging.basicConfig(level=max(setup.log_level, logging.WARNING), format="%(message)s", handlers=[to_parent])
    logging.getLogger("ingestion").setLevel(setup.log_level)
    serve(build_embedder(**setup.embedder), incoming, outgoing, finished)
    os._exit(0)


def serve(embedder: Embedder, incoming: IO[bytes], outgoing: IO[bytes], finished: SimpleQueue[Any]) -> None:
    """Make the calls until there are no more, then give those under way a moment.

    Everything put into `finished` is written; None ends that.
    """
    # Not the workers themselves: they would wait while the parent is too busy to read.
    writer = Thread(target=_write, args=(finished, outgoing), name="replies", daemon=True)
    writer.start()
    workers = ThreadWorkers(embedder, finished)
    while call := _next_call(incoming):
        workers.send(call)
    workers.stop()
    finished.put(None)
    writer.join(FINISH_SECONDS)


def _next_call(incoming: IO[bytes]) -> Call | None:
    try:
        call: Call = pickle.load(incoming)
    except (EOFError, OSError, pickle.UnpicklingError):  # the last: the parent died, or was interrupted, in a call
        return None
    return call


def _write(finished: SimpleQueue[Any], outgoing: IO[bytes]) -> None:
    try:
        while message := finished.get():
            if isinstance(message, CallResult) and message.error:
                message.error = portable_error(message.error)
            pickle.dump(message, outgoing, pickle.HIGHEST_PROTOCOL)
            outgoing.flush()
            del message  # up to 13 MB of vectors, while the next one is waited for
    except OSError:
        """The parent is gone; the end of the input will show it."""

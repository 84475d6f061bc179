"""The child of `apart`: reads calls from its standard input until that ends, writes what came of each.

What goes through the pipes is pickled, between two processes of the same code and user: first a Setup and then Calls
to the child; Dones, in any order, and log records from it. The end of its input tells it to end, also where the
parent was killed.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import pickle
import traceback
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from ingestion.embedding.factory import build_embedder
from ingestion.embedding.protocol import Embedder
from ingestion.embedding.workers import SECONDS_TO_FINISH, Call, Done, Threads
from ingestion.errors import ConfigurationError, EmbeddingError


def main() -> None:
    """Serve the standard streams, and end the process at once, whatever is under way."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever else is printed must not get between the replies.
    os.dup2(2, 1)
    setup = pickle.load(incoming)
    finished: SimpleQueue[Any] = SimpleQueue()
    to_parent = logging.handlers.QueueHandler(finished)
    # The parent adds the rest of the line.
    logging.basicConfig(level=setup.log_level, format="%(message)s", handlers=[to_parent])
    serve(build_embedder(**setup.embedder), incoming, outgoing, finished)
    os._exit(0)


def serve(embedder: Embedder, incoming: IO[bytes], outgoing: IO[bytes], finished: SimpleQueue[Any]) -> None:
    """Work on the calls until there are no more, then give those under way a moment.

    Whatever is put into `finished` is written; None ends that.
    """
    # Not the workers themselves: they would wait while the parent is too busy to read.
    writer = Thread(target=_write, args=(finished, outgoing), name="replies", daemon=True)
    writer.start()
    workers = Threads(embedder, finished)
    while call := _next_call(incoming):
        workers.send(call)
    workers.stop()
    finished.put(None)
    writer.join(SECONDS_TO_FINISH)


def _next_call(incoming: IO[bytes]) -> Call | None:
    try:
        call: Call = pickle.load(incoming)
    except (EOFError, OSError, pickle.UnpicklingError):  # the last: the parent died, or was interrupted, in a call
        return None
    return call


def _write(finished: SimpleQueue[Any], outgoing: IO[bytes]) -> None:
    try:
        while message := finished.get():
            if isinstance(message, Done) and message.error:
                message.error = _portable(message.error)
            pickle.dump(message, outgoing, pickle.HIGHEST_PROTOCOL)
            outgoing.flush()
            del message  # up to 13 MB of vectors, while the next one is waited for
    except OSError:
        """The parent is gone, as the end of the input will tell."""


def _portable(error: BaseException) -> Exception:
    """The error as it can be sent: an expected one as it is, without its cause, another as text."""
    if isinstance(error, (EmbeddingError, ConfigurationError)) or type(error) is ValueError:
        return error
    bug = RuntimeError(f"{type(error).__name__}: {error}")
    bug.add_note("".join(traceback.format_tb(error.__traceback__)))
    return bug

"""Workers that make several calls to an embedder at a time, beside the caller, and the results of the calls."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Protocol

from ingestion.embedding.protocol import Embedder
from ingestion.errors import ConfigurationError, EmbeddingError, InputsRefused

if TYPE_CHECKING:
    from ingestion.models import Vectors

FINISH_SECONDS = 0.25
"""How long a stopped run waits for the calls under way: what is paid for goes to the cache."""

MAX_REFUSED = 8
"""Texts refused one by one, none accepted, from which the service is at fault and not they."""


@dataclass(frozen=True, slots=True)
class Call:
    """Texts to embed together."""

    number: int
    texts: Sequence[str]


@dataclass(slots=True)
class CallResult:
    """Result of a call: vectors of the texts at `accepted`, piece by piece, and why others were refused.

    Positions count from 0. If the call failed for good, `error` is set and some texts may be in neither.
    """

    number: int
    accepted: list[int] = field(default_factory=list)
    pieces: list[Vectors] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    error: BaseException | None = None


class Workers(Protocol):
    """Makes calls beside the caller; each call sent before `stop` yields one CallResult, in any order.

    After the first call that failed for good no other is made: all that wait fail too.
    """

    def send(self, call: Call) -> None:
        """Queue a call and return at once."""

    def stop(self) -> None:
        """Drop queued calls and give those under way a moment; end whatever can be ended."""


StartWorkers = Callable[[SimpleQueue[CallResult]], Workers]
"""Starts workers that put results into the queue."""


class ThreadWorkers:
    """Workers on threads of this process, as many as the embedder's limits allow at once."""

    def __init__(self, embedder: Embedder, finished: SimpleQueue[CallResult]) -> None:
        self._embedder = embedder
        self._in_flight = embedder.limits.in_flight
        self._waiting: SimpleQueue[Call | None] = SimpleQueue()
        self._finished = finished
        self._stopped = Event()
        self._threads: list[Thread] = []

    def send(self, call: Call) -> None:
        """See `Workers`."""
        self._waiting.put(call)
        if len(self._threads) < self._in_flight:
            # Daemons: a request may wait for minutes, and an interrupted program does not.
            self._threads.append(Thread(target=self._work, name="embed", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """See `Workers`; a thread whose call takes longer is abandoned."""
        self._stopped.set()
        for _ in self._threads:
            self._waiting.put(None)
        deadline = time.monotonic() + FINISH_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self) -> None:
        while (call := self._waiting.get()) is not None:
            # Nothing here keeps the vectors while the next call is waited for.
            self._finished.put(self._done(call))

    def _done(self, call: Call) -> CallResult:
        if self._stopped.is_set():
            return not_sent(call)
        done = embed_call(call, self._embedder)
        if done.error:
            self._stopped.set()
        return done


def not_sent(call: Call) -> CallResult:
    """Return the result of a call that is not made, as an earlier one failed for good."""
    return CallResult(call.number, error=EmbeddingError("not sent because an earlier request failed"))


def embed_call(call: Call, embedder: Embedder) -> CallResult:
    """Make a call; an error is part of its result."""
    done = CallResult(call.number)
    try:
        _embed(call.texts, embedder, done)
    except BaseException as error:
        done.error = error
    return done


def portable_error(error: BaseException) -> Exception:
    """Return the error in a form that can be pickled: an expected one without its cause, any other as text."""
    if isinstance(error, (EmbeddingError, ConfigurationError)) or type(error) is ValueError:
        return error
    bug = RuntimeError(f"{type(error).__name__}: {error}")
    bug.add_note("".join(traceback.format_tb(error.__traceback__)))
    return bug


def handle_record(record: logging.LogRecord) -> None:
    """Log what another process logged, where its logger is enabled here."""
    log = logging.getLogger(record.name)
    if log.isEnabledFor(record.levelno):
        log.handle(record)


def _embed(texts: Sequence[str], embedder: Embedder, done: CallResult) -> None:
    """Embed the texts; those that are refused are found by halving again and again."""
    parts = [range(len(texts))]
    while parts:
        part = parts.pop()
        try:
            piece = embedder.embed_documents(texts[part.start : part.stop])
        except InputsRefused as refused:
            if len(part) > 1:
                half = len(part) // 2
                parts += [part[half:], part[:half]]
                continue
            done.refused[part.start] = str(refused)
            if len(done.refused) == MAX_REFUSED and not done.accepted:
                raise EmbeddingError(
                    f"the service refuses every text, so the request itself must be wrong: {refused}"
                ) from refused
        else:
            done.accepted += part
            done.pieces.append(piece)

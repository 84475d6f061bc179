"""Call an embedding service from a subprocess, which never waits for this process's interpreter lock.

The embedded engine holds that lock for up to 0.2 s at a time, during which the service would sit idle.
`subprocess_worker` is the other side and describes what goes through the pipes.
"""

from __future__ import annotations

import io
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, Protocol, cast

from ingestion.embedding.workers import FINISH_SECONDS, Call, CallResult, handle_record
from ingestion.errors import EmbeddingError
from ingestion.interpreters import PYTHON, safe_path

END_SECONDS = 0.1
"""Extra time for the subprocess to hand over what arrived in time."""

BYTES_PER_READ = 1 << 18

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from ingestion.embedding.subprocess_worker import main; main()"
"""Lets the subprocess import what this process can, wherever both were started."""

_MALLOC = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
"""For glibc, which otherwise keeps most of what concurrent threads used for replies of 17 MB: 380 MB, not 200."""


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """First message to the subprocess: the arguments of `build_embedder`, including a key, and the log level."""

    embedder: Mapping[str, Any] = field(repr=False)
    log_level: int


class Child(Protocol):
    """The part of subprocess.Popen that SubprocessWorkers uses."""

    @property
    def stdin(self) -> IO[bytes] | None:
        """Return its standard input, unbuffered."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """Return its standard output, unbuffered."""

    def kill(self) -> None:
        """Kill it at once."""

    def wait(self) -> int:
        """Wait for its end and return the exit code."""


def start_child() -> subprocess.Popen[bytes]:
    """Start a subprocess that Ctrl-C in the terminal does not reach: only this process handles it."""
    return subprocess.Popen(
        [*PYTHON, "-c", _PROGRAM, *safe_path()],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=_MALLOC | os.environ,
        # Windows knows no sessions and other systems no flags.
        start_new_session=sys.platform != "win32",
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


class SubprocessWorkers:
    """Workers in a subprocess, within its embedder's limits; if it dies, all calls that wait for it fail."""

    def __init__(self, setup: WorkerSetup, finished: SimpleQueue[CallResult], child: Child | None = None) -> None:
        self._child = child or start_child()
        assert self._child.stdin and self._child.stdout
        self._to_child, self._from_child = self._child.stdin, self._child.stdout
        self._finished = finished
        self._lock = Lock()
        self._open: set[int] = set()
        self._ended = False
        self._exit_code = 0
        self._reader = Thread(target=self._read, name="embed-replies", daemon=True)
        self._reader.start()
        self._write(setup)

    def send(self, call: Call) -> None:
        """See `Workers`."""
        with self._lock:
            self._open.add(call.number)
            ended = self._ended
        if ended:
            self._fail_open()
        else:
            self._write(call)

    def stop(self) -> None:
        """See `Workers`; the subprocess has ended afterwards."""
        with suppress(OSError):
            self._to_child.close()
        if self._open:
            self._reader.join(FINISH_SECONDS + END_SECONDS)
        self._child.kill()
        self._child.wait()
        self._reader.join()

    def _write(self, message: WorkerSetup | Call) -> None:
        """Write the whole message; the reader notices if the subprocess is gone."""
        left = memoryview(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        with suppress(OSError):
            while left:
                left = left[self._to_child.write(left) :]

    def _read(self) -> None:
        # All that is there at once: each read waits for the interpreter lock anew.
        replies = io.BufferedReader(cast("io.RawIOBase", self._from_child), BYTES_PER_READ)
        try:
            with replies, suppress(EOFError, OSError, pickle.UnpicklingError):
                while True:
                    self._take(pickle.load(replies))
        finally:
            self._child.kill()  # where it lives, what it sent was not to be understood
            self._exit_code = self._child.wait()
            with self._lock:
                self._ended = True
            self._fail_open()

    def _take(self, message: CallResult | logging.LogRecord) -> None:
        if isinstance(message, logging.LogRecord):
            handle_record(message)
            return
        with self._lock:
            self._open.discard(message.number)
        self._finished.put(message)

    def _fail_open(self) -> None:
        with self._lock:
            failed, self._open = self._open, set()
        reason = (
            f"the process that asks the embedding service has ended (exit code {self._exit_code}); "
            "run again, what is indexed stays"
        )
        for number in sorted(failed):
            self._finished.put(CallResult(number, error=EmbeddingError(reason)))

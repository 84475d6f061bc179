"""Kill a server that does not stop when signalled, whatever its loop or its interpreter does.

Python runs its handler of a signal between two of its instructions, and a search of a pattern is one instruction. So
a process beside the server reads the byte that Python writes at once when a signal arrives, and kills a server that
outlives its time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from ingestion.interpreters import PYTHON

_PROGRAM = """
import os, select, signal, sys, time
server, seconds = int(sys.argv[1]), float(sys.argv[2])
until = None
while select.select([0], [], [], None if until is None else max(0.0, until - time.monotonic()))[0]:
    said = os.read(0, 64)
    if not said:
        sys.exit()
    if until is None and {signal.SIGINT, signal.SIGTERM} & set(said):
        until = time.monotonic() + seconds
if os.getppid() == server:
    os.write(2, f"bookwise: the server did not stop within {seconds:g} seconds and is killed\\n".encode())
    os.kill(server, signal.SIGKILL)
"""


def kill_if_not_stopped_within(seconds: float) -> None:
    """Watch this process from now on: it is killed this long after SIGTERM or SIGINT if it has not ended.

    To be called by the main thread. Does nothing on Windows, which has no such signals.
    """
    if sys.platform == "win32":
        return
    reading, writing = os.pipe()
    subprocess.Popen(
        [*PYTHON, "-S", "-c", _PROGRAM, str(os.getpid()), str(seconds)], stdin=reading, start_new_session=True
    )
    os.close(reading)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

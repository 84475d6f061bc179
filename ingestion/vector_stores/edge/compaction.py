"""Seals what was written into an embedded index, and gives back what rewrites and deletions left behind.

    python -P -m ingestion.vector_stores.edge.compaction SHARD DIMENSIONS

New points go into an open segment, whose lists are all in memory and are built anew by each opening: 27 microseconds
and 5 kB a point. A sealed segment is mapped, and read as it is asked for. It takes a process of its own.

The engine stalls the whole process while it compacts (no signal is heard), and a crash in it would end a run that has
done its work. A child that dies leaves the index as it was.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.interpreters import PYTHON
from ingestion.own_files import read_own
from ingestion.vector_stores.edge.index_files import bytes_taken

logger = logging.getLogger(__name__)

OPEN_POINTS_AT_END = 50_000
"""So many points in the open segment are sealed when the index is closed: before, opening takes less than 2 s."""
OPEN_POINTS = 100_000
"""So many are sealed while a run goes on writing, which bounds what it takes in memory."""

SMALLEST_BYTES = 64 << 20
GROWTH = 2.0
"""An index that takes so many times the disk it took when it was last compact, or new, is compacted."""

_NOTE = "compact-bytes"
"""Beside the shard: how many bytes it took then."""

_PR_SET_PDEATHSIG = 1


def has_grown(generation: Path) -> bool:
    """Return whether an index takes so much more than when it was last compact, which is noted for a new one."""
    shard, note = generation / "shard", generation / _NOTE
    taken = bytes_taken(shard)
    before = _noted(note)
    if before is None:
        _write_note(note, taken)
    return before is not None and taken >= SMALLEST_BYTES and taken >= GROWTH * before


def run_compaction(generation: Path, dimensions: int) -> None:
    """Compact the closed index in a child, its lock held by the caller. A failure is told, and changes nothing."""
    shard = generation / "shard"
    command = [*PYTHON, "-m", __name__, str(shard.resolve()), str(dimensions)]
    # The engine makes and frees millions of small values: the C library's default joins freed ones again and again.
    environment = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.mxfast=0"}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode:
        said = done.stderr.strip().rpartition("\n")[2]
        logger.warning("the index in %s could not be compacted, and stays as it was: %s", shard, said)
        return
    _write_note(generation / _NOTE, bytes_taken(shard))


def compact(shard_path: Path, dimensions: int) -> None:
    """Compact a shard in this process, into today's layout; raises VectorStoreError."""
    # Imported late: whoever only asks whether to compact needs no engine.
    from ingestion.vector_stores.edge.shard import engine_errors, load_shard, map_indexes, sealed_layout

    shard = load_shard(shard_path, sealed_layout(dimensions))
    with engine_errors(f"cannot compact the index in {shard_path}"):
        map_indexes(shard)
        shard.optimize()
        shard.flush()
        shard.close()


def end_with_parent() -> None:
    """Let the system end this process with the run that waits for it: it holds the index, and no lock of ours."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _noted(note: Path) -> int | None:
    try:
        return int(read_own(note))
    except (OSError, ValueError):
        return None


def _write_note(note: Path, taken: int) -> None:
    try:
        write_atomically(note, str(taken))
    except OSError as error:
        logger.warning("cannot write %s: %s", note, error)


if __name__ == "__main__":
    end_with_parent()
    compact(Path(sys.argv[1]), int(sys.argv[2]))

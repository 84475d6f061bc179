"""Gives back what rewrites and deletions left behind in an embedded index, in a process of its own.

    python -P -m ingestion.vector_stores.edge.compaction SHARD

The engine stalls the whole process while it compacts (no signal is heard), and a crash in it would end a run that has
done its work. A child that dies leaves the index as it was.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.interpreters import PYTHON
from ingestion.own_files import read_own
from ingestion.vector_stores.edge.index_files import bytes_taken

logger = logging.getLogger(__name__)

SMALLEST_BYTES = 64 << 20
GROWTH = 2.0
"""An index that takes so many times the disk it took when it was last compact, or new, is compacted."""

_NOTE = "compact-bytes"
"""Beside the shard: how many bytes it took then."""


def compact_if_grown(generation: Path) -> bool:
    """Compact the closed index if it has grown so much; whether that was done. To be called with its lock held."""
    shard, note = generation / "shard", generation / _NOTE
    taken = bytes_taken(shard)
    before = _noted(note)
    if before is None:
        _write_note(note, taken)
    if before is None or taken < SMALLEST_BYTES or taken < GROWTH * before:
        return False
    command = [*PYTHON, "-m", __name__, str(shard.resolve())]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().rpartition("\n")[2]
        logger.warning("the index in %s could not be compacted, and stays as it was: %s", shard, said)
        return False
    _write_note(note, bytes_taken(shard))
    return True


def compact(shard_path: Path) -> None:
    """Compact a shard in this process; raises VectorStoreError."""
    # Imported late: whoever only asks whether to compact needs no engine.
    from ingestion.vector_stores.edge.shard import engine_errors, load_shard

    shard = load_shard(shard_path)
    with engine_errors(f"cannot compact the index in {shard_path}"):
        shard.optimize()
        shard.flush()
        shard.close()


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
    compact(Path(sys.argv[1]))

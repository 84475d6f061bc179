"""The files of an embedded index as the disk has them; most are sparse: gigabytes long, and nearly all holes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from ingestion.ids import sha256
from ingestion.own_files import open_own

MIN_FREE_BYTES = 256 << 20
"""The engine writes into mapped files: on a full disk the process is killed, no error is raised."""

_BLOCK = 256 << 10
_ZEROS = bytes(_BLOCK)


def files_below(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every file below, links not followed: its path relative to the folder, and its status."""
    return _files(str(folder), "")


def _files(folder: str, below: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{below}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, path)
            else:
                yield path, entry.stat(follow_symlinks=False)


def files_seen(folder: Path) -> str:
    """Return a hash of each file's path, size and time of change: another one means that the index was opened."""
    return sha256(
        "\n".join(sorted(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in files_below(folder)))
    )


def bytes_taken(folder: Path) -> int:
    """Return what the files take on the disk."""
    return sum(getattr(stat, "st_blocks", stat.st_size // 512) * 512 for _, stat in files_below(folder))


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder of regular files into a new one, with the holes and times of its files.

    Raises OSError, also for a link in it.
    """
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            copy = copy_folder if entry.is_dir(follow_symlinks=False) else copy_file
            copy(Path(entry.path), target / entry.name)


def copy_file(source: Path, target: Path) -> None:
    """Copy a regular file to a new one. Blocks of zeros become holes: a container's layer has none."""
    with (
        os.fdopen(open_own(source, os.O_RDONLY), "rb", buffering=0) as old,
        target.open("xb", buffering=0) as new,
    ):
        status = os.fstat(old.fileno())
        for start, end in _extents(old.fileno(), status.st_size):
            old.seek(start)
            while start < end and (block := old.read(min(_BLOCK, end - start))):
                if block != _ZEROS[: len(block)]:
                    new.seek(start)
                    new.write(block)
                start += len(block)
        new.truncate(status.st_size)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def _extents(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a file that are not known to be holes."""
    if not hasattr(os, "SEEK_DATA"):
        yield 0, size
        return
    end = 0
    while end < size:
        try:
            start = os.lseek(file, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # a hole to the end
                return
            raise
        end = os.lseek(file, start, os.SEEK_HOLE)
        yield start, min(end, size)


def bytes_of_holes(folder: Path) -> int:
    """Return how much of the files below takes no room yet, the log left out, which only writing fills."""
    files = (stat for path, stat in files_below(folder) if not path.startswith("/wal/"))
    return sum(max(0, stat.st_size - stat.st_blocks * 512) for stat in files)


def is_in_memory(path: Path) -> bool:
    """Return whether a path lies on a tmpfs; False where the system does not tell."""
    device = os.stat(path).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    kinds = (line.partition(" - ")[2].split(" ")[0] for line in mounts if line.split(" ")[2:3] == [number])
    return "tmpfs" in kinds

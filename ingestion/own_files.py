"""Open files that only this program writes: a checkout or a cache may hold something else under their names.

A symbolic link would lead a write out of our folders, a FIFO would block for ever, a device may do anything.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

MAX_BYTES = 64 << 20
"""How much of a file is read at most; ours are far smaller."""


def open_own(path: Path, flags: int, mode: int = 0o644) -> int:
    """Open a regular file and return its descriptor; raises OSError for a link, also a hard one to write through."""
    hardened = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        file = os.open(path, flags | hardened, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise _refused(path) from error
        raise
    status = os.fstat(file)
    writes = flags & (os.O_WRONLY | os.O_RDWR)
    if not stat.S_ISREG(status.st_mode) or (writes and status.st_nlink > 1):
        os.close(file)
        raise _refused(path)
    return file


def read_own(path: Path) -> bytes:
    """Return the contents of a regular file; raises OSError for anything else, and for one that is far too large."""
    with os.fdopen(open_own(path, os.O_RDONLY), "rb") as file:
        contents = file.read(MAX_BYTES + 1)
    if len(contents) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_BYTES >> 20} MiB", str(path))
    return contents


def is_refused(error: OSError) -> bool:
    """Return whether the file system lets this user write nothing there: a read-only disk, or someone else's file."""
    return error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)


def explain(error: Exception) -> str:
    """Return why a file cannot be used, without its name, and what to do where this user lacks the right."""
    if not isinstance(error, OSError):
        return str(error)
    reason = error.strerror or str(error)
    return f"{reason}; run this as its owner, or get the right to read it" if is_refused(error) else reason


def make_own_folder(folder: Path) -> None:
    """Make a folder that git leaves out; one that is there stays as it is, for it may hold more than our files."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    # To be left out is a service; that it cannot be written is not what the caller has to hear of.
    with suppress(OSError), (folder / ".gitignore").open("x", encoding="utf-8") as file:
        file.write("*\n")


def make_private(path: Path) -> None:
    """Let only its owner read a database of ours, which is created empty if missing; raises OSError for a link.

    What SQLite adds beside it gets the same permissions.
    """
    make_own_folder(path.parent)
    file = open_own(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        # An earlier release, or a cache that was unpacked, may have left it open to others.
        with suppress(OSError, AttributeError):  # another owner's file; Windows
            os.fchmod(file, 0o600)
    finally:
        os.close(file)


def create_private(path: Path) -> None:
    """Create an empty database at a path of the user's, for its owner alone; one that is there stays as it is."""
    make_own_folder(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Rename a database to `*.damaged`, or what it is, replacing an earlier one, and return that; raises OSError."""
    aside = path.with_name(f"{path.name}.{why}")
    os.replace(path, aside)
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def refuse_link(folder: Path) -> None:
    """Raise OSError where a folder of ours is a link to another one."""
    if folder.is_symlink():
        raise _refused(folder)


def refuse_links_below(folder: Path) -> None:
    """Raise OSError where a folder of ours, or anything below it, is neither a regular file nor a folder."""
    refuse_link(folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                refuse_links_below(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                raise _refused(Path(entry.path))


def _refused(path: Path) -> OSError:
    return OSError(errno.EINVAL, "is a link or not a regular file, and is not followed; remove it", str(path))

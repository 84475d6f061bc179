"""Replace a file atomically: after a crash it has the old text or the new one, never part of either."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write the text as UTF-8 to a new file in the same folder and rename it to `path`, all of it on the disk.

    Keeps the permissions of the file it replaces, and follows no symbolic link. Raises OSError, with the old file as
    it was and no new one left behind.
    """
    # The name cannot be foreseen, and must not exist: nobody can lay a link there for us to write through.
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            _copy_mode(path, new)
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    _sync_folder(path.parent)


def _copy_mode(source: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        status = source.lstat()
        if stat.S_ISREG(status.st_mode):
            os.chmod(target, stat.S_IMODE(status.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, which only POSIX can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    # Some network file systems know no fsync of a folder; the file is whole there all the same.
    with suppress(OSError):
        os.fsync(descriptor)
    os.close(descriptor)

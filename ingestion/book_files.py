"""Read files of a book, which a stranger may have written: regular ones alone, and only up to a size.

A FIFO would block for ever, a device has no end, and a sparse file of gigabytes takes no room in a checkout.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MAX_CONFIG_BYTES = 1_000_000
"""More than any real configuration has."""

MAX_LESSON_BYTES = 64 << 20
"""More than any real page has, and than can be read within the memory and work of one."""


def read_book_file(path: Path, max_bytes: int = MAX_CONFIG_BYTES) -> bytes:
    """Return the contents; raises OSError if it is not a regular file or too large."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with os.fdopen(file, "rb") as opened:
        contents = opened.read(max_bytes + 1) if status.st_size <= max_bytes else b""
    if max(len(contents), status.st_size) > max_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes} bytes", str(path))
    return contents


def read_book_text(path: Path) -> str:
    """Return the text, with `\\n` at the end of its lines; raises UnicodeDecodeError too."""
    text = read_book_file(path, MAX_CONFIG_BYTES).decode("utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")

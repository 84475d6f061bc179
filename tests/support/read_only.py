"""Folders that this process, or a child, can read and not write."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

_SOMEONE = 65534
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def refuse_writes(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Have this process see `folder` as a read-only disk: the bits of a mode do not bind root, who may run tests."""
    real_open, real_access = os.open, os.access

    def opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & _WRITING and isinstance(path, str | os.PathLike) and _is_below(path, folder):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(path))
        return real_open(path, flags, mode, dir_fd=dir_fd)

    def accessible(path: Any, mode: int, **how: Any) -> bool:
        return real_access(path, mode, **how) and not (mode & os.W_OK and _is_below(path, folder))

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "access", accessible)


def _is_below(path: str | os.PathLike[str], folder: Path) -> bool:
    return Path(os.path.abspath(path)).is_relative_to(folder.absolute())


def close_to_others(path: Path) -> None:
    """Take the right to read from everybody but the owner of a file or folder that was given away."""
    shut = 0o000 if os.geteuid() != 0 else 0o700
    path.chmod(shut)


def give_away(folder: Path) -> list[str]:
    """Make everything below `folder` read-only for a child that is started with the returned prefix.

    Root gives it to another user, and the child goes without root's power to write all the same.
    """
    files = [folder, *folder.rglob("*")]
    for path in files:
        path.chmod(0o555 if path.is_dir() else 0o444)
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("needs setpriv to write nothing as root")
    for path in files:
        os.chown(path, _SOMEONE, _SOMEONE)
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-dac_override"]

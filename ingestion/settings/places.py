"""Places of configuration files: the book's, searched upwards from the current folder, and the user's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from ingestion.errors import ConfigurationError

CONFIG_NAME = "bookwise.toml"


def find_config(start: Path) -> Path | None:
    """Return the nearest `bookwise.toml` in `start` or above it, None where there is none.

    The search ends at the root of the git repository or at the home folder, and where folders belong to someone else.
    The path is relative to the current folder where `start` is relative. Raises ConfigurationError for a file that
    another user may have put there.
    """
    folder = Path(os.path.abspath(start))
    home = Path.home()
    for level in (folder, *folder.parents):
        if (level / CONFIG_NAME).is_file():
            if is_planted(level / CONFIG_NAME):
                raise ConfigurationError(
                    f"{level / CONFIG_NAME}: belongs to another user, in a folder that everyone can write to; pass "
                    "it with --config if it is correct, or use a folder of your own"
                )
            return _as_given(level, start) / CONFIG_NAME
        if level == home or (level / ".git").exists() or _owner(level.parent) != _owner(level):
            return None
    return None


def is_planted(path: Path) -> bool:
    """Return whether a file in a shared folder, such as `/tmp`, belongs to neither the folder's owner nor you."""
    try:
        folder, file = path.parent.stat(), path.stat()
    except OSError:
        return False
    is_for_all = os.name != "nt" and bool(folder.st_mode & stat.S_IWOTH)
    return is_for_all and file.st_uid not in (folder.st_uid, os.geteuid())


def user_config(environ: Mapping[str, str]) -> Path | None:
    """Return the path of the user's own configuration, whether it exists or not; None without a home folder."""
    folder = _user_folder(environ, windows="APPDATA", xdg="XDG_CONFIG_HOME", default=".config")
    return folder / "config.toml" if folder else None


def user_cache(environ: Mapping[str, str]) -> Path | None:
    """Return the cache folder, whether it exists or not; None without a home folder."""
    return _user_folder(environ, windows="LOCALAPPDATA", xdg="XDG_CACHE_HOME", default=".cache")


def _user_folder(environ: Mapping[str, str], *, windows: str, xdg: str, default: str) -> Path | None:
    if os.name == "nt":
        base = environ.get(windows)
    else:
        base = environ.get(xdg) or (f"{home}/{default}" if (home := environ.get("HOME")) else None)
    return Path(base) / "bookwise" if base else None


def _as_given(folder: Path, start: Path) -> Path:
    if start.is_absolute():
        return folder
    try:
        return Path(os.path.relpath(folder))
    except ValueError:  # another drive of Windows
        return folder


def _owner(folder: Path) -> int | None:
    try:
        return folder.stat().st_uid
    except OSError:
        return None

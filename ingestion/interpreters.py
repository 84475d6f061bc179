"""Start Python so that it imports nothing from the current folder, which may be a book that a stranger wrote.

`python -m` and `python -c` put that folder first on the path, before Python's own library: a `json.py` of a book
would run with the user's keys in its environment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

PYTHON = (sys.executable, "-P")
"""Begins the command line of every interpreter that we start ourselves."""


def leave_out_current_folder() -> None:
    """Take the current folder off the path of this process and of every interpreter that starts below it."""
    os.environ["PYTHONSAFEPATH"] = "1"
    if given := os.environ.get("PYTHONPATH"):
        os.environ["PYTHONPATH"] = os.pathsep.join(without_current_folder(given.split(os.pathsep)))
    sys.path[:] = safe_path()


def safe_path() -> list[str]:
    """Return the path of this process without the current folder, to hand on to another interpreter."""
    return without_current_folder(map(str, sys.path))


def without_current_folder(folders: Iterable[str]) -> list[str]:
    """Return the folders but the current one, however it is spelled; it stays where our own code lies in it."""
    try:
        current = os.path.realpath(os.getcwd())
    except OSError:  # it was removed
        current = ""
    if current == os.path.dirname(os.path.dirname(os.path.realpath(__file__))):
        return list(folders)
    return [folder for folder in folders if folder and os.path.realpath(folder) != current]

"""Whose a file in a book is: the user's, or that of whoever wrote the book. Git knows it."""

from __future__ import annotations

import os
import subprocess
from enum import Enum
from pathlib import Path


class Owner(Enum):
    """Whose a file is, or the values that it sets."""

    USER = "the user's"
    BOOK = "the book's"
    UNKNOWN = "of whoever made the folder"
    """Without a repository around it: its user or the maker of an archive may have written it."""


def owner_of_file(path: Path) -> Owner:
    """Return whose a file in a book is: the book's where git tracks it, or may, the user's where git does not.

    The repository is the nearest `.git`, and git is told so: from files of the book it would make up another one.
    """
    file = path.resolve()
    root = next((folder for folder in file.parents if os.path.lexists(folder / ".git")), None)
    if root is None:
        return Owner.UNKNOWN
    command = [
        *("git", "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"),
        *(f"--git-dir={root / '.git'}", f"--work-tree={root}"),
        # Where case does not count, a tracked `.ENV` is read as `.env`.
        *("ls-files", "--error-unmatch", "--", f":(top,icase,literal){file.relative_to(root).as_posix()}"),
    ]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environ["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(command, cwd=root, env=environ, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return Owner.BOOK
    return Owner.USER if done.returncode == 1 else Owner.BOOK

"""Databases of ours that may come from a stranger: those that git tracks, and those that hold what we never make.

A checkout can hold a `threads.sqlite` with an owner's key in it, or tables whose triggers and views run on our reads.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from ingestion.file_owner import Owner, owner_of_file
from ingestion.own_files import set_aside

logger = logging.getLogger(__name__)

_COMPUTES = re.compile(r"\b(CHECK|GENERATED|AS|WHERE|COLLATE)\b|\bDEFAULT\s*\((?!\d+\))", re.IGNORECASE)
"""What makes a table or an index compute something; ours hold plain columns. SQLAlchemy before 2.0.40 wrote (0)."""


def set_aside_foreign(path: Path, names: Collection[str]) -> None:
    """Rename a database that is not ours to `*.foreign`, with a warning; `names` are our tables and indexes.

    Raises OSError where it cannot be renamed.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    reason = "git tracks it" if owner_of_file(path) is Owner.BOOK else _foreign_part(path, names)
    if reason:
        aside = set_aside(path, "foreign")
        logger.warning("%s may come from a stranger (%s): set aside as %s", path, reason, aside.name)


def distrust_schema(connection: sqlite3.Connection) -> None:
    """Let nothing that a file defines call a function with effects outside of it."""
    connection.execute("PRAGMA trusted_schema = OFF")


def _foreign_part(path: Path, names: Collection[str]) -> str | None:
    """Return what a file holds that we never make; None also for one that is damaged, which its opening notices."""
    try:
        # A log beside the file counts only for who may write: so it is for all that read the file afterwards.
        mode = "rw" if os.access(path, os.W_OK) else "ro&immutable=1"
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True)) as connection:
            distrust_schema(connection)
            rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master").fetchall()
    except sqlite3.Error:
        return None
    for kind, name, sql in rows:
        if str(name).startswith("sqlite_"):
            continue
        if kind not in ("table", "index") or name not in names or _COMPUTES.search(str(sql)):
            return f"it holds a {kind} {str(name)[:60]!r} that bookwise does not make"
    return None

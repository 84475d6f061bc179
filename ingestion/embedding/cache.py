"""Cache vectors by embed key in one SQLite file, so that nothing is embedded twice.

The cache only saves time and money: whatever is wrong with its file, a run continues without it.
"""

from __future__ import annotations

import logging
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from ingestion.foreign_files import distrust_schema, set_aside_foreign
from ingestion.own_files import is_refused, make_private, set_aside

if TYPE_CHECKING:
    from ingestion.models import Vector

T = TypeVar("T")

log = logging.getLogger(__name__)

MAX_BYTES = 1 << 30

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL, used_at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS vectors_used_at ON vectors (used_at);
"""
_KEYS_PER_QUERY = 500
_FRESH_SECONDS = 86_400  # a use is noted once a day, so that most reads write nothing
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}


class EmbeddingCache:
    """Float32 vectors by embed key; many processes may read while one writes.

    The file is created by the first `put`. It holds at most about `max_bytes`; the least recently used go first.
    A damaged file is set aside as `*.damaged` and a new one begun. One that this user cannot write is only read. No
    call raises because of the file: the first failure is logged as a warning, and from then on the cache is empty and
    stores nothing.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None
        self._failed = False

    def get(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return the cached vectors among these keys, read-only."""
        if not keys or not self._path.exists():
            return {}
        blobs: dict[str, bytes] = self._attempt(lambda db: _select(db, keys), otherwise={})
        vectors = {key: vector for key, blob in blobs.items() if (vector := _unpacked(blob)) is not None}
        if len(vectors) < len(blobs):
            log.warning(
                "%d vectors in the embedding cache %s are damaged; their texts are embedded again",
                len(blobs) - len(vectors),
                self._path,
            )
        return vectors

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Store these vectors, replacing those under the same keys."""
        if vectors:
            self._attempt(lambda db: _insert(db, vectors, self._max_bytes), otherwise=None)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            self._disconnect()

    def _attempt(self, action: Callable[[sqlite3.Connection], T], *, otherwise: T) -> T:
        """Return the result of the action, on a new file if this one is damaged; `otherwise` after a failure."""
        with self._lock:
            if self._failed:
                return otherwise
            try:
                try:
                    return action(self._connect())
                except sqlite3.DatabaseError as exc:
                    if getattr(exc, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                        raise
                    self._set_aside(exc)
                    return action(self._connect())
            except (sqlite3.Error, OSError) as exc:
                log.warning("continuing without the embedding cache in %s: %s", self._path, exc)
                self._failed = True
                self._disconnect()
                return otherwise

    def _connect(self) -> sqlite3.Connection:
        if self._db is None:
            set_aside_foreign(self._path, ("vectors", "vectors_used_at"))
            try:
                make_private(self._path)
            except OSError as error:
                if not is_refused(error):
                    raise
                self._db = _open_to_read(self._path)
            else:
                self._db = _open(self._path)
        return self._db

    def _disconnect(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _set_aside(self, why: sqlite3.DatabaseError) -> None:
        self._disconnect()
        aside = set_aside(self._path)
        log.warning("the embedding cache %s is damaged (%s): set aside as %s", self._path, why, aside.name)


def _open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=5.0, check_same_thread=False)
    distrust_schema(db)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(_SCHEMA)
    return db


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open a file that this user cannot write; `immutable` needs no file for locks beside it."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    distrust_schema(db)
    db.execute("PRAGMA query_only = ON")
    return db


def _packed(vector: Vector) -> bytes:
    """Return float32 numbers and a checksum, since SQLite keeps none; one byte more tells it from older rows."""
    numbers = vector.astype("float32").tobytes()
    return numbers + _ending(numbers)


def _ending(numbers: bytes) -> bytes:
    return zlib.crc32(numbers).to_bytes(4, "little") + b"\1"


def _unpacked(blob: object) -> Vector | None:
    """Return the vector of a row, None where it is not what was written."""
    import numpy as np

    if not isinstance(blob, bytes) or not blob:
        return None
    if len(blob) % 4 == 1:
        blob, end = blob[:-5], blob[-5:]
        if end != _ending(blob):
            return None
    elif len(blob) % 4:
        return None
    vector: Vector = np.frombuffer(blob, np.float32)
    return vector if len(vector) and np.isfinite(vector).all() else None


def _select(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    stale: list[str] = []
    now = int(time.time())
    for some in _groups(keys):
        marks = ",".join("?" * len(some))
        rows = db.execute(f"SELECT key, vector, used_at FROM vectors WHERE key IN ({marks})", some)
        for key, vector, used_at in rows:
            found[key] = vector
            if used_at < now - _FRESH_SECONDS:
                stale.append(key)
    if db.execute("PRAGMA query_only").fetchone()[0]:
        return found
    with db:
        db.executemany("UPDATE vectors SET used_at = ? WHERE key = ?", [(now, key) for key in stale])
    return found


def _insert(db: sqlite3.Connection, vectors: Mapping[str, Vector], max_bytes: int) -> None:
    now = int(time.time())
    rows = ((key, _packed(vector), now) for key, vector in vectors.items())
    with db:
        db.executemany("INSERT OR REPLACE INTO vectors (key, vector, used_at) VALUES (?, ?, ?)", rows)
    _shrink(db, max_bytes)


def _shrink(db: sqlite3.Connection, max_bytes: int) -> None:
    """Delete the least recently used rows, down to nine tenths of the limit, if it is exceeded."""
    pages = db.execute(
        "SELECT (SELECT page_count FROM pragma_page_count) - freelist_count FROM pragma_freelist_count"
    )
    used = pages.fetchone()[0] * db.execute("PRAGMA page_size").fetchone()[0]
    if used <= max_bytes:
        return
    rows = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    surplus = int(rows * (1 - 0.9 * max_bytes / used)) + 1
    with db:
        db.execute(
            "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used_at, rowid LIMIT ?)",
            (surplus,),
        )


def _groups(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + _KEYS_PER_QUERY] for start in range(0, len(keys), _KEYS_PER_QUERY))

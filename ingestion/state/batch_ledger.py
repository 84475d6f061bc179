"""The ledger of batches: what was sent to be embedded, so that it is fetched once and never paid for twice."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ingestion.models import utc_now
from ingestion.state.database import assignments, insertion, json_value, open_database

RESULTS_ARE_KEPT = timedelta(days=30)
"""How long OpenAI keeps the files of a batch; asked for later it would fail for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBatch:
    """One batch. `batch_id` is None from before it is sent until the service has named it.

    `keys` are the embed keys of its texts, `embedding` names the model and the dimensions they were made for,
    `cost` is in dollars (None: unknown), `ended` is the time at which its vectors were in the cache, or None.
    """

    tag: str
    batch_id: str | None
    book_id: str
    embedding: str
    keys: tuple[str, ...]
    tokens: int
    cost: float | None
    sent: str
    ended: str | None = None
    outcome: str = ""

    @property
    def lost(self) -> bool:
        """Whether its results are deleted by now."""
        return datetime.fromisoformat(self.sent) < datetime.now(UTC) - RESULTS_ARE_KEPT


class BatchLedger:
    """The batches in one database; opened at the first call. Raises StateError where it cannot be used."""

    def __init__(self, where: str | Path) -> None:
        self._database = open_database(where, _TABLE, _INDEX)

    def begin(
        self, book_id: str, embedding: str, keys: Sequence[str], *, tokens: int, cost: float | None
    ) -> SentBatch:
        """Note a batch before it is sent."""
        batch = SentBatch(
            tag=uuid.uuid4().hex,
            batch_id=None,
            book_id=book_id,
            embedding=embedding,
            keys=tuple(keys),
            tokens=tokens,
            cost=cost,
            sent=utc_now(),
        )
        values = {field.name: getattr(batch, field.name) for field in fields(batch)} | {
            "keys": json.dumps(batch.keys)
        }
        with self._database.transaction() as execute:
            execute(insertion("embedding_batches", values), values)
        return batch

    def name(self, batch: SentBatch, batch_id: str) -> SentBatch:
        """Note what the service calls it."""
        self._update(batch.tag, batch_id=batch_id)
        return replace(batch, batch_id=batch_id)

    def end(self, tag: str, outcome: str) -> None:
        """Close it: nothing more is to be fetched."""
        self._update(tag, ended=utc_now(), outcome=outcome)

    def open_batches(self, book_id: str) -> list[SentBatch]:
        """Return the batches of a book that have not ended, oldest first; to ask makes no file."""
        if not self._database.is_there:
            return []
        mine = "SELECT * FROM embedding_batches WHERE book_id = :book_id AND ended IS NULL ORDER BY sent, tag"
        with self._database.transaction() as execute:
            return [_batch(row) for row in execute(mine, {"book_id": book_id})]

    def close(self) -> None:
        """Release the database."""
        self._database.close()

    def _update(self, tag: str, **values: Any) -> None:
        with self._database.transaction() as execute:
            execute(f"UPDATE embedding_batches SET {assignments(values)} WHERE tag = :tag", values | {"tag": tag})


_TABLE = """CREATE TABLE IF NOT EXISTS embedding_batches (
tag VARCHAR(32) PRIMARY KEY, batch_id VARCHAR(200), book_id VARCHAR(200) NOT NULL, embedding VARCHAR(200) NOT NULL,
keys JSON NOT NULL, tokens INTEGER NOT NULL, cost FLOAT, sent VARCHAR(40), ended VARCHAR(40), outcome VARCHAR(400))"""
_INDEX = "CREATE INDEX IF NOT EXISTS ix_embedding_batches_book_id ON embedding_batches (book_id)"


def _batch(row: Mapping[str, Any]) -> SentBatch:
    return SentBatch(**(dict(row) | {"keys": tuple(json_value(row["keys"]))}))

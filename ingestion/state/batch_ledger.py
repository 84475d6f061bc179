"""The ledger of batches: what was sent to be embedded, so that it is fetched once and never paid for twice."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.models import utc_now
from ingestion.state.database import Database

if TYPE_CHECKING:
    from sqlalchemy import MetaData, Table


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
        self._database = Database(where, _batches_table)

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
        values = {field.name: getattr(batch, field.name) for field in fields(batch)} | {"keys": list(keys)}
        with self._database.transaction() as (connection, table):
            connection.execute(table.insert().values(**values))
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
        with self._database.transaction() as (connection, table):
            mine = table.select().where(table.c.book_id == book_id, table.c.ended.is_(None))
            rows = connection.execute(mine.order_by(table.c.sent, table.c.tag)).all()
        return [SentBatch(**(dict(row._mapping) | {"keys": tuple(row._mapping["keys"])})) for row in rows]

    def close(self) -> None:
        """Release the database."""
        self._database.close()

    def _update(self, tag: str, **values: Any) -> None:
        with self._database.transaction() as (connection, table):
            connection.execute(table.update().where(table.c.tag == tag).values(**values))


def _batches_table(metadata: MetaData) -> Table:
    from sqlalchemy import JSON, Column, Float, Integer, String, Table

    return Table(
        "embedding_batches",
        metadata,
        Column("tag", String(32), primary_key=True),
        Column("batch_id", String(200)),
        Column("book_id", String(200), nullable=False, index=True),
        Column("embedding", String(200), nullable=False),
        Column("keys", JSON, nullable=False),
        Column("tokens", Integer, nullable=False),
        Column("cost", Float),
        *(Column(name, String(40)) for name in ("sent", "ended")),
        Column("outcome", String(400)),
    )

"""Fill the embedding cache through the Batch API: within a day, at half the price.

A batch fills the cache and nothing else: an ordinary `ingest` then finds the vectors there. A batch that fails, or is
never fetched, costs nothing but the half price that was paid for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ingestion.embedding.openai_batch import PRICE_SHARE, BatchAnswer, BatchStatus
from ingestion.errors import ConfigurationError, StateError
from ingestion.models import IngestionMode
from ingestion.state.batch_ledger import BatchLedger, SentBatch
from ingestion.sync.file_groups import compared_groups
from ingestion.sync.guards import refuse_spending
from ingestion.sync.known_vectors import VectorCache
from ingestion.sync.parts import Parts
from ingestion.sync.preview import previewed_groups
from ingestion.sync.run import planned_run
from ingestion.tokens import count_tokens

if TYPE_CHECKING:
    from ingestion.models import Vector

VECTORS_PER_WRITE = 1000


class BatchService(Protocol):
    """Takes texts and gives their vectors later; see OpenAIBatches. Every call may raise EmbeddingError."""

    def split(self, texts: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the texts in as few batches as may be."""

    def create(self, texts: Mapping[str, str], tag: str) -> BatchStatus:
        """Start a batch."""

    def find(self, tag: str) -> BatchStatus | None:
        """Return the batch that was started with this tag."""

    def status(self, batch_id: str) -> BatchStatus:
        """Return how far it is."""

    def answers(self, batch: BatchStatus) -> Iterator[BatchAnswer]:
        """Yield what came of its texts."""


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch that was submitted, and its status at the service."""

    sent: SentBatch
    status: BatchStatus

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return {
            "batch_id": self.status.batch_id,
            "state": self.status.state,
            "sent": self.sent.sent,
            "texts": len(self.sent.keys),
            "completed": self.status.completed,
            "failed": self.status.failed,
            "tokens": self.sent.tokens,
            "cost": self.sent.cost,
        }


@dataclass(frozen=True, slots=True)
class Submission:
    """What was submitted now, and how many of the texts without a vector were in an open batch already."""

    batches: tuple[OpenBatch, ...]
    waiting: int


@dataclass(frozen=True, slots=True)
class FetchedBatch:
    """A batch that ended: vectors that are in the cache now, and texts that it did not embed, counted by reason."""

    batch_id: str
    state: str
    vectors: int
    failed: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Fetching:
    """What was fetched, and the batches that are still running."""

    fetched: tuple[FetchedBatch, ...]
    running: tuple[OpenBatch, ...]


class Batches:
    """The batches of one book."""

    def __init__(
        self, parts: Parts, cache: VectorCache, service: BatchService, ledger: BatchLedger, *, book_id: str
    ) -> None:
        self._parts = parts
        self._cache = cache
        self._service = service
        self._ledger = ledger
        self._book_id = book_id
        self._embedding = f"{parts.embedder.model}, {parts.embedder.dimensions} dimensions"

    def submit(self, root: Path, *, mode: IngestionMode = "incremental") -> Submission:
        """Submit the texts of the lessons below `root` that have no vector and are in no open batch.

        Raises what planning a run does, BudgetExceeded before anything is submitted, and EmbeddingError; what was
        submitted until then is in the ledger.
        """
        with self._parts.as_writer():  # two that submit at once would pay twice
            waiting = {key for batch in self._open() for key in batch.keys}
            texts = self._texts_without_vectors(root, mode)
            new = {key: text for key, text in texts.items() if key not in waiting}
            self._keep_to_budget(new)
            sent = tuple(self._send(batch) for batch in self._service.split(new))
        return Submission(sent, len(texts) - len(new))

    def open(self) -> list[OpenBatch]:
        """Return the open batches with their status; raises ConfigurationError if all are of another embedding."""
        mine = self._open()
        others = [] if mine else self._ledger.open_batches(self._book_id)
        if others:
            raise ConfigurationError(
                f"batch {others[0].batch_id} of {self._book_id} was submitted for {others[0].embedding}, the "
                f"settings ask for {self._embedding}; set that model to fetch it (OPENAI_EMBEDDING_MODEL)"
            )
        return [OpenBatch(batch, self._service.status(batch.batch_id)) for batch in mine if batch.batch_id]

    def fetch(self) -> Fetching:
        """Put the vectors of batches that ended into the cache, and close these batches.

        Raises EmbeddingError where results cannot be read and StateError where the cache cannot keep them: the batch
        stays open then, and is fetched again.
        """
        found = self.open()
        ended = [batch for batch in found if batch.status.ended]
        # Twice the vectors' own size: the pages of the cache's file are not full.
        texts = sum(len(batch.sent.keys) for batch in ended)
        self._cache.reserve(texts * self._parts.embedder.dimensions * 4 * 2)
        fetched = tuple(self._fetch(batch) for batch in ended)
        return Fetching(fetched, tuple(batch for batch in found if not batch.status.ended))

    def _texts_without_vectors(self, root: Path, mode: IngestionMode) -> dict[str, str]:
        plan = planned_run(self._parts, root, book_id=self._book_id, mode=mode, allow_delete=True, dry_run=True)
        with plan as run:
            run.announce(sends=True, price_share=PRICE_SHARE)
            groups = previewed_groups(compared_groups(run), run.known_vectors())
            return {chunk.embed_key: chunk.embed_text for group in groups for chunk in group.missing}

    def _open(self) -> list[SentBatch]:
        """Return the open batches of this embedding.

        One without a name is looked for, and closed if it never arrived; so is one whose results are deleted by now.
        """
        batches = self._ledger.open_batches(self._book_id)
        mine = [self._named(batch) for batch in batches if batch.embedding == self._embedding]
        return [batch for batch in mine if batch]

    def _named(self, batch: SentBatch) -> SentBatch | None:
        if batch.lost:
            self._ledger.end(batch.tag, "expired before it was fetched")
            return None
        if batch.batch_id:
            return batch
        found = self._service.find(batch.tag)
        if found is None:
            self._ledger.end(batch.tag, "never submitted")
            return None
        return self._ledger.name(batch, found.batch_id)

    @property
    def _price(self) -> float | None:
        price = self._parts.price
        return None if price is None else price * PRICE_SHARE

    def _keep_to_budget(self, texts: Mapping[str, str]) -> None:
        limits = self._parts.settings.embedding
        if limits.max_tokens is not None or limits.max_cost is not None:
            tokens = sum(count_tokens(list(texts.values())))
            refuse_spending(tokens, self._price, max_tokens=limits.max_tokens, max_cost=limits.max_cost)

    def _send(self, texts: Mapping[str, str]) -> OpenBatch:
        tokens = sum(count_tokens(list(texts.values())))
        cost = None if self._price is None else tokens * self._price / 1_000_000
        batch = self._ledger.begin(self._book_id, self._embedding, list(texts), tokens=tokens, cost=cost)
        status = self._service.create(texts, batch.tag)
        return OpenBatch(self._ledger.name(batch, status.batch_id), status)

    def _fetch(self, batch: OpenBatch) -> FetchedBatch:
        lost = dict.fromkeys(batch.sent.keys, _why_lost(batch.status))
        answers = (answer for answer in self._service.answers(batch.status) if answer.key in lost)
        while some := list(islice(answers, VECTORS_PER_WRITE)):
            vectors = {answer.key: answer.vector for answer in some if answer.vector is not None}
            self._keep(vectors)
            lost |= {answer.key: answer.reason for answer in some if answer.vector is None}
            for key in vectors:
                del lost[key]
        self._ledger.end(batch.sent.tag, batch.status.state)
        kept = len(set(batch.sent.keys)) - len(lost)
        return FetchedBatch(batch.status.batch_id, batch.status.state, kept, dict(Counter(lost.values())))

    def _keep(self, vectors: Mapping[str, Vector]) -> None:
        """Put vectors into the cache, and make sure: what it lost would be embedded again at the full price."""
        self._cache.put(vectors)
        if self._cache.get(list(vectors)).keys() != vectors.keys():
            raise StateError(
                "the embedding cache cannot keep the vectors of a batch; free disk space where it lies, then run "
                "`bookwise batch fetch` again"
            )


def _why_lost(status: BatchStatus) -> str:
    return f"the batch is {status.state}{f' ({status.reason})' if status.reason else ''}"

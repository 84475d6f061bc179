"""Embedding at half price in two steps: send what has no vector as batches, come back and index what they made.

A batch fills the embedding cache and nothing else. The index is then written by the one pass, which finds every
vector there; a batch that fails, or is never fetched, leaves the index as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ingestion.embedding.openai_batch import PRICE_SHARE, BatchAnswer, BatchStatus
from ingestion.errors import ConfigurationError, EmbeddingError, LessonError, StateError
from ingestion.models import DocumentChunk, IngestionMode
from ingestion.report import IngestReport
from ingestion.state.batch_ledger import BatchLedger, SentBatch
from ingestion.sync.guards import refuse_spending
from ingestion.sync.pipeline import Parts, ingest
from ingestion.sync.run import Progress
from ingestion.tokens import count_tokens

if TYPE_CHECKING:
    from ingestion.models import Vector

_VECTORS_A_WRITE = 1000


class BatchService(Protocol):
    """Takes texts and gives their vectors later; see OpenAIBatches. Every call may raise EmbeddingError."""

    def split(self, texts: Mapping[str, str]) -> list[dict[str, str]]:
        """The texts in as few batches as may be."""

    def create(self, texts: Mapping[str, str], tag: str) -> BatchStatus:
        """Start a batch."""

    def find(self, tag: str) -> BatchStatus | None:
        """The batch that was started with this tag."""

    def status(self, batch_id: str) -> BatchStatus:
        """How far it is."""

    def answers(self, batch: BatchStatus) -> Iterator[BatchAnswer]:
        """What came of its texts."""


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch that was sent, and what the service says of it."""

    sent: SentBatch
    status: BatchStatus

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
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
class Sending:
    """What was sent now, and how many of the texts without a vector were on their way already."""

    batches: tuple[OpenBatch, ...]
    waiting: int


class Batches:
    """The batches of one book."""

    def __init__(self, parts: Parts, service: BatchService, ledger: BatchLedger, *, book_id: str) -> None:
        # This run is what the open batches wait for.
        self._parts = replace(parts, batches=None)
        self._service = service
        self._ledger = ledger
        self._book_id = book_id
        self._embedding = f"{parts.embedder.model}, {parts.embedder.dimensions} dimensions"

    def send(self, root: Path, *, mode: IngestionMode, allow_delete: bool = False) -> Sending:
        """Send the texts of the lessons below `root` that have no vector and are in no open batch.

        Raises what `ingest` does, BudgetExceeded before anything is sent, and EmbeddingError; what was sent until
        then is in the ledger.
        """
        texts: dict[str, str] = {}
        with self._parts.as_writer():  # two that send at once would pay twice
            waiting = {key for each in self._open() for key in each.keys}
            ingest(
                self._parts,
                root,
                book_id=self._book_id,
                mode=mode,
                allow_delete=allow_delete,
                dry_run=True,
                lacking=lambda chunk: texts.setdefault(chunk.embed_key, chunk.embed_text),
            )
            new = {key: text for key, text in texts.items() if key not in waiting}
            self._keep_to_budget(new)
            sent = tuple(self._send(group) for group in self._service.split(new))
        return Sending(sent, len(texts) - len(new))

    def look(self) -> list[OpenBatch]:
        """The open batches as the service sees them; raises ConfigurationError if all are of another embedding."""
        mine = self._open()
        others = [] if mine else self._ledger.open_batches(self._book_id)
        if others:
            raise ConfigurationError(
                f"batch {others[0].batch_id} of {self._book_id} was sent for {others[0].embedding}, the settings "
                f"ask for {self._embedding}; choose the former to fetch it (OPENAI_EMBEDDING_MODEL)"
            )
        return [OpenBatch(each, self._service.status(each.batch_id)) for each in mine if each.batch_id]

    def finish(
        self,
        root: Path,
        ended: Sequence[OpenBatch],
        *,
        mode: IngestionMode,
        allow_delete: bool = False,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Fetch the vectors of batches that ended and index the lessons with them.

        A lesson with a text that its batch did not embed is a failure; it keeps its old points. Texts that were in
        no batch, because their lessons changed since, are embedded as in any run. The batches are closed once the
        run is over, so that one that was stopped may be repeated. Raises EmbeddingError if the service
        refused them whole.
        """
        lost = self._fetch(ended)
        refused = self._refused(root, mode, lost) if lost else {}
        report = ingest(
            self._parts,
            root,
            book_id=self._book_id,
            mode=mode,
            allow_delete=allow_delete,
            progress=progress,
            refused=refused,
        )
        self._close(ended)
        return report

    def _open(self) -> list[SentBatch]:
        """The open batches of this embedding.

        One without a name is looked for, and closed if it never arrived; so is one whose results are deleted by now.
        """
        batches = self._ledger.open_batches(self._book_id)
        mine = [self._named(each) for each in batches if each.embedding == self._embedding]
        return [each for each in mine if each]

    def _named(self, batch: SentBatch) -> SentBatch | None:
        if batch.lost:
            self._ledger.end(batch.tag, "never fetched")
            return None
        if batch.batch_id:
            return batch
        found = self._service.find(batch.tag)
        if found is None:
            self._ledger.end(batch.tag, "never reached the service")
            return None
        return self._ledger.name(batch, found.batch_id)

    @property
    def _price(self) -> float | None:
        price = self._parts.price
        return None if price is None else price * PRICE_SHARE

    def _keep_to_budget(self, texts: Mapping[str, str]) -> None:
        settings = self._parts.settings
        most_tokens, most_cost = settings.embedding.max_tokens, settings.embedding.max_cost
        if most_tokens is not None or most_cost is not None:
            tokens = sum(count_tokens(list(texts.values())))
            refuse_spending(tokens, self._price, most_tokens=most_tokens, most_cost=most_cost)

    def _send(self, texts: Mapping[str, str]) -> OpenBatch:
        tokens = sum(count_tokens(list(texts.values())))
        cost = None if self._price is None else tokens * self._price / 1_000_000
        batch = self._ledger.begin(self._book_id, self._embedding, list(texts), tokens=tokens, cost=cost)
        status = self._service.create(texts, batch.tag)
        return OpenBatch(self._ledger.name(batch, status.batch_id), status)

    def _fetch(self, ended: Sequence[OpenBatch]) -> dict[str, str]:
        """Put what came into the cache; returned is why each other text has no vector."""
        if not any(each.status.files for each in ended):
            self._close(ended)
            reasons = "; ".join(
                f"{each.status.batch_id} is {each.status.state}: {each.status.reason}" for each in ended
            )
            raise EmbeddingError(f"the service embedded nothing, and nothing is indexed: {reasons}")
        cache = self._parts.cache
        assert cache is not None
        texts = sum(len(each.sent.keys) for each in ended)
        # Twice the vectors' own size: the pages of the file are not full.
        cache.reserve(texts * self._parts.embedder.dimensions * 4 * 2)
        lost: dict[str, str] = {}
        for each in ended:
            lost |= {key: _why_lost(each.status) for key in each.sent.keys}
            answers = (answer for answer in self._service.answers(each.status) if answer.key in lost)
            while some := list(islice(answers, _VECTORS_A_WRITE)):
                vectors = {answer.key: answer.vector for answer in some if answer.vector is not None}
                self._keep(vectors)
                lost |= {answer.key: answer.reason for answer in some if answer.vector is None}
                for key in vectors:
                    lost.pop(key, None)
        return lost

    def _keep(self, vectors: Mapping[str, Vector]) -> None:
        """Into the cache, and make sure: what it lost would be embedded again at the full price."""
        cache = self._parts.cache
        assert cache is not None
        cache.put(vectors)
        if cache.get(list(vectors)).keys() != vectors.keys():
            raise StateError(
                "the embedding cache cannot keep the vectors of a batch; make room where it lies, then run "
                "`bookwise ingest --resume` again"
            )

    def _refused(self, root: Path, mode: IngestionMode, lost: Mapping[str, str]) -> dict[str, LessonError]:
        """The lessons that need a text which was lost."""
        refused: dict[str, LessonError] = {}

        def refuse(chunk: DocumentChunk) -> None:
            if reason := lost.get(chunk.embed_key):
                path, line = chunk.metadata.source_file, chunk.metadata.line_start
                refused.setdefault(path, LessonError(path, f"not embedded: {reason}", line))

        options: Any = {"allow_delete": True, "dry_run": True}
        ingest(self._parts, root, book_id=self._book_id, mode=mode, lacking=refuse, **options)
        return refused

    def _close(self, ended: Sequence[OpenBatch]) -> None:
        for each in ended:
            self._ledger.end(each.sent.tag, each.status.state)


def _why_lost(status: BatchStatus) -> str:
    return f"{status.batch_id} is {status.state}{f' ({status.reason})' if status.reason else ''}"

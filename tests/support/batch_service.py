"""A batch service in memory, with a book, a real cache and a real ledger around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingestion.embedding.cache import EmbeddingCache
from ingestion.embedding.openai_batch import BatchAnswer, BatchStatus
from ingestion.errors import EmbeddingError
from ingestion.models import IngestionMode
from ingestion.operations.batch import Batches, Fetching, Submission
from ingestion.report import IngestReport
from ingestion.state.batch_ledger import BatchLedger
from ingestion.sync.parts import Parts
from ingestion.sync.pipeline import ingest
from tests.support.books import BOOK, Library, page
from tests.support.fakes import FakeEmbedder

ONE, TWO, THREE = "module-1-ros2/01-one.md", "module-1-ros2/02-two.md", "module-1-ros2/03-three.md"
PAGES = {
    ONE: page("One", "The alpha turns on its axis."),
    TWO: page("Two", "The beta turns on its axis."),
    THREE: page("Three", "The gamma turns on its axis."),
}
PRICE = 2.0


@dataclass
class FakeBatchService:
    """Takes batches; each stays in progress until a test ends it."""

    embedder: FakeEmbedder
    max_texts: int = 50_000
    batches: dict[str, BatchStatus] = field(default_factory=dict)
    texts: dict[str, Mapping[str, str]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    answered: dict[str, list[BatchAnswer]] = field(default_factory=dict)
    fault: str = ""
    """`lost` carries a creation out and loses the reply, `refused` does not; each once."""

    def split(self, texts: Mapping[str, str]) -> list[dict[str, str]]:
        keys = list(texts)
        return [
            {key: texts[key] for key in keys[at : at + self.max_texts]} for at in range(0, len(keys), self.max_texts)
        ]

    def create(self, texts: Mapping[str, str], tag: str) -> BatchStatus:
        fault, self.fault = self.fault, ""
        if fault == "refused":
            raise EmbeddingError("the key is not accepted")
        name = f"batch_{len(self.batches) + 1}"
        self.batches[name] = BatchStatus(name, "in_progress", len(texts), 0, 0)
        self.texts[name], self.tags[tag] = dict(texts), name
        if fault == "lost":
            raise EmbeddingError("no answer in time")
        return self.batches[name]

    def find(self, tag: str) -> BatchStatus | None:
        return self.batches.get(self.tags.get(tag, ""))

    def status(self, batch_id: str) -> BatchStatus:
        return self.batches[batch_id]

    def answers(self, batch: BatchStatus) -> Iterator[BatchAnswer]:
        for answer in self.answered.get(batch.batch_id, []):
            if answer.key == "break":
                raise EmbeddingError("the download broke off")
            yield answer

    def end(
        self,
        batch_id: str = "batch_1",
        state: str = "completed",
        *,
        failing: Collection[str] = (),
        unreached: Collection[str] = (),
        reason: str = "",
    ) -> None:
        """End a batch: texts that hold a word of `failing` are refused, of `unreached` never embedded."""
        answers = []
        for key, text in self.texts[batch_id].items():
            if any(word in text for word in failing):
                answers.append(BatchAnswer(key, None, "this input is refused"))
            elif not any(word in text for word in unreached):
                answers.append(BatchAnswer(key, self.embedder.embed_query(text)))
        embedded = sum(answer.vector is not None for answer in answers)
        self.answered[batch_id] = answers[::-1]
        self.batches[batch_id] = replace(
            self.batches[batch_id], state=state, completed=embedded, failed=len(answers) - embedded, reason=reason
        )


class BatchDesk:
    """A folder with a book, and what is done with it; `close` releases cache and ledger."""

    def __init__(self, folder: Path) -> None:
        self.library = Library(folder, flags={"embedding.price": PRICE})
        self.library.write(PAGES)
        self.service = FakeBatchService(self.library.embedder)
        self._stack = ExitStack()
        self.cache = self._stack.enter_context(closing(EmbeddingCache(folder / "embeddings.sqlite")))
        self.ledger = self._stack.enter_context(closing(BatchLedger(f"sqlite:///{folder / 'jobs.sqlite'}")))

    def close(self) -> None:
        self._stack.close()

    def batches(self, book: str = BOOK) -> Batches:
        return Batches(self._parts(), self.cache, self.service, self.ledger, book_id=book)

    def submit(self, mode: IngestionMode = "incremental") -> Submission:
        return self.batches().submit(self.library.docs, mode=mode)

    def sizes(self) -> list[int]:
        """The texts in each batch that a submission makes."""
        return [len(batch.sent.keys) for batch in self.submit().batches]

    def fetch(self) -> Fetching:
        return self.batches().fetch()

    def ingest(self, mode: IngestionMode = "incremental") -> IngestReport:
        return ingest(self._parts(), self.library.docs, book_id=BOOK, mode=mode)

    def _parts(self) -> Parts:
        return replace(self.library.parts(), cache=self.cache)

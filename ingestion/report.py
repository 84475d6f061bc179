"""What a run did or would do: outcomes that the stages return, and the one place that adds them up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ingestion.embedding.recipient import Recipient
from ingestion.errors import LessonError
from ingestion.models import IngestionMode
from ingestion.source.crawler import Skipped
from ingestion.source.findings import Finding


@dataclass(frozen=True, slots=True)
class ChunkCounts:
    """Chunks of the files that were looked at, and where their vectors came from."""

    kept: int = 0
    patched: int = 0
    written: int = 0
    deleted: int = 0
    embedded: int = 0
    reused: int = 0
    tokens: int = 0

    def __add__(self, other: ChunkCounts) -> ChunkCounts:
        return ChunkCounts(*(getattr(self, name) + getattr(other, name) for name in _COUNTS))


_COUNTS = tuple(field.name for field in fields(ChunkCounts))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """What became of one file, or would: its change, where it was before if it moved, and what the linter found."""

    path: str
    change: str
    moved_from: str | None = None
    empty: bool = False
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """The result of `ingest` or, with `dry_run`, what it would be.

    `files` counts files by change, `changes` lists those that were looked at. `findings` are those of all lessons,
    unchanged ones included. `chunks.tokens` are the tokens of the texts that were embedded, `price` is in dollars per
    million tokens (None: unknown); `recipient` is the service that gets the texts, None where they stay here.
    `total_chunks` is what the book has afterwards, `share` how much of the work is done, by tokens. `coverage` counts
    the chunks of each module and hardware tier, where a report asked for it. `stages` are the seconds of each stage:
    `embed` is what the run waited for chunks and their vectors, which are made beside the writing. `followed` are the
    files beside the lessons that decide what is indexed, relative to `root`: what pages include, and the site's
    configuration.
    """

    book_id: str
    mode: IngestionMode
    root: str
    dry_run: bool = False
    files: Counter[str] = field(default_factory=Counter)
    changes: Mapping[str, str] = field(default_factory=dict)
    moved_from: Mapping[str, str] = field(default_factory=dict)
    empty: Sequence[str] = field(default_factory=list)
    chunks: ChunkCounts = ChunkCounts()
    failures: Sequence[LessonError] = field(default_factory=list)
    share: float = 0.0
    findings: Sequence[Finding] = field(default_factory=list)
    skipped: Sequence[Skipped] = ()
    price: float | None = None
    recipient: Recipient | None = None
    total_files: int = 0
    total_chunks: int = 0
    seconds: float = 0.0
    coverage: Mapping[tuple[str, int], int] = field(default_factory=dict)
    stages: Mapping[str, float] = field(default_factory=dict)
    followed: frozenset[str] = frozenset()

    @property
    def cost(self) -> float | None:
        """Return what embedding costs, in dollars; None where the price is not known."""
        return None if self.price is None else self.chunks.tokens * self.price / 1_000_000

    @property
    def pending(self) -> bool:
        """Return whether a file was, or would be, looked at or removed."""
        return bool(self.changes)

    def as_json(self) -> dict[str, Any]:
        """Return one JSON document."""
        return {
            "book_id": self.book_id,
            "mode": self.mode,
            "root": self.root,
            "dry_run": self.dry_run,
            "files": dict(sorted(self.files.items())),
            "changes": dict(sorted(self.changes.items())),
            "moved_from": dict(sorted(self.moved_from.items())),
            "empty": sorted(self.empty),
            "chunks": asdict(self.chunks),
            "failures": [
                {"path": failure.path, "line": failure.line, "reason": failure.reason} for failure in self.failures
            ],
            "findings": [asdict(finding) for finding in self.findings],
            "skipped": [asdict(skipped) for skipped in self.skipped],
            "cost": self.cost,
            "recipient": self.recipient and asdict(self.recipient),
            "total_files": self.total_files,
            "total_chunks": self.total_chunks,
            "seconds": round(self.seconds, 3),
            "stages": {stage: round(seconds, 3) for stage, seconds in self.stages.items()},
            "coverage": [
                {"module": module, "hardware_tier": tier, "chunks": count}
                for (module, tier), count in sorted(self.coverage.items())
            ],
        }


class Tally:
    """Adds up what the stages of one run return; only the thread that runs it calls this."""

    def __init__(
        self,
        *,
        book_id: str,
        mode: IngestionMode,
        root: str,
        dry_run: bool = False,
        price: float | None = None,
        recipient: Recipient | None = None,
    ) -> None:
        self._run: dict[str, Any] = {
            "book_id": book_id,
            "mode": mode,
            "root": root,
            "dry_run": dry_run,
            "price": price,
            "recipient": recipient,
        }
        self._files: Counter[str] = Counter()
        self._outcomes: dict[str, FileOutcome] = {}
        self._failures: list[LessonError] = []
        self._findings: list[Finding] = []
        self._chunks = ChunkCounts()
        self._embedding = ChunkCounts()
        self._totals: dict[str, Any] = {}
        self._stages: dict[str, float] = {}

    def spend(self, stage: str, seconds: float) -> None:
        """Add to the time that a stage took."""
        self._stages[stage] = self._stages.get(stage, 0.0) + seconds

    @property
    def failed(self) -> frozenset[str]:
        """Return the paths of the lessons that failed so far."""
        return frozenset(failure.path for failure in self._failures)

    @property
    def failures(self) -> Sequence[LessonError]:
        """Return why lessons failed so far."""
        return tuple(self._failures)

    def start(
        self,
        *,
        unchanged: int,
        findings: Iterable[Finding],
        skipped: Sequence[Skipped],
        total_files: int,
        total_chunks: int,
    ) -> None:
        """Note what the plan leaves alone, what the records say of it, and the size of the book."""
        self._files["unchanged"] += unchanged
        self._findings += findings
        self._totals = {"skipped": tuple(skipped), "total_files": total_files, "total_chunks": total_chunks}

    def add_files(self, outcomes: Iterable[FileOutcome], chunks: ChunkCounts | None = None) -> None:
        """Add files that are done, and what became of their chunks."""
        for outcome in outcomes:
            self._files[outcome.change] += 1
            self._outcomes[outcome.path] = outcome
        self._chunks += chunks or ChunkCounts()

    def add_failures(self, failures: Iterable[LessonError]) -> None:
        """Add lessons that failed."""
        self._failures += failures

    def set_embedding(self, so_far: ChunkCounts) -> None:
        """Note what the embedding stage did since its start."""
        self._embedding = so_far

    def set_work(self, done: int, total: int) -> None:
        """Note about how many tokens the files that are done have, and all to look at."""
        # Vectors are made some groups ahead of what is written.
        self._totals["share"] = min(1.0, max(done, self._embedding.tokens) / max(total, 1))

    def set_followed(self, paths: Iterable[str]) -> None:
        """Note the files beside the lessons that decide what is indexed."""
        self._totals["followed"] = frozenset(paths)

    def set_total_chunks(self, total: int) -> None:
        """Note the chunks that the book has now."""
        self._totals["total_chunks"] = total

    def report(self, seconds: float = 0.0) -> IngestReport:
        """Return the report so far."""
        looked_at = [outcome for outcome in self._outcomes.values() if outcome.change != "unchanged"]
        found = [finding for outcome in self._outcomes.values() for finding in outcome.findings]
        return IngestReport(
            **self._run,
            **self._totals,
            files=Counter(self._files),
            changes={outcome.path: outcome.change for outcome in looked_at},
            moved_from={outcome.path: outcome.moved_from for outcome in looked_at if outcome.moved_from},
            empty=[outcome.path for outcome in self._outcomes.values() if outcome.empty],
            chunks=self._chunks + self._embedding,
            failures=list(self._failures),
            findings=sorted([*self._findings, *found], key=_place),
            seconds=seconds,
            stages=dict(self._stages),
        )


def _place(finding: Finding) -> tuple[str, int]:
    return finding.path, finding.line or 0

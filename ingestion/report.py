"""What a run did or would do, as one value that the command line prints and CI reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ingestion.errors import LessonError
from ingestion.models import IngestionMode
from ingestion.source.crawler import Skipped
from ingestion.source.findings import Finding


@dataclass(slots=True)
class ChunkCounts:
    """Chunks of the files that were looked at, and where their vectors came from."""

    kept: int = 0
    patched: int = 0
    written: int = 0
    deleted: int = 0
    embedded: int = 0
    reused: int = 0
    tokens: int = 0


@dataclass(slots=True, kw_only=True)
class IngestReport:
    """The result of `ingest` or, with `dry_run`, what it would be.

    `files` counts files by change, `changes` lists those that were looked at; `chunks.tokens` are the tokens of the
    texts that were embedded, `price` is dollars a million of them (None: unknown). `total_chunks` is what the book
    has afterwards. `coverage` counts the chunks of each module and hardware tier, where a report asked for it.
    """

    book_id: str
    mode: IngestionMode
    root: str
    dry_run: bool = False
    files: Counter[str] = field(default_factory=Counter)
    changes: dict[str, str] = field(default_factory=dict)
    moved_from: dict[str, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    chunks: ChunkCounts = field(default_factory=ChunkCounts)
    failures: list[LessonError] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    skipped: tuple[Skipped, ...] = ()
    price: float | None = None
    in_batches: int = 0
    total_files: int = 0
    total_chunks: int = 0
    seconds: float = 0.0
    coverage: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def cost(self) -> float | None:
        """What embedding costs, in dollars; None where the price is not known."""
        return None if self.price is None else self.chunks.tokens * self.price / 1_000_000

    @property
    def pending(self) -> bool:
        """Whether a file was, or would be, looked at or removed."""
        return bool(self.changes)

    def note(self, path: str, change: str, moved_from: str | None = None) -> None:
        """Count a file under what became of it."""
        self.files[change] += 1
        if change != "unchanged":
            self.changes[path] = change
        if moved_from:
            self.moved_from[path] = moved_from

    def as_json(self) -> dict[str, Any]:
        """One JSON document."""
        return {
            "book_id": self.book_id,
            "mode": self.mode,
            "root": self.root,
            "dry_run": self.dry_run,
            "files": dict(sorted(self.files.items())),
            "changes": dict(sorted(self.changes.items())),
            "moved_from": dict(sorted(self.moved_from.items())),
            "empty": sorted(self.empty),
            "chunks": {name: getattr(self.chunks, name) for name in ChunkCounts.__slots__},
            "failures": [{"path": each.path, "line": each.line, "reason": each.reason} for each in self.failures],
            "findings": [
                {"path": each.path, "line": each.line, "rule": each.rule, "message": each.message}
                for each in self.findings
            ],
            "skipped": [{"path": each.path, "reason": each.reason} for each in self.skipped],
            "cost": self.cost,
            "in_batches": self.in_batches,
            "total_files": self.total_files,
            "total_chunks": self.total_chunks,
            "seconds": round(self.seconds, 3),
            "coverage": [
                {"module": module, "hardware_tier": tier, "chunks": count}
                for (module, tier), count in sorted(self.coverage.items())
            ],
        }

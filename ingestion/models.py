"""Chunks, their metadata, records and jobs, as frozen values that hold their invariants.

Decision 2 of docs/design.md widens two bounds: a chapter or lesson outside 0–20 and 0–15 is kept, and a number that
neither path nor front matter gives is None, which no filter matches.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from ingestion import versions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Vectors = NDArray[np.float32]

ProficiencyLevel = Literal["A1", "A2", "B1", "B2", "C1", "C2"]
TeachingLayer = Literal["L1", "L2", "L3", "L4"]
HardwareTier = Literal[1, 2, 3, 4]
IngestionMode = Literal["incremental", "full", "recreate"]
JobStatus = Literal["queued", "running", "completed", "failed"]
DocType = Literal["lesson", "readme", "summary", "quiz", "assignment", "stub"]

LEVELS: tuple[str, ...] = get_args(ProficiencyLevel)
LAYERS: tuple[str, ...] = get_args(TeachingLayer)
TIERS: tuple[int, ...] = get_args(HardwareTier)
DOC_TYPES: tuple[str, ...] = get_args(DocType)
MODES: tuple[str, ...] = get_args(IngestionMode)
JOB_STATUSES: tuple[str, ...] = get_args(JobStatus)

MIN_CHUNK_CHARS = 10

_HASH = re.compile("[0-9a-f]{64}")


def utc_now() -> str:
    """Return the time in UTC as ISO 8601 text, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def _is_relative(path: str) -> bool:
    return bool(path.strip()) and not path.startswith("/")


def _check(ok: bool, name: str, value: object, rule: str) -> None:
    if not ok:
        raise ValueError(f"{name} = {repr(value)[:80]}: {rule}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """Where a chunk stands and for whom it is; `section_*` are of the headings that begin inside it.

    `expanded_lines` are its first and last line in the page that readers see; None where that has the file's lines.
    `text_lines` are the lines of the file, as `runs_of_lines` has them; None where they go in step with the text.
    `repeated` counts the lines at its beginning and end that repeat what stands in another chunk. `is_navigation`
    tells that its sections hold links alone. `chapter_title` is the chapter that the site's own contents give, whose
    words are in the sparse vector and in no other. `syntax` names how the page is read.
    `mdx` tells that the page is MDX, which its name alone does not.
    `version` counts how often the stored chunk was updated, 1 at first; `payload_format` is that of its fields.
    `docs_version` is the version of a site that has several, and `docs_version_rank` its place among them: 0 is shown
    to readers who ask for none.
    """

    book_id: str
    module: str
    chapter: int | None
    lesson: int | None
    section_title: str | None
    hardware_tier: int = 1
    proficiency_level: str = "A2"
    layer: str = "L1"
    source_file: str
    parent_doc_id: str
    chunk_index: int
    total_chunks: int
    prev_chunk_id: str | None
    next_chunk_id: str | None
    content_hash: str
    source_file_hash: str
    version: int = field(default=1, compare=False)
    payload_format: int = versions.PAYLOAD
    created_at: str = field(default_factory=utc_now, compare=False)
    updated_at: str = field(default_factory=utc_now, compare=False)
    page_title: str
    page_url: str
    chapter_title: str | None = None
    heading_path: tuple[str, ...] = ()
    anchor: str | None = None
    section_titles: tuple[str, ...] = ()
    section_anchors: tuple[str, ...] = ()
    line_start: int
    line_end: int
    expanded_lines: tuple[int, ...] | None = None
    text_lines: tuple[int, ...] | None = None
    repeated: tuple[int, ...] = (0, 0)
    is_navigation: bool = False
    language: str = "en"
    syntax: str = "unknown"
    docs_version: str | None = None
    docs_version_rank: int = 0
    doc_type: str = "lesson"
    proficiency_levels: tuple[str, ...] = ("A2",)
    layers: tuple[str, ...] = ("L1",)
    declared: tuple[str, ...] = ()
    front_matter: str = ""

    def __post_init__(self) -> None:
        last = self.total_chunks - 1
        _check(bool(self.book_id), "book_id", self.book_id, "must not be empty")
        _check(bool(self.module), "module", self.module, "must not be empty")
        _check(_is_uuid(self.parent_doc_id), "parent_doc_id", self.parent_doc_id, "must be a UUID")
        _check(_HASH.fullmatch(self.content_hash) is not None, "content_hash", self.content_hash, "must be a SHA-256")
        _check(_is_relative(self.source_file), "source_file", self.source_file, "a relative path")
        _check(self.version >= 1, "version", self.version, "counts from 1")
        _check(self.hardware_tier in TIERS, "hardware_tier", self.hardware_tier, "must be 1 to 4")
        _check(self.proficiency_level in LEVELS, "proficiency_level", self.proficiency_level, "A1 to C2")
        _check(self.layer in LAYERS, "layer", self.layer, "must be L1 to L4")
        _check(self.doc_type in DOC_TYPES, "doc_type", self.doc_type, f"one of {DOC_TYPES}")
        _check(0 <= self.chunk_index <= last, "chunk_index", self.chunk_index, f"0 to {last}")
        _check(
            (self.chunk_index == 0) == (self.prev_chunk_id is None),
            "prev_chunk_id",
            self.prev_chunk_id,
            "None for the first chunk and only for it",
        )
        _check(
            (self.chunk_index == last) == (self.next_chunk_id is None),
            "next_chunk_id",
            self.next_chunk_id,
            "None for the last chunk and only for it",
        )
        _check(1 <= self.line_start <= self.line_end, "line_start", self.line_start, "1 to line_end")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChunk:
    """A piece of a lesson ready to be embedded.

    `text` is a slice of the source, indentation kept. `embed_text` is what the embedder sees (breadcrumb and cleaned
    text), `embed_key` decides whether it has to see it again. `token_count` is exact for cl100k_base.
    """

    id: str
    text: str
    metadata: DocumentMetadata
    word_count: int
    token_count: int
    char_count: int
    embed_text: str
    embed_key: str

    def __post_init__(self) -> None:
        _check(str(uuid.UUID(self.id)) == self.id, "id", self.id, "must be a UUID")
        _check(self.text == self.text.strip("\n"), "text", self.text, "must not begin or end with an empty line")
        _check(bool(self.text.strip()), "text", self.text, "must not be blank")
        _check(len(self.text) >= MIN_CHUNK_CHARS, "text", self.text, f"at least {MIN_CHUNK_CHARS} characters")
        _check(min(self.word_count, self.token_count, self.char_count) >= 1, "counts", self.word_count, ">= 1")

    def payload(self) -> dict[str, Any]:
        """Return the point's payload, JSON types only; what embedding adds to it is None."""
        return QdrantPayload.of(self).as_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedChunk:
    """A chunk with its dense vector: float32, unit length.

    `embedding_model` names the model as the index's schema does. `embedded_at` is when the vector was made, or, where
    it comes from the cache, when it was taken from there.
    """

    chunk: DocumentChunk
    embedding: Vector = field(repr=False, compare=False)
    embedding_model: str
    embedded_at: str = field(default_factory=utc_now, compare=False)

    def payload(self) -> dict[str, Any]:
        """Return the point's payload, JSON types only."""
        return self.chunk.payload() | {"embedding_model": self.embedding_model, "embedded_at": self.embedded_at}


@dataclass(frozen=True, slots=True, kw_only=True)
class QdrantPayload:
    """What is stored with a point: the metadata, the text and the counts, as JSON types.

    `bm25` is the version of the sparse vector beside it. `embedding_model` and `embedded_at` are those of the dense
    one, None before there is one.
    """

    metadata: DocumentMetadata
    text: str
    word_count: int
    token_count: int
    embed_key: str
    bm25: str
    embedding_model: str | None = None
    embedded_at: str | None = None

    @classmethod
    def of(cls, chunk: DocumentChunk) -> QdrantPayload:
        """Return the payload of a chunk."""
        return cls(
            metadata=chunk.metadata,
            text=chunk.text,
            word_count=chunk.word_count,
            token_count=chunk.token_count,
            embed_key=chunk.embed_key,
            bm25=versions.BM25,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return one flat JSON object."""
        flat = {name: getattr(self.metadata, name) for name in METADATA_FIELDS}
        flat |= {name: list(value) for name, value in flat.items() if isinstance(value, tuple)}
        return flat | {
            "text": self.text,
            "word_count": self.word_count,
            "token_count": self.token_count,
            "embed_key": self.embed_key,
            "bm25": self.bm25,
            "embedding_model": self.embedding_model,
            "embedded_at": self.embedded_at,
        }

    @classmethod
    def from_dict(cls, payload: Mapping[str, Any]) -> QdrantPayload:
        """Read the payload back from a store; raises ValueError or KeyError if it breaks an invariant."""
        flat: dict[str, Any] = {
            name: tuple(value) if isinstance(value := payload[name], list) else value for name in METADATA_FIELDS
        }
        return cls(
            metadata=DocumentMetadata(**flat),
            text=payload["text"],
            word_count=payload["word_count"],
            token_count=payload["token_count"],
            embed_key=payload["embed_key"],
            bm25=payload["bm25"],
            embedding_model=payload["embedding_model"],
            embedded_at=payload["embedded_at"],
        )


def sparse_text(chunk: DocumentChunk) -> str:
    """Return the words of the sparse vector: what is embedded, and the chapter, which may move or be renamed."""
    chapter = chunk.metadata.chapter_title
    return f"{chapter}\n{chunk.embed_text}" if chapter else chunk.embed_text


METADATA_FIELDS: tuple[str, ...] = tuple(f.name for f in fields(DocumentMetadata))


def runs_of_lines(lines: Sequence[int]) -> tuple[int, ...]:
    """Return the line of the file for each line of a text in runs of lines in step: where each begins in both.

    The text's lines count from 0, the file's from 1: `(0, 7, 3, 20)` are lines 7, 8, 9, 20, 21 and so on.
    """
    runs: list[int] = []
    for number, line in enumerate(lines):
        if not runs or line != runs[-1] + number - runs[-2]:
            runs += [number, line]
    return tuple(runs)


def lines_of_text(payload: Mapping[str, Any], count: int) -> list[int]:
    """Return the line of the file for each of the `count` lines of a chunk's text; a repeated one is at its edge."""
    first, last = int(payload["line_start"]), int(payload["line_end"])
    before = (payload.get("repeated") or (0, 0))[0]
    runs = payload.get("text_lines") or (before, first)
    lines = [first] * count
    for at, line in zip(runs[::2], runs[1::2], strict=True):
        lines[at:] = [min(line + step, last) for step in range(count - at)]
    return lines


class RecordedFinding(NamedTuple):
    """A problem that the linter found in the file of a record; `line` is None where no line is to blame."""

    line: int | None
    rule: str
    message: str


class PublishedPage(NamedTuple):
    """What a built site says of a lesson: the file of its page, its address, and the id and text of each heading."""

    file: str
    url: str
    headings: tuple[tuple[str, str], ...] = ()


LessonPlace = tuple[str, int | None, int | None]
"""Module, chapter and lesson."""


@dataclass(slots=True)
class IngestionRecord:
    """What the state knows of one file, so that a run need not read it again. Nothing changes one.

    `fingerprint` maps each stage to the version that made the points, so that a change of one stage redoes
    just that stage. `shares_lesson` tells that the file's ids carry its path. `findings` are what the linter of the
    fingerprint's version found, and `includes` maps each file that the lesson includes (path relative to the docs
    root) to its hash, empty where it is missing. `published_until` is when its site stops to show the page, in UTC as
    ISO 8601, empty where it does not. `published` is what the built site said of its page, None where none was asked.
    """

    source_file: str
    file_hash: str
    chunk_ids: Sequence[str]
    ingested_at: str
    book_id: str
    module: str
    chapter: int | None
    lesson: int | None
    shares_lesson: bool
    fingerprint: Mapping[str, str]
    findings: tuple[RecordedFinding, ...] = ()
    includes: Mapping[str, str] = field(default_factory=dict)
    published_until: str = ""
    published: PublishedPage | None = None

    @property
    def place(self) -> LessonPlace:
        """Where the file stands in its book."""
        return self.module, self.chapter, self.lesson

    @property
    def chunk_count(self) -> int:
        """Number of chunks; a file is indexed only if the store holds them all."""
        return len(self.chunk_ids)


@dataclass(slots=True, kw_only=True)
class IngestionState:
    """Which files of a book are indexed. A fast path, never the truth (docs/design.md, decision 7).

    `run_id` is that of the last run whose writes the records tell of: beside other points than those that carry it,
    every file is compared. `in_doubt` are paths that this run had yet to compare or to write when it saved.
    `without_page` are lessons that the built site did not publish when it was there last.
    """

    book_id: str
    collection_name: str
    docs_root: str | None = None
    records: dict[str, IngestionRecord] = field(default_factory=dict)
    last_full_ingest: str | None = None
    last_incremental_update: str | None = None
    run_id: str | None = None
    in_doubt: set[str] = field(default_factory=set)
    without_page: set[str] = field(default_factory=set)

    @property
    def total_chunks(self) -> int:
        """Chunks of all records."""
        return sum(record.chunk_count for record in self.records.values())

    def get_changed_files(self, current_files: Mapping[str, str]) -> tuple[list[str], list[str], list[str]]:
        """Return new, modified and deleted paths, given each present file's hash."""
        known = self.records
        new = [path for path in current_files if path not in known]
        modified = [path for path, sha in current_files.items() if path in known and known[path].file_hash != sha]
        deleted = [path for path in known if path not in current_files]
        return new, modified, deleted

    def get_chunks_to_delete(self, files: Iterable[str]) -> list[str]:
        """Return all chunk ids recorded for the given files."""
        return [chunk_id for path in files if path in self.records for chunk_id in self.records[path].chunk_ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionJob:
    """One run of ingest, from queued over running to completed or failed."""

    job_id: int
    book_id: str
    mode: IngestionMode
    status: JobStatus = "queued"
    files_processed: int = 0
    files_skipped: int = 0
    chunks_created: int = 0
    chunks_deleted: int = 0
    started_at: str = field(default_factory=utc_now)
    completed_at: str | None = None
    duration_seconds: int | None = None
    error_message: str | None = None

    def __post_init__(self) -> None:
        ended = self.status in ("completed", "failed")
        counts = (self.files_processed, self.files_skipped, self.chunks_created, self.chunks_deleted)
        _check(self.mode in MODES, "mode", self.mode, f"one of {MODES}")
        _check(self.status in JOB_STATUSES, "status", self.status, f"one of {JOB_STATUSES}")
        _check(ended == (self.completed_at is not None), "completed_at", self.completed_at, "set when ended")
        _check(min(counts) >= 0, "counts", counts, "must not be negative")
        failed_only = self.error_message is None or self.status == "failed"
        _check(failed_only, "error_message", self.error_message, "failed only")

    def start(self) -> IngestionJob:
        """Return a running job."""
        _check(self.status == "queued", "status", self.status, "only a queued job starts")
        return replace(self, status="running", started_at=utc_now())

    def finish(self, *, error: str | None = None, **counts: Any) -> IngestionJob:
        """Return the job with its final counts: completed, or failed if there is an error."""
        _check(self.status == "running", "status", self.status, "only a running job ends")
        now = utc_now()
        took = datetime.fromisoformat(now) - datetime.fromisoformat(self.started_at)
        return replace(
            self,
            status="failed" if error else "completed",
            completed_at=now,
            duration_seconds=int(took.total_seconds()),
            error_message=error,
            **counts,
        )

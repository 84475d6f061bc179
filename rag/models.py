"""The entities of a question and its answer: specifications 003 (search) and 000 (agent).

They come from or go to the outside, so pydantic checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from pydantic import (
    UUID4,
    UUID5,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ingestion.markdown.syntax import ANY, ANY_MDX, Syntax
from ingestion.models import DocType, ProficiencyLevel, TeachingLayer
from ingestion.source.generators import syntax_named
from rag.filters import QUERY_FIELDS, Filters
from rag.filters import SearchMode as SearchMode
from rag.query_text import TOO_SHORT, compared_part, may_be_searched

if TYPE_CHECKING:
    from ingestion.models import Vector

Confidence = Literal["high", "low", "none"]
ConfidenceLevel = Literal["high", "medium", "low", "insufficient"]
RefusalReason = Literal[
    "nothing_indexed",
    "nothing_within_filters",
    "nothing_relevant",
    "not_answered",
    "nothing_more",
    "other_language",
    "says_nothing_yet",
]
AnswerState = Literal["completed", "low_confidence", "no_results", "error"]
"""How a question ended."""

MAX_LIMIT = 100
"""How many passages a search gives at most (000)."""

EXTRACTIVE = "extractive"
"""What an answer names as its model when none was used."""

Score = Annotated[float, Field(ge=0.0, le=1.0)]
"""A cosine similarity, clamped to 0–1."""

# JSON Schema and generators of clients know the format `uuid`; pydantic would write `uuid4` and `uuid5`.
_UUID_SCHEMA = WithJsonSchema({"type": "string", "format": "uuid"})
UuidText = Annotated[str, _UUID_SCHEMA]
ThreadId = Annotated[UUID4, _UUID_SCHEMA]
LessonId = Annotated[UUID5, _UUID_SCHEMA]
"""A `parent_doc_id`."""


class LongEnough:
    """Marks text that must be long enough to be searched; a single word may be a term."""

    def __get_pydantic_core_schema__(self, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the text after everything that is declared before this mark."""
        return core_schema.no_info_after_validator_function(_searchable, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema with the least length."""
        return handler(schema) | {"minLength": 1}


def _searchable(text: str) -> str:
    if not may_be_searched(text):
        raise PydanticCustomError("string_too_short", "String should have {least}", {"least": TOO_SHORT})
    return text


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SearchQuery(_Model):
    """A question with its filters; all of them must hold, levels among themselves any.

    Passages with a cosine below `min_score` are left out, and sections of links alone where they are `to_answer`.
    """

    text: Annotated[str, StringConstraints(strip_whitespace=True), LongEnough()]
    book_id: str = "physical-ai-robotics"
    hardware_tier_filter: Annotated[int, Field(ge=1, le=4)] = 1
    module_filter: str | None = None
    chapter_min: int | None = None
    chapter_max: int | None = None
    lesson_filter: int | None = None
    proficiency_levels: tuple[ProficiencyLevel, ...] | None = None
    layer_filter: TeachingLayer | None = None
    parent_doc_id: str | None = None
    language: str | None = None
    docs_version: str | None = None
    doc_types: tuple[DocType, ...] | None = None
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    mode: SearchMode = "hybrid"
    min_score: Score = 0.0
    all_versions: bool = False
    diverse: bool = False
    expand: Annotated[int, Field(ge=0, le=10)] = 0
    whole_lesson: bool = False
    to_answer: bool = False

    @model_validator(mode="after")
    def _chapters_ascend(self) -> SearchQuery:
        if self.chapter_min is not None and self.chapter_max is not None and self.chapter_min > self.chapter_max:
            raise ValueError(
                f"chapters {self.chapter_min}-{self.chapter_max}: the first number is larger than the last"
            )
        return self

    @property
    def filters(self) -> Filters:
        """The filters as one value."""
        values = {name: getattr(self, field) for name, field in QUERY_FIELDS.items()}
        for name in ("proficiency_levels", "doc_types"):
            values[name] = values[name] or None
        return Filters(**values)


def address(page_url: str, anchor: str | None) -> str:
    """Return the address of a section, or "" where the site has none."""
    return f"{page_url}#{anchor}" if page_url and anchor else page_url


class WideQuery(SearchQuery):
    """A query for more passages than 003 foresees, as 000 has them."""

    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 5


@dataclass(frozen=True, slots=True)
class ReadAlong:
    """What a search read with a passage: its vector and its BM25 terms, and the payloads of chunks by their ids.

    All are equal: two searches that find a passage found the same, whatever else they read.
    """

    vector: Vector | None = field(default=None, compare=False)
    terms: frozenset[int] = field(default=frozenset(), compare=False)
    payloads: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)


class SearchResult(_Model):
    """One passage. `score` is its cosine, `relevance` what it is ranked by (1 is the best possible).

    The ranks are those in the two lists that were mixed, None where a list does not hold it. `expanded_lines` are its
    lines in the page that readers see, `text_lines` and `repeated` tell of the lines of its text (ingestion.models),
    `is_navigation` that it holds links alone. `syntax` names how the page is read, None in an index of an earlier
    release, which had `mdx` alone.
    """

    id: UuidText
    rank: Annotated[int, Field(ge=1)]
    text: str
    score: Score
    relevance: Score
    dense_rank: int | None = None
    keyword_rank: int | None = None
    keyword_score: float | None = None
    rerank_score: float | None = None
    source_file: str
    page_title: str
    page_url: str
    chapter_title: str | None = None
    section_title: str | None
    heading_path: tuple[str, ...]
    anchor: str | None
    section_titles: tuple[str, ...] = ()
    section_anchors: tuple[str, ...] = ()
    line_start: int
    line_end: int
    syntax: Annotated[str | None, Field(exclude=True)] = None
    mdx: Annotated[bool | None, Field(exclude=True)] = None
    expanded_lines: Annotated[tuple[int, int] | None, Field(exclude=True)] = None
    text_lines: Annotated[tuple[int, ...] | None, Field(exclude=True)] = None
    repeated: Annotated[tuple[int, int] | None, Field(exclude=True)] = None
    is_navigation: Annotated[bool | None, Field(exclude=True)] = None
    book_id: str
    module: str
    chapter: int | None
    lesson: int | None
    hardware_tier: int
    proficiency_level: str
    layer: str
    language: str
    doc_type: str
    declared: tuple[str, ...]
    chunk_index: int
    total_chunks: int
    parent_doc_id: UuidText | None
    prev_chunk_id: UuidText | None
    next_chunk_id: UuidText | None
    content_hash: str | None
    is_widened: bool = False
    _read_along: ReadAlong = PrivateAttr(default_factory=ReadAlong)

    def with_read_along(self, read: ReadAlong) -> SearchResult:
        """Remember what the search read with the passage, so that it need not be read again."""
        self._read_along = read
        return self

    @property
    def read_along(self) -> ReadAlong:
        """Return what the search read with the passage; empty for one that no search found."""
        return self._read_along

    @property
    def path(self) -> str:
        """Return where a reader finds it: the chapter of the book's contents, the page and the sections above it."""
        return " › ".join(dict.fromkeys(filter(None, (self.chapter_title, self.page_title, *self.heading_path))))

    @property
    def page_syntax(self) -> Syntax:
        """Return how the page is read: by any generator's rules where the index does not say."""
        if self.syntax is not None:
            return syntax_named(self.syntax)
        is_mdx = self.source_file.lower().endswith(".mdx") if self.mdx is None else self.mdx
        return ANY_MDX if is_mdx else ANY

    @property
    def page_lines(self) -> tuple[int, int]:
        """Return its first and last line in the page as readers see it, included files read in."""
        return self.expanded_lines or (self.line_start, self.line_end)

    @property
    def location(self) -> str:
        """Where a reader finds the passage: its address with anchor, else its file and lines."""
        return address(self.page_url, self.anchor) or f"{self.source_file}:{self.line_start}-{self.line_end}"


class Evidence(_Model):
    """What a search tells about whether its passages answer at all; each figure is 0–1, more is better."""

    best: Score = 0.0
    """The best cosine of the passages."""

    gap: Score = 0.0
    """By how much the best cosine stands out above the next nine: an answer does, a mere subject does not."""

    known: Score = 1.0
    """Share of the question's words, weighed by how rare each is, that the book has at all."""

    named: Score = 1.0
    """Share of what the question names (people, products, numbers) that the passages name too."""

    reached: Score = 1.0
    """Share that the best passage reaches of the BM25 score that the question could reach."""

    length: Score = 0.4
    """How many words the question has, on a logarithmic scale: a long one is never reached wholly."""

    heeded: Score = 1.0
    """1 less by how much the best passage comes nearer without one of the question's words: it ignores that word."""

    diversity: Score = 0.0
    """1 less the mean cosine between the passages."""

    spot: Score | None = None
    """The score of the block that is nearest to the question; None where the blocks were not looked at."""

    lead: Score | None = None
    """By how much that block is ahead of the best one of another section; None as before."""


class Place(_Model):
    """A section of the book that a reader is pointed to."""

    page_title: str
    section_title: str | None = None
    page_url: str | None = None
    source_file: str
    line_start: int
    line_end: int
    chunk_id: UuidText


class FollowUp(Place):
    """A section that could be asked about next. `question` asks for it, and does within `parent_doc_id` for sure."""

    question: str
    parent_doc_id: UuidText | None = None


class HiddenPassages(_Model):
    """What a filter keeps from the reader although it fits better: how many, and the value that would show it."""

    count: Annotated[int, Field(ge=1)]
    filter: str
    value: str
    best_relevance: Score


class SearchResponse(_Model):
    """The ranked passages, best first; `total_found` counts the chunks that pass the filters.

    `has_relevant_results` tells that a passage has the cosine of `agent.min_relevance_score` (000).
    `searched_for` is the question with its typos corrected, None where none was. `hidden` tells of better passages
    that a filter hides.
    """

    query: str
    results: tuple[SearchResult, ...]
    total_found: int
    hardware_tier_filter: int
    module_filter: str | None
    book_id: str
    evidence: Evidence = Evidence()
    is_book_indexed: bool = True
    has_relevant_results: bool = False
    searched_for: str | None = None
    hidden: HiddenPassages | None = None
    _further: tuple[SearchResult, ...] = PrivateAttr(default=())

    def with_further(self, passages: tuple[SearchResult, ...]) -> SearchResponse:
        """Remember the passages that the search read and does not show."""
        self._further = passages
        return self

    @property
    def compared(self) -> str:
        """What of the question was compared with the book, typos corrected."""
        return self.searched_for or compared_part(self.query)

    @property
    def further(self) -> tuple[SearchResult, ...]:
        """Return the passages after those that are shown, as far as the search read them, best first."""
        return self._further


class PastMessage(Protocol):
    """A message of the conversation so far; `rag.conversations.models.Message` is one."""

    @property
    def role(self) -> Literal["user", "assistant", "system", "tool"]:
        """Who said it."""

    @property
    def content(self) -> str:
        """What was said."""


class ConfidenceMetrics(_Model):
    """How far the passages can be trusted to answer; `reason` says why not, where they cannot."""

    average_similarity: Score
    min_similarity: Score
    max_similarity: Score
    num_chunks: Annotated[int, Field(ge=0)]
    chunk_diversity: Score
    confidence_level: ConfidenceLevel
    should_answer: bool
    reason: RefusalReason | None = None

    @model_validator(mode="after")
    def _average_lies_between(self) -> ConfidenceMetrics:
        if not self.min_similarity <= self.average_similarity <= self.max_similarity:
            raise ValueError("average_similarity lies between min_similarity and max_similarity")
        if self.should_answer != (self.confidence_level != "insufficient"):
            raise ValueError("should_answer holds where confidence_level is not insufficient")
        return self


class Citation(_Model):
    """A source that the answer uses; `number` is how the answer refers to it.

    `chunk_id` is the passage, `verified` whether it holds what the sentences that cite it say.
    """

    number: Annotated[int, Field(ge=1)]
    chunk_id: str
    page_title: str
    page_url: str | None
    chapter_title: str | None = None
    module_name: str
    section_title: str | None
    source_file: str
    line_start: int
    line_end: int
    score: Score
    verified: bool = True


class PassagesUsed(_Model):
    """What became of the passages, as chunk ids (design decision 13): each list is a part of the one before.

    `shown` were given to the language model or quoted from, `cited` are named by the answer, `verified` hold what
    the citing sentences say. `dropped` counts the references to something that was not shown.
    """

    retrieved: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    dropped: int = 0


class QuotedExcerpt(_Model):
    """An excerpt of an answer that is quoted: the number of its source, and where in `answer` it stands.

    `start` and `end` are offsets in characters (code points), `marked_start` and `marked_end` those of the sentence
    that answers, None where what answers is code or a table.
    """

    number: Annotated[int, Field(ge=1)]
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    marked_start: Annotated[int, Field(ge=0)] | None = None
    marked_end: Annotated[int, Field(ge=0)] | None = None


class AgentResponse(_Model):
    """An answer with its sources. With state `no_results` it is a refusal, and `metrics` say why.

    `supported` is false where a sentence says what its source does not (`unsupported` lists them, of the
    `cited_sentences` that a language model wrote and that were checked, and `contradicted` those of which the book
    says otherwise; it is None where answer and book are in two languages, so that nothing was checked), where
    something that was not shown was referred to, or where nothing is cited. Times are in milliseconds. `see_also` are
    other sections on the subject, under a refusal the nearest. `replaced` tells that the book is quoted in place of
    an answer of which it holds nothing. `tokens_used` is what the language model read and wrote, `completion_tokens`
    what it wrote; both are 0 where none was asked.
    """

    answer: str
    citations: tuple[Citation, ...]
    query: str
    model: str
    retrieval_time_ms: float
    generation_time_ms: float
    total_time_ms: float
    confidence: Confidence
    state: AnswerState = "completed"
    metrics: ConfidenceMetrics | None = None
    passages: PassagesUsed = PassagesUsed()
    supported: bool = True
    see_also: tuple[Place, ...] = ()
    searched_for: str | None = None
    hidden: HiddenPassages | None = None
    cited_sentences: Annotated[int, Field(ge=0)] = 0
    unsupported: tuple[str, ...] | None = ()
    contradicted: tuple[str, ...] = ()
    tokens_used: Annotated[int, Field(ge=0)] = 0
    completion_tokens: Annotated[int, Field(ge=0)] = 0
    retrieval_count: Annotated[int, Field(ge=0)] = 0
    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    error: str | None = None
    replaced: bool = False
    excerpts: tuple[QuotedExcerpt, ...] = ()

    @property
    def is_quoted(self) -> bool:
        """Return whether the answer is quoted from the book word for word, and not written by a language model."""
        return (self.replaced or self.model == EXTRACTIVE) and bool(self.citations)

    @classmethod
    def failed(cls, query: str, model: str, error: str) -> AgentResponse:
        """Return what stands for an answer where there was none to be had."""
        return cls(
            answer="",
            citations=(),
            query=query,
            model=model,
            retrieval_time_ms=0.0,
            generation_time_ms=0.0,
            total_time_ms=0.0,
            confidence="none",
            state="error",
            supported=False,
            error=error,
        )

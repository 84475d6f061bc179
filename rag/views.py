"""Search results and answers as plain text, ready to be printed."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.languages import language_name, language_of
from ingestion.output import Block, Link, Markdown, Part, View
from rag.models import AgentResponse, Citation, Place, SearchResponse, SearchResult

PREVIEW_CHARS = 300

_REASONS = {
    "nothing_indexed": "this book has no lessons in the index; run `bookwise ingest` first",
    "nothing_within_filters": "no lesson of the book matches these filters; remove some",
    "nothing_relevant": "the book has nothing on this",
    "nothing_more": "the book says no more on this than what was already quoted",
    "not_answered": "the book has passages about this, but they do not seem to answer it; see `bookwise search`",
    "says_nothing_yet": "the book's section on this has no text yet",
}


def search_view(response: SearchResponse, *, explain: bool = False) -> View:
    """Return the ranked passages, each with where it stands and how it begins; whole where they were widened."""
    if not response.results:
        return [
            *_mended(response),
            f"Nothing found in {', '.join([response.book_id, *_filters(response)])}.",
            *_hidden(response),
        ]
    return [
        *_mended(response),
        *(part for result in response.results for part in _passage(result, explain=explain)),
        *(_evidence(response) if explain else ()),
        f"{len(response.results)} of {response.total_found} chunks of "
        f"{', '.join([response.book_id, *_filters(response)])}",
        *_hidden(response),
    ]


def refusal_note(response: AgentResponse) -> str:
    """Return why there is no answer."""
    reason = response.metrics.reason if response.metrics else None
    if reason == "other_language" and not response.error:
        language = language_name(language_of(response.query) or "another language")
        return (
            f"no answer: the question is in {language}, the passages that were found are not; ask in the language of "
            "the book, or set up a language model or a multilingual embedder"
        )
    return f"no answer: {response.error or _REASONS[reason or 'not_answered']}"


def answer_view(response: AgentResponse) -> View:
    """Return the answer with its numbered sources."""
    note = [f"(quoted from the book; {_why_quoted(response)})", ""] if response.is_quoted else []
    return [*_mended(response), *note, Markdown(response.answer, _marked(response)), *sources_view(response)]


def _marked(response: AgentResponse) -> tuple[tuple[int, int], ...]:
    """Return where the sentences stand that answer, of an answer that is quoted."""
    marked = ((each.marked_start, each.marked_end) for each in response.excerpts)
    return tuple((start, end) for start, end in marked if start is not None and end is not None)


def _why_quoted(response: AgentResponse) -> str:
    if response.error:
        return "the language model did not answer"
    if response.replaced:
        return "most of what the language model wrote is not in the book"
    return "no language model was used"


def sources_view(response: AgentResponse) -> View:
    """Return the numbered sources, what of the answer they do not hold, and where else to look."""
    if response.state in ("no_results", "error"):
        return [*_places("Nearest sections:", response.see_also), *_hidden(response)]
    sources = [_source(citation) for citation in response.citations]
    footer = ("", Markdown("---\n**Sources:**"), *sources) if sources else ()
    return [*footer, *_places("See also:", response.see_also), *_doubts(response), *_hidden(response)]


def _places(title: str, places: Sequence[Place]) -> list[Part]:
    return ["", title, *(_linked(f"- {_named(place)}, {_where(place)}", place) for place in places)] if places else []


def _named(place: Place | Citation) -> str:
    section = place.section_title
    return f"{place.page_title} › {section}" if section and section != place.page_title else place.page_title


def _where(place: Place | Citation) -> str:
    return place.page_url or f"{place.source_file}:{place.line_start}-{place.line_end}"


def _linked(text: str, place: Place | Citation) -> Part:
    return Link(text, place.page_url) if place.page_url else text


def _mended(response: AgentResponse | SearchResponse) -> list[str]:
    return [f"(searched for: {response.searched_for})", ""] if response.searched_for else []


def _hidden(response: AgentResponse | SearchResponse) -> list[str]:
    """Return what a filter keeps from the reader."""
    hidden = response.hidden
    if hidden is None:
        return []
    passages = "1 better passage needs" if hidden.count == 1 else f"{hidden.count} better passages need"
    return ["", f"{passages} a higher hardware tier: `--tier {hidden.value}`"]


def _doubts(response: AgentResponse) -> list[str]:
    """Return what a reader must check for himself."""
    said = {True: "The book says otherwise", False: "Not confirmed by the book"}
    doubts = [f"{said[each in response.contradicted]}: {each}" for each in response.unsupported or ()]
    if not response.citations:
        doubts.append("The answer has no citations.")
    if response.passages.dropped:
        doubts.append(f"{response.passages.dropped} invalid references were removed.")
    if response.error:
        doubts.append(f"Note: {response.error.rstrip('.')}.")
    return ["", *doubts] if doubts else []


def _filters(response: SearchResponse) -> list[str]:
    """Return the filters of a search; the lowest tier only where something shows that the book has tiers."""
    tier = response.hardware_tier_filter
    has_tiers = response.hidden or any("hardware_tier" in result.declared for result in response.results)
    tiers = [f"hardware tier {tier}{' or lower (--tier 4 sees all)' if tier < 4 else ''}"]
    modules = [f"module {response.module_filter}"] if response.module_filter else []
    return [*(tiers if has_tiers or tier > 1 else ()), *modules]


def _passage(result: SearchResult, *, explain: bool) -> list[Part]:
    file = f"{result.source_file}:{result.line_start}-{result.line_end}"
    lines: list[Part] = [f"{result.rank}. {result.path}  (score {result.score:.2f}; {', '.join(_place(result))})"]
    if result.location != file:
        lines.append(Link(f"   {result.location}", result.location))
    lines.append(f"   {file}")
    if explain:
        lines.append(f"   {_origin(result)}")
    return [*lines, _text(result), ""]


def _place(result: SearchResult) -> list[str]:
    """Return the module, and of tier, level and layer what the author declared."""
    declared = {
        "hardware_tier": f"tier {result.hardware_tier}",
        "proficiency_level": result.proficiency_level,
        "layer": result.layer,
    }
    return [result.module, *(text for name, text in declared.items() if name in result.declared)]


def _text(result: SearchResult) -> Part:
    if result.is_widened:
        return Block("\n".join(f"   {line}".rstrip() for line in result.text.split("\n")))
    body = " ".join(line for line in result.text.split("\n") if not line.startswith("#")).split()
    preview = " ".join(body)
    short = preview if len(preview) <= PREVIEW_CHARS else preview[:PREVIEW_CHARS].rsplit(" ", 1)[0] + " …"
    return f"   {short}"


def _origin(result: SearchResult) -> str:
    """Return how the rank came about."""
    dense = f"{_rank(result.dense_rank)} by meaning (cosine {result.score:.2f})"
    keyword = f"{_rank(result.keyword_rank)} by words"
    if result.keyword_score is not None:
        keyword += f" (BM25 {result.keyword_score:.1f})"
    rerank = f", reranked {result.rerank_score:.2f}" if result.rerank_score is not None else ""
    neighbours = f"chunk {result.chunk_index + 1} of {result.total_chunks}"
    return f"{dense}, {keyword}, relevance {result.relevance:.2f}{rerank}; {neighbours} of its lesson"


def _rank(rank: int | None) -> str:
    return f"rank {rank}" if rank is not None else "unranked"


def _evidence(response: SearchResponse) -> list[str]:
    evidence = response.evidence
    return [
        f"Evidence: best cosine {evidence.best:.2f}, {evidence.gap:.2f} above the next nine; "
        f"{evidence.known:.0%} of the question's words known to the book, "
        f"{evidence.named:.0%} of its names in the passages; diversity {evidence.diversity:.2f}"
    ]


def _source(citation: Citation) -> Part:
    doubt = "; not verified" if not citation.verified else ""
    chapter = f"{citation.chapter_title} › " if citation.chapter_title else ""
    text = f"[{citation.number}] {chapter}{_named(citation)}, {_where(citation)} (score: {citation.score:.2f}{doubt})"
    return _linked(text, citation)

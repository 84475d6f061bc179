"""What could be asked next: sections of the pages that an answer cites, as the index holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rag.models import Citation, FollowUp, Place, SearchResult, address
from rag.quoting.phrases import FOLLOW_UP, phrase
from rag.quoting.rendering import plain_title, rendered_blocks

_Section = tuple[str, str | None]
"""The title of a section, and its anchor."""

SHOWN = 3
QUESTION_MARKS = ("?", "？", "؟")

SAYS_NOTHING = frozenset(
    {"exercise", "exercises", "further reading", "introduction", "next steps"}
    | {"overview", "quiz", "references", "review", "summary"}
)
"""Headings that many pages have and that name no subject to ask about."""


def next_sections(
    passages: Iterable[SearchResult],
    citations: Iterable[Citation | SearchResult],
    see_also: Iterable[Place] = (),
    *,
    question: str = "",
) -> tuple[FollowUp, ...]:
    """Return the sections nearest to the question that stand on a cited page and are not cited themselves, nor named
    by `see_also`, each with a question in the language of the one that was asked.
    """
    cited = list(citations)
    pages = {citation.source_file for citation in cited}
    named: list[Citation | SearchResult | Place] = [*cited, *see_also]
    used = {(place.source_file, place.section_title) for place in named}
    on_pages = (passage for passage in passages if passage.source_file in pages)
    found: dict[tuple[str, str], FollowUp] = {}
    for passage in sorted(on_pages, key=lambda passage: -passage.relevance):
        if len(found) >= SHOWN:
            break
        new = [(title, anchor) for title, anchor in _sections(passage) if (passage.source_file, title) not in used]
        for title, anchor in _with_text(passage, new):
            found.setdefault((passage.source_file, title), _follow_up(question, passage, title, anchor))
    return tuple(found.values())[:SHOWN]


def _with_text(passage: SearchResult, sections: Sequence[_Section]) -> list[_Section]:
    """Return those sections that have text of their own here: under others are only headings, or it is elsewhere."""
    # To render a passage takes longer than to search it: only those that may have a section to show.
    shown = {block.section for block in rendered_blocks(passage)} if sections else ()
    return [(title, anchor) for title, anchor in sections if plain_title(title) in shown]


def _sections(passage: SearchResult) -> Iterator[_Section]:
    """Yield the section that a passage begins in and those that begin in it, if their titles name a subject."""
    begins = [(passage.section_title, passage.anchor)] if passage.section_title else []
    for title, anchor in (*begins, *zip(passage.section_titles, passage.section_anchors, strict=True)):
        if title.lower() not in SAYS_NOTHING and title != passage.page_title:
            yield title, anchor


def _follow_up(question: str, passage: SearchResult, title: str, anchor: str | None) -> FollowUp:
    page, section = plain_title(passage.page_title) or "", plain_title(title) or title
    return FollowUp(
        question=section if section.endswith(QUESTION_MARKS) else phrase(FOLLOW_UP, question).format(section),
        page_title=page,
        section_title=section,
        page_url=address(passage.page_url, anchor) or None,
        source_file=passage.source_file,
        line_start=passage.line_start,
        line_end=passage.line_end,
        chunk_id=passage.id,
        parent_doc_id=passage.parent_doc_id,
    )

"""What could be asked next: sections of the pages that an answer cites, as the index holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rag.models import Citation, FollowUp, Place, SearchResult, address
from rag.quoting.phrases import FOLLOW_UP, phrase
from rag.quoting.rendering import plain_title, rendered_blocks

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
    used = {(citation.source_file, citation.section_title) for citation in cited}
    used |= {(place.source_file, place.section_title) for place in see_also}
    found: dict[tuple[str, str], FollowUp] = {}
    for passage in sorted(passages, key=lambda passage: -passage.relevance):
        if passage.source_file not in pages or len(found) >= SHOWN:
            continue
        new = [(title, anchor) for title, anchor in _sections(passage) if (passage.source_file, title) not in used]
        # To render a passage takes longer than to search it: only those that may have a section to show.
        with_text = {block.section for block in rendered_blocks(passage)} if new else ()
        for title, anchor in new:
            # Without text of its own only headings stand under it, or its text is in another passage.
            if plain_title(title) in with_text:
                found.setdefault((passage.source_file, title), _follow_up(question, passage, title, anchor))
    return tuple(found.values())[:SHOWN]


def _sections(passage: SearchResult) -> Iterator[tuple[str, str | None]]:
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

"""What a search found, in the form of the HTTP API."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from rag.agent.events import Searched
from rag.api.openapi_examples import ANSWER
from rag.api.schemas import ChatResponse
from rag.api.serializers import retrieval_of, source_of
from rag.models import Citation, ConfidenceMetrics
from tests.support.passages import passage


@pytest.mark.parametrize(
    ("scores", "average", "is_sufficient"),
    [
        ((), 0.0, False),
        ((0.92, 0.85), 0.885, False),
        ((0.75, 0.75, 0.75), 0.75, True),
        ((0.9, 0.8, 0.5), 2.2 / 3, False),
    ],
)
def test_a_context_is_sufficient_from_three_passages_and_a_mean_of_three_quarters(
    scores: tuple[float, ...], average: float, is_sufficient: bool
) -> None:
    passages = [passage(f"A node, {score}.", rank=rank, score=score) for rank, score in enumerate(scores, 1)]
    found = retrieval_of(Searched("a node", tuple(passages)))
    assert found["average_score"] == pytest.approx(average)
    assert found["has_sufficient_context"] is is_sufficient
    assert [each["similarity_score"] for each in found["passages"]] == list(scores)


def test_each_chunk_has_its_metadata_beside_its_score() -> None:
    (found,) = retrieval_of(Searched("a node", (passage("A node is a program.", rank=1),)))["passages"]
    assert {"chunk_text", "similarity_score", "chapter", "section", "url", "chunk_index", "content_hash"} <= set(
        found
    )


@pytest.mark.parametrize(
    ("path", "section", "expected"),
    [
        (("Use", "Detail"), "Use", ("Use",)),
        (("Use",), "Detail", ("Use", "Detail")),
        ((), "Detail", ("Detail",)),
        (("Use",), None, ("Use",)),
    ],
)
def test_a_source_stands_under_the_headings_of_what_is_cited(
    path: tuple[str, ...], section: str | None, expected: tuple[str, ...]
) -> None:
    whole = passage("A node is a program.", rank=1).model_copy(update={"heading_path": path})
    citation = Citation(
        number=1,
        chunk_id=whole.id,
        page_title="Nodes",
        page_url=None,
        module_name="ros2",
        section_title=section,
        source_file=whole.source_file,
        line_start=3,
        line_end=3,
        score=0.8,
    )
    source = source_of(whole, citation)
    assert source.heading_path == expected and (source.line_start, source.line_end) == (3, 3)
    assert source.section == (section or whole.section_title or whole.page_title)


@pytest.mark.parametrize(
    ("file", "chapter", "name"),
    [
        ("module-1/chapter-2-robot-systems/01-x.md", 2, "Chapter 2: Robot systems"),
        ("Chapter 02_ROS_basics/x.md", 2, "Chapter 2: ROS basics"),
        ("module-1/chapter-3-other/x.md", 2, "Chapter 2"),
        ("05-part/17-chapter/02-lesson.md", 17, "Chapter 17"),
        ("chapter-2-x.md", 2, "Chapter 2"),
        ("intro.md", None, "Nodes"),
    ],
)
def test_a_source_names_its_chapter_as_its_folder_does(file: str, chapter: int | None, name: str) -> None:
    found = passage("A node is a program.", rank=1)
    found = found.model_copy(update={"source_file": file, "chapter": chapter, "page_title": "Nodes"})
    assert source_of(found).chapter == name


@pytest.mark.parametrize(
    "wrong",
    [
        {"timestamp": "yesterday"},
        {"timestamp": "2025-12-17T14:23:45"},
        {"confidence_level": "insufficient"},
        {"should_answer": False},
        {"sources": []},
        {"response": ""},
    ],
)
def test_an_answer_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    assert ChatResponse.model_validate(ANSWER).should_answer
    with pytest.raises(ValidationError):
        ChatResponse.model_validate(ANSWER | wrong)


def test_confidence_that_contradicts_itself_is_refused() -> None:
    figures = {"average_similarity": 0.5, "min_similarity": 0.4, "max_similarity": 0.6, "num_chunks": 3}
    for level, should_answer in (("insufficient", True), ("high", False)):
        with pytest.raises(ValidationError, match="should_answer holds"):
            ConfidenceMetrics.model_validate(
                figures | {"chunk_diversity": 0.1, "confidence_level": level, "should_answer": should_answer}
            )

"""What could be asked next is a section of a cited page, taken from the index and not cited itself."""

from __future__ import annotations

from rag.models import Citation, SearchResult
from rag.quoting.next_sections import SHOWN, next_sections
from tests.support.passages import passage


def citation(section: str | None, source_file: str = "a.md") -> Citation:
    return Citation(
        number=1,
        chunk_id="1",
        page_title="Quality of service",
        page_url=None,
        module_name="ros2",
        section_title=section,
        source_file=source_file,
        line_start=5,
        line_end=9,
        score=0.6,
    )


def section(title: str, *, rank: int = 2, relevance: float = 0.5, source_file: str = "a.md") -> SearchResult:
    changes = {"section_title": title, "anchor": title.lower(), "relevance": relevance, "source_file": source_file}
    return passage("Text.", rank=rank, page_url="https://book.example/a", **changes)


def test_sections_of_the_cited_page_that_are_not_cited_are_offered_with_their_address() -> None:
    found = next_sections([passage(), section("Depth")], [citation("The policies")])
    assert [place.section_title for place in found] == ["Late subscribers", "Depth"]
    assert found[1].page_url == "https://book.example/a#depth"


def test_a_section_that_the_answer_points_to_is_not_offered_once_more() -> None:
    first, second = next_sections([passage(), section("Depth")], [citation("The policies")])
    assert next_sections([passage(), section("Depth")], [citation("The policies")], [first]) == (second,)


def test_the_nearest_come_first_each_once_and_there_are_few() -> None:
    sections = [section(name, rank=at, relevance=at / 10) for at, name in enumerate("ABCDE", 1)]
    found = next_sections([*sections, section("E", rank=9, relevance=0.1)], [citation("The policies")])
    assert [place.section_title for place in found] == ["E", "D", "C"] and len(found) == SHOWN


def test_other_pages_the_title_of_the_page_and_headings_without_a_subject_are_not_offered() -> None:
    others = [section("Depth", source_file="b.md"), section("Quality of service"), section("Summary")]
    assert next_sections(others, [citation("The policies")]) == ()
    assert next_sections([section("Depth")], []) == ()


def test_each_is_offered_with_a_question_in_the_language_of_the_one_asked() -> None:
    [found] = next_sections([section("Depth")], [citation("The policies")], question="Was ist die Warteschlange?")
    assert found.question == "Was sagt das Buch über „Depth“?"
    [asks] = next_sections([section("Which depth?")], [citation("The policies")])
    assert asks.question == "Which depth?"


def test_a_heading_with_nothing_under_it_is_not_offered() -> None:
    empty = passage("## Running it\n\n### The driver\n\nText.", section_titles=("Running it", "The driver"))
    empty = empty.model_copy(update={"section_title": None, "section_anchors": ("a", "b"), "source_file": "a.md"})
    assert [each.section_title for each in next_sections([empty], [citation("Depth")])] == ["The driver"]

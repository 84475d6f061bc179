"""Titles are words, ids become anchors, and paths follow the levels."""

from __future__ import annotations

import pytest

from ingestion.markdown.anchors import PLAIN
from ingestion.markdown.blocks import Page, walk
from ingestion.markdown.headings import Outline, heading_text
from ingestion.markdown.inline import plain_words
from ingestion.markdown.parser import parse_blocks
from ingestion.source.styles import docusaurus


@pytest.mark.parametrize(
    ("source", "title", "own_id"),
    [
        ("## Setup", "Setup", None),
        ("## Setup ##  ", "Setup", None),
        ("## Setup {#my-id}", "Setup", "my-id"),
        ("## Setup[[my-id]]", "Setup", "my-id"),
        ("## Setup {/* #my-id */}", "Setup", "my-id"),
        ("Two\nlines\n=====", "Two\nlines", None),
        ("> Two\n> lines\n> ===", "Two\nlines", None),
        ("- ## Deep  ##", "Deep", None),
        ("#", "", None),
        ("# C#", "C#", None),
    ],
)
def test_a_title_and_the_id_it_gives_itself(source: str, title: str, own_id: str | None) -> None:
    assert PLAIN.split(heading_text(source)) == (title, own_id)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("The **big** `code_x` [link](u)", "The big code_x link"),
        ("*a* and ***b*** ~~c~~", "a and b c"),
        ("snake_case_name and _it_", "snake_case_name and it"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("![icon](i.png) Words", "icon Words"),
        ("<b>x</b> List<T> \\* \u200bend", "x List<T> * end"),
        ("`<T>` and `**`", "<T> and **"),
    ],
)
def test_plain_words(source: str, words: str) -> None:
    assert plain_words(source) == words


def test_anchors_count_headings_in_containers_and_paths_do_not() -> None:
    page = Page("# A\n\n> ## A\n\n### A\n\ntext\n\n## B")
    blocks = parse_blocks(page.lines)
    outline = Outline(page, blocks, walk(blocks))
    assert [(heading.title, heading.anchor) for heading in outline.headings] == [("A", "a"), ("A", "a-2"), ("B", "b")]
    end = len(page.text)
    assert [heading.anchor for heading in outline.path_of(end, end)] == ["a", "b"]
    assert outline.path_of(0, 0) == ()


def test_a_chunk_links_to_its_first_section_that_has_an_anchor() -> None:
    page = Page("# Title\n\nintro\n\n## A\n\ntext\n\n## B\n\n### C\n\ntext")
    blocks = parse_blocks(page.lines)
    outline = Outline(page, blocks, walk(blocks), docusaurus.STYLE.ids)
    at = page.text.index

    def link(first: str, last: str) -> str | None:
        return outline.anchor_of(at(first), at(first) + 1, at(last))

    assert [heading.anchor for heading in outline.headings] == ["", "a", "b", "c"]
    assert link("# Title", "intro") is None
    assert link("intro", "## B") == "a"
    assert link("## A", "### C") == "a"
    assert link("### C", "text") == "c"

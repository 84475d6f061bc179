"""Titles are words, ids become anchors, and paths follow the levels."""

from __future__ import annotations

import pytest

from ingestion.markdown.anchors import PLAIN
from ingestion.markdown.blocks import Page, walk
from ingestion.markdown.headings import Outline, heading_text
from ingestion.markdown.inline import plain_words
from ingestion.markdown.parser import parse_blocks, parse_page
from ingestion.markdown.syntax import ANY, ANY_MDX
from ingestion.source.generators import of_style


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
        ("Negated `[^a-z]` and a note[^1] of two[^far]", "Negated [^a-z] and a note of two"),
        ("Words <!-- gone --> here", "Words here"),
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
    outline = Outline(page, blocks, walk(blocks), of_style("docusaurus").heading_ids(None))
    at = page.text.index

    def link(first: str, last: str) -> str | None:
        return outline.anchor_of(at(first), at(first) + 1, at(last))

    assert [heading.anchor for heading in outline.headings] == ["", "a", "b", "c"]
    assert link("# Title", "intro") is None
    assert link("intro", "## B") == "a"
    assert link("## A", "### C") == "a"
    assert link("### C", "text") == "c"


NOTES = "See[^b] and[^why].\n\n## Noted[^why] heading\n\n## Other[^no] one[^c]\n\n[^b]: x\n\n[^why]: y\n\n[^c]: z\n"


@pytest.mark.parametrize(
    ("style", "anchors"),
    [
        ("mdbook", ["noted2-heading", "otherno-one3"]),
        ("starlight", ["noted2-heading", "otherno-one3"]),
        ("docusaurus", ["noted-heading", "other-one"]),
        ("hugo", ["noted-heading", "other-one"]),
        ("mkdocs", ["noted-heading", "other-one"]),
        ("jekyll", ["noted-heading", "other-one"]),
    ],
)
def test_marks_of_footnotes_are_no_words_but_numbers_in_some(style: str, anchors: list[str]) -> None:
    """As real builds have it; mdBook and Starlight count footnotes as the page refers to them."""
    page = Page(NOTES)
    blocks = parse_blocks(page.lines)
    outline = Outline(page, blocks, walk(blocks), of_style(style).heading_ids(None))
    assert [heading.anchor for heading in outline.headings] == anchors
    assert [heading.title for heading in outline.headings] == ["Noted heading", "Other one"]


def test_attributes_below_a_heading_are_kramdowns() -> None:
    page = Page("## One\n{: #below .wide }\n\n## Two\n{:.wide}\n\nThree\n---\n{: #three}\n")
    blocks = parse_blocks(page.lines)
    for style, anchors in {"jekyll": ["below", "two", "three"], "hugo": ["one", "two", "three"]}.items():
        outline = Outline(page, blocks, walk(blocks), of_style(style).heading_ids(None))
        assert [heading.anchor for heading in outline.headings] == anchors


def test_two_hyphens_are_a_dash_in_starlight() -> None:
    page = Page("## One -- two --- three `--flag`\n")
    blocks = parse_blocks(page.lines)
    (heading,) = Outline(page, blocks, walk(blocks), of_style("starlight").heading_ids(None)).headings
    assert heading.anchor == "one--two-----three---flag"


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ('<h2 id="x">Words <b>in</b> HTML</h2>\n\nText.', [(2, "Words in HTML", "x")]),
        ("<h1 align='center' id='y'>Top</h1>\n<p>Text</p>", [(1, "Top", "y")]),
        ("<H3 class=a id=z>Words</H3>", [(3, "Words", "z")]),
        ("<h2>Same</h2>\n\n## Same\n\n## Same", [(2, "Same", ""), (2, "Same", "same"), (2, "Same", "same-1")]),
        ("- item\n\n  <h4 id='deep'>Deep</h4>\n", []),
        ("<h2 id='x'>Begins\nand ends</h2>", []),
        ("<h2 id='x'>Words</h2>\nmore of the *same* block", []),
        ("<h2 id='x'></h2>", []),
        ("<header id='x'>Words</header>", []),
        ("```\n<h2 id='x'>Words</h2>\n```", []),
    ],
)
@pytest.mark.parametrize("mdx", [False, True])
def test_headings_of_html_begin_sections_and_keep_their_ids(
    text: str, headings: list[tuple[int, str, str]], mdx: bool
) -> None:
    page, blocks = parse_page(text, ANY_MDX if mdx else ANY)
    found = Outline(page, blocks, walk(blocks)).headings
    assert [(each.level, each.title, each.anchor) for each in found] == headings


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("See the [guide][g] first", "See the guide first"),
        ("Look at [Guide] now", "Look at Guide now"),
        ("A [box][] here", "A [box][] here"),
        ("Code `x[guide]` stays", "Code x[guide] stays"),
        ("An [own](#there) one", "An own one"),
    ],
)
def test_reference_links_in_headings_are_words_where_the_page_defines_them(heading: str, words: str) -> None:
    page, blocks = parse_page(f"## {heading}\n\n[g]: https://x.example/a\n[guide]: https://x.example/b\n")
    (found,) = Outline(page, blocks, walk(blocks)).headings
    assert found.title == words


@pytest.mark.parametrize(
    ("heading", "title", "anchor"),
    [
        ("Monte Carlo [[monte-carlo]]", "Monte Carlo", "monte-carlo"),
        ("What is Monte Carlo? [[monte-carlo]]", "What is Monte Carlo?", "monte-carlo"),
        ("Monte Carlo[[mc]]", "Monte Carlo", "mc"),
        ("About [[Robots]]", "About Robots", "about-robots"),
        ("See [[notes/robots|all robots]] now", "See all robots now", "see-notesrobotsall-robots-now"),
        (":material-check: On all pages :smile:", "On all pages", "material-check-on-all-pages-smile"),
        ("Press ++ctrl+c++ twice", "Press ctrl+c twice", "press-ctrlc-twice"),
    ],
)
def test_marks_of_headings_are_no_words_of_their_titles(heading: str, title: str, anchor: str) -> None:
    page, blocks = parse_page(f"## {heading}\n")
    (found,) = Outline(page, blocks, walk(blocks)).headings
    assert (found.title, found.anchor) == (title, anchor)


def test_a_heading_inside_of_a_component_of_mdx_is_one() -> None:
    page, blocks = parse_page("<Card>\n  ## Inside\n  A word.\n</Card>\n\n<div>\n## Too\n</div>\n", ANY_MDX)
    assert [heading.title for heading in Outline(page, blocks, walk(blocks)).headings] == ["Inside", "Too"]

"""Blocks are those of CommonMark, GitHub and MDX; every line that is not blank lies in exactly one of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ingestion.markdown.blocks import Block, walk
from ingestion.markdown.parser import parse_blocks
from ingestion.markdown.rules import MAX_LEVELS
from ingestion.markdown.syntax import ANY, ANY_MDX
from tests.support.golden_files import Case, read, render_blocks
from tests.support.nasty_markdown import COMMONMARK_PAGES, PAGES
from tests.support.paths import SHARED
from tests.support.reference_markdown import our_structure, reference_structure

CORPORA = SHARED / "corpora"

INDENTED_QUOTES = {
    f"iot-beginners/translations/{language}/2-farm/lessons/5-migrate-application-to-the-cloud/README.md"
    for language in ("ja", "ur", "zh")
}
"""Pages with a `>` indented by four spaces inside a quote: markdown-it reads on, as the author meant it."""


FRAGMENTS = st.sampled_from(
    ["|", "-", ":", " ", "a", "\\|", "  ", "--", "|--", "\t", "> ", "- ", "1. ", "`", "```", "==", "# "]
)


def headings(text: str) -> list[str]:
    lines = text.split("\n")
    return [lines[block.start] for block in parse_blocks(lines) if block.kind == "heading"]


@pytest.mark.parametrize("case", read("blocks.md"), ids=lambda case: case.title)
def test_golden_blocks(case: Case) -> None:
    assert render_blocks(case.source) == case.expected


@given(COMMONMARK_PAGES)
def test_headings_fences_and_tables_are_those_of_an_independent_parser(text: str) -> None:
    assert our_structure(text) == reference_structure(text)


@given(st.lists(st.lists(FRAGMENTS, max_size=8).map("".join), min_size=1, max_size=5).map("\n".join))
def test_our_rules_for_text_and_tables_read_what_those_of_markdown_it_do(text: str) -> None:
    stock = MarkdownIt("commonmark").enable("table")
    tokens = stock.block.parse(text, stock, {}, []) or []
    expected = [
        (token.map[0], token.type.removesuffix("_open"))
        for token in tokens
        if token.map and token.type in ("heading_open", "table_open", "paragraph_open", "hr", "fence")
    ]
    kinds = {"heading": "heading", "table": "table", "paragraph": "paragraph", "rule": "hr", "fence": "fence"}
    blocks = walk(parse_blocks(text.split("\n")))
    assert [(block.start, kinds[block.kind]) for block in blocks if block.kind in kinds] == expected


@pytest.mark.shared
@pytest.mark.skipif(not CORPORA.exists(), reason="the shared corpora are not here")
def test_real_pages_read_as_an_independent_parser_reads_them() -> None:
    for path in sorted(path for path in CORPORA.rglob("*.md") if path.is_file())[::6]:
        text = path.read_text(encoding="utf-8-sig")
        if str(path.relative_to(CORPORA)) not in INDENTED_QUOTES:
            assert our_structure(text) == reference_structure(text), path


@given(PAGES)
def test_every_line_that_is_not_blank_lies_in_exactly_one_block(text: str) -> None:
    lines = text.split("\n")
    blocks = parse_blocks(lines)
    covered = [number for block in blocks for number in range(block.start, block.end)]
    assert len(covered) == len(set(covered))
    assert {number for number, line in enumerate(lines) if line.strip()} <= set(covered)
    assert all(lines[block.start].strip() and lines[block.end - 1].strip() for block in walk(blocks))


@given(PAGES)
def test_blocks_inside_follow_each_other_and_stay_inside(text: str) -> None:
    def check(block: Block) -> None:
        edge = block.start
        for child in block.children:
            assert edge <= child.start < child.end <= block.end
            edge = child.end
            check(child)

    for block in parse_blocks(text.split("\n")):
        check(block)


def test_the_headings_of_case_13(cases: Path) -> None:
    assert headings((cases / "c13" / "fences.md").read_text(encoding="utf-8")) == [
        "# Real one",
        "## Real two ##",
        "Setext one",
        "Setext two",
        "## Real three {#custom-id}",
    ]
    assert headings((cases / "c13" / "never-closed.md").read_text(encoding="utf-8")) == ["# Start"]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# x\n```",
        "~~~\n# x\n~~~",
        "* a\n\n    ```\n    # x\n    ```",
        "````\n```\n# x\n````",
        "   ```\n# x\n   ```",
        "<!--\n# x\n-->",
        "<!--\n-\n-->",
        "<pre>\n\n# x\n</pre>",
        "    # x",
        "> # x",
        "- # x",
        "#x",
        "{/*\n\n# x\n*/}",
        "$$\nx\n=\n$$",
        "| # x |\n|---|\n| # y |",
    ],
)
def test_no_heading_begins_a_section_here(text: str) -> None:
    assert headings(text) == []


@pytest.mark.parametrize("text", ["## A <!-- b -->", "A\n---", "#\tTab", "   # Indented", "text\n# Right after"])
def test_a_heading_begins_a_section_here(text: str) -> None:
    assert len(headings(text)) == 1


@pytest.mark.parametrize(
    "prose",
    [
        "import duties apply to the kit.",
        "export rules are on the next page.",
        "export default settings to a file.",
        "export class diagrams as pictures.",
        "import {open",
        "a <b and c",
        "<Broken x={",
        "$$ never closed",
        "{/* never closed",
    ],
)
def test_prose_that_looks_like_mdx_stays_prose(prose: str) -> None:
    assert [block.kind for block in parse_blocks([prose, "", "End."])] == ["paragraph", "paragraph"]


def test_containers_nest_to_a_limit_beyond_which_they_are_whole() -> None:
    blocks = parse_blocks([">" * 5000 + " x", "", "# Below"])
    assert [(block.kind, block.start, block.end) for block in blocks] == [("quote", 0, 1), ("heading", 2, 3)]
    block, depth = blocks[0], 1
    while block.children:
        block, depth = block.children[0], depth + 1
    assert depth == MAX_LEVELS


def test_directives_nest_to_a_limit_beyond_which_they_are_text() -> None:
    assert headings("\n".join([":::note", *[":::tip"] * 500, "", "# Below", ""])) == ["# Below"]


@pytest.mark.parametrize("text", ["- x\n\n      # x", "    # x", "1. a\n\n       ## x"])
def test_four_spaces_are_code_in_markdown_and_not_in_mdx(text: str) -> None:
    def kinds(mdx: bool) -> set[str]:
        return {block.kind for block in walk(parse_blocks(text.split("\n"), ANY_MDX if mdx else ANY))}

    assert "code" in kinds(False) and "heading" not in kinds(False)
    assert "heading" in kinds(True) and "code" not in kinds(True)


UNITS = {
    "import_or_export": "import {\n  a,\n",
    "remark": "{/* a\n\n",
    "jsx": "<A x={\n\n",
    "math": "$$\n\n",
    "math after text": "text\n$$\n",
    "fence": "````\n```\n",
    "footnote": "[^1]: a\n\n    b\n",
    "directive": ":::note\n",
    "directive_end": ":::note\n- a\n  :::\n",
    "html_block": "<!-- a\n",
    "html_block until a blank line": "<div>\n```\n\n",
    "quotes around": "> :::a\n> > :::b\n> :::\n",
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=list(UNITS))
def test_every_rule_of_ours_is_linear(unit: str) -> None:
    def steps(size: int) -> int:
        """The function calls that a page takes: the same on every machine."""
        count = 0

        def note(*_: object) -> None:
            nonlocal count
            count += 1

        lines = (unit * (size // len(unit))).split("\n")
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            parse_blocks(lines)
        finally:
            sys.setprofile(before)
        return count

    steps(4_000)
    assert steps(64_000) < 2.5 * steps(32_000)

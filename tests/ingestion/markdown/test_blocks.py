"""Blocks are those of CommonMark, GitHub and MDX; every line that is not blank lies in exactly one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from ingestion.markdown.block_scanner import MAX_NESTING
from ingestion.markdown.blocks import Block, walk
from ingestion.markdown.parser import parse_blocks
from ingestion.markdown.rules.mdx import Lookahead
from tests.support.golden_files import Case, read, render_blocks
from tests.support.nasty_markdown import COMMONMARK_PAGES, PAGES
from tests.support.paths import SHARED

CORPORA = SHARED / "corpora"

Found = tuple[int, int, str, int, bool]


def headings(text: str) -> list[str]:
    lines = text.split("\n")
    return [lines[block.start] for block in parse_blocks(lines) if block.kind == "heading"]


def structure(text: str) -> list[Found]:
    """Headings, fences and tables: kind, lines, level, and whether a heading begins a section."""
    blocks = parse_blocks(text.split("\n"))
    top = {id(block) for block in blocks}
    return sorted(
        (block.start, block.end, block.kind, block.level, block.kind == "heading" and id(block) in top)
        for block in walk(blocks)
        if block.kind in ("heading", "fence", "table")
    )


def reference_structure(text: str) -> list[Found]:
    """The same as markdown-it-py reads it."""
    lines = text.split("\n")
    reader = MarkdownIt("commonmark").enable("table")
    reader.core.ruler.enableOnly(["normalize", "block"])
    found: list[Found] = []
    for token in reader.parse(text):
        if token.map is None or token.type not in ("heading_open", "fence", "table_open"):
            continue
        start, end = token.map
        while end > start and not lines[end - 1].strip(" >"):
            end -= 1
        level = int(token.tag[1]) if token.type == "heading_open" else 0
        found.append((start, end, token.type.split("_")[0], level, level > 0 and token.level == 0))
    return sorted(found)


@pytest.mark.parametrize("case", read("blocks.md"), ids=lambda case: case.title)
def test_golden_blocks(case: Case) -> None:
    assert render_blocks(case.source) == case.expected


@given(COMMONMARK_PAGES)
def test_headings_fences_and_tables_are_those_of_markdown_it(text: str) -> None:
    assert structure(text) == reference_structure(text)


@pytest.mark.shared
@pytest.mark.skipif(not CORPORA.exists(), reason="the shared corpora are not here")
def test_real_pages_read_as_markdown_it_reads_them() -> None:
    for path in sorted(CORPORA.rglob("*.md"))[::12]:
        text = path.read_text(encoding="utf-8-sig")
        assert structure(text) == reference_structure(text), path


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


def test_containers_nest_to_a_limit() -> None:
    block = parse_blocks([">" * 5000 + " x"])[0]
    depth = 1
    while block.children:
        block, depth = block.children[0], depth + 1
    assert depth == MAX_NESTING + 1


@pytest.mark.parametrize("line", ["<A x={", "import {", "{/*", "$$", "<A b='"])
def test_failed_searches_together_read_no_more_than_four_times_the_page(line: str) -> None:
    reads = 0

    class Counted(list[str]):
        def __getitem__(self, at):  # type: ignore[no-untyped-def]
            nonlocal reads
            reads += 1
            return super().__getitem__(at)

    lines = Counted([line] * 2000)
    lookahead = Lookahead(lines)
    for number in range(2000):
        lookahead.block_at(number)
    assert reads <= 6 * 2000 + 100

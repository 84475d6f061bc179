"""Chunks of pages that break other splitters, each with the right behaviour."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from ingestion.chunking.splitter import Slice, split_markdown
from ingestion.markdown.blocks import walk
from ingestion.markdown.linter import lint_page
from ingestion.markdown.parser import parse_blocks
from ingestion.markdown.shown import shown_text
from ingestion.markdown.syntax import ANY_MDX
from ingestion.tokens import count_tokens
from tests.support.golden_files import Case, read, render_chunks

WORDS = "The robot walks over the floor and counts its steps. "


def body(path: Path) -> str:
    """A case's text as the parser hands it on: no mark, no front matter."""
    text = path.read_text(encoding="utf-8-sig")
    return text.split("\n---\n", 1)[1] if text.startswith("---\n") else text


def texts(source: str, **limits: int) -> list[str]:
    return [piece.text for piece in split_markdown(source, **limits)]


def new_chunks(before: str, after: str) -> int:
    """How many chunks of `after` have to be embedded if those of `before` are known."""
    known = {(piece.heading_path, piece.embed_body) for piece in split_markdown(before)}
    return sum((piece.heading_path, piece.embed_body) not in known for piece in split_markdown(after))


def assert_whole(pieces: list[Slice], source: str) -> None:
    """The source parts are slices, in order, with only white space between them."""
    edge = 0
    for piece in pieces:
        assert not source[edge : piece.start].strip()
        assert piece.text[piece.repeated_before :].startswith(source[piece.start : piece.end])
        edge = piece.end
    assert not source[edge:].strip()


@pytest.mark.parametrize("case", read("chunks.md"), ids=lambda case: case.title)
def test_golden_chunks(case: Case) -> None:
    assert render_chunks(case.source) == case.expected


@pytest.mark.parametrize("source", ["", "\n\n", "  \n\t\n"])
def test_a_blank_page_has_no_chunk(source: str) -> None:
    assert split_markdown(source) == []


# The named cases


def test_c03_an_edit_of_a_page_with_headings_changes_two_chunks_at_most(cases: Path) -> None:
    before, after, typo = (body(cases / "c03" / f"{name}.md") for name in ("before", "after", "after-typo-in-step-4"))
    assert 1 <= new_chunks(before, after) <= 2
    assert 1 <= new_chunks(after, typo) <= 2


def test_c03_boundaries_of_a_flat_page_settle_after_an_edit(cases: Path) -> None:
    before, after = (body(cases / "c03" / f"flat-no-headings-{name}.md") for name in ("before", "after"))
    assert 1 <= new_chunks(before, after) <= 2 < len(split_markdown(after))


def test_c13_each_chunk_has_whole_fences(cases: Path) -> None:
    source = body(cases / "c13" / "fences.md")
    for piece in split_markdown(source, target=40, limit=60):
        assert all(block.closed for block in walk(parse_blocks(piece.text.split("\n"))))
    assert_whole(split_markdown(source, target=40, limit=60), source)


def test_c13_broken_fences_lose_no_text_and_are_told(cases: Path) -> None:
    for name, line in (("never-closed", 5), ("same-length-nesting", 11)):
        source = body(cases / "c13" / f"{name}.md")
        assert_whole(split_markdown(source), source)
        assert (line, "unclosed-fence") in [(notice.line, notice.rule) for notice in lint_page(source).notices]


@pytest.mark.parametrize("name", ["blob", "cjk", "emoji", "urdu", "word"])
def test_c15_text_without_boundaries_is_cut_under_the_limit(cases: Path, name: str) -> None:
    source = body(cases / "c15" / f"{name}.md")
    pieces = split_markdown(source)
    embedded = count_tokens([piece.embed_body for piece in pieces])
    sizes = [max(tokens, piece.token_count / 2) for piece, tokens in zip(pieces, embedded, strict=True)]
    assert max(sizes) <= 512
    assert all(one + two > 380 for one, two in pairwise(sizes[:-1]))
    assert_whole(pieces, source)


def test_c15_emoji_stay_whole(cases: Path) -> None:
    for piece in split_markdown(body(cases / "c15" / "emoji.md"))[1:]:
        assert piece.text[0] in "👩🤖🇵"
        assert not piece.text.endswith(("\u200d", "👩", "🇵"))


def test_c15_data_uris_are_not_embedded(cases: Path) -> None:
    bodies = [piece.embed_body for piece in split_markdown(body(cases / "c15" / "blob.md"))]
    assert bodies[0].split() == ["#", "Picture", "x"]
    assert not any(bodies[1:-1])
    assert bodies[-1] == "Text after."


def test_c16_words_of_components_are_found_and_machinery_is_not(cases: Path) -> None:
    pieces = split_markdown(shown_text(body(cases / "c16" / "page.mdx"), ANY_MDX).text, syntax=ANY_MDX)
    embedded = "\n".join(piece.embed_body for piece in pieces)
    shown = "\n".join(piece.text for piece in pieces if piece.embed_body)
    for word in ("maple", "birch", "cedar", "aspen", "hazel", "rowan", "alder"):
        assert word in embedded
    for words in ("Import duties", "Export rules", "3 < 5", "<T>", "Hot parts", "Outer", "Important:"):
        assert words in embedded
    for word in ("@theme", "styles.css", "export const", "spruce", "larch"):
        assert word not in embedded
        assert word not in shown
    for word in ("willow", "groupId", "questions", "<Note>", ":::"):
        assert word not in embedded


def test_c19_control_marks_are_text(cases: Path) -> None:
    source = body(cases / "c19" / "special.md")
    (piece,) = split_markdown(source)
    assert piece.text == source.strip()
    assert "<|endoftext|>" in piece.embed_body
    assert "<|im_start|>" in piece.embed_body


# The known faults of other splitters (CHUNKING, "Known faults"), by their numbers; those of blocks are in test_blocks


@pytest.mark.parametrize("mark", ["```", "~~~", "````"])
def test_fault_1_2_17_a_comment_in_a_fence_begins_no_chunk(mark: str) -> None:
    source = f"# A\n\n{mark}\n" + "# comment\nx = 1\n" * 30 + f"{mark}\n"
    (piece,) = split_markdown(source)
    assert piece.heading_path == ("A",)


def test_fault_3_a_fence_in_a_list_is_no_section() -> None:
    (piece,) = split_markdown("* a\n\n    ```\n    # x\n    ```")
    assert piece.heading_path == ()


def test_fault_4_indentation_and_joiners_stay() -> None:
    source = "# A\n\n\tcode\n\u00a0text 👨‍👩‍👧‍👦"
    assert texts(source) == [source]


def test_fault_5_two_paragraphs_stay_two() -> None:
    assert texts("# A\n\none\n\ntwo") == ["# A\n\none\n\ntwo"]


def test_fault_6_nothing_is_lost_after_an_open_fence_a_rule_or_an_underline() -> None:
    for source in ("```\na\n\nb", "```x``` y\n\nb", "a\n\n---\n\nb", "A\n===\n\nb"):
        assert_whole(split_markdown(source), source)


def test_fault_7_carriage_returns_change_nothing() -> None:
    source = "# A\n\none\n\n```\n# no\n```\n\n## B\n\ntwo"
    plain, windows = split_markdown(source), split_markdown(source.replace("\n", "\r\n"))
    assert [piece.heading_path for piece in windows] == [piece.heading_path for piece in plain]
    assert [piece.anchor for piece in windows] == [piece.anchor for piece in plain]


def test_fault_8_levels_may_skip_and_fall() -> None:
    pieces = split_markdown("# A\n\n" + WORDS * 40 + "\n\n### C\n\n" + WORDS * 40 + "\n\n## B\n\n" + WORDS * 40)
    assert [piece.heading_path for piece in pieces] == [("A",), ("A", "C"), ("A", "B")]


def test_fault_10_the_opening_line_of_a_long_fence_is_not_alone() -> None:
    pieces = texts("```python\n" + "x = compute(1)\n" * 300 + "```")
    assert all(piece.startswith("```python\nx = ") and piece.endswith("\n```") for piece in pieces)


def test_fault_11_12_each_part_of_a_long_table_has_its_head_without_a_blank_line() -> None:
    head = "| name | value |\n|---|---|\n"
    pieces = texts(head + "| 5,120 | two |\n" * 200)
    assert all(piece.startswith(head + "| 5,120") for piece in pieces)


def test_fault_13_code_and_tables_are_in_a_chunk() -> None:
    (piece,) = texts("# A\n\n```\ncode\n```\n\n| a |\n|---|\n| b |")
    assert "code" in piece
    assert "| b |" in piece


def test_fault_15_no_chunk_ends_with_the_next_heading() -> None:
    pieces = texts("\n\n".join(f"# H{number}\n\n{WORDS * 20}" for number in range(9)))
    assert not any(piece.split("\n")[-1].startswith("#") for piece in pieces)


def test_fault_16_an_underlined_title_is_a_heading() -> None:
    assert split_markdown("Title\n=====\n\ntext")[0].section_title == "Title"


@pytest.mark.parametrize("container", ["- ", "> ", "1. "])
def test_fault_19_a_fence_in_a_container_is_balanced(container: str) -> None:
    inner = "```sh\n" + "run --now\n" * 400 + "```"
    indent = container if container == "> " else " " * len(container)
    source = container + inner.replace("\n", "\n" + indent)
    pieces = split_markdown(source)
    assert len(pieces) > 2
    for piece in pieces:
        assert [block.closed for block in walk(parse_blocks(piece.text.split("\n"))) if block.kind == "fence"] == [
            True
        ]


def test_fault_20_one_unbroken_token_ends() -> None:
    assert sum(len(text) for text in texts("a" * 20_000)) == 20_000


def test_fault_21_the_path_is_a_list() -> None:
    assert split_markdown("# A/B\n\n## 24/7\n\ntext")[0].heading_path == ("A/B", "24/7")


def test_fault_22_a_page_of_headings_is_a_chunk() -> None:
    assert texts("# A\n\n## B") == ["# A\n\n## B"]


def test_fault_23_numbers_stay_whole() -> None:
    row = "| " + " | ".join(["5,120"] * 60) + " |\n"
    pieces = split_markdown("| h |" + " h |" * 59 + "\n|" + "---|" * 60 + "\n" + row * 20)
    assert all(line.count("5,120") in (0, 60) for piece in pieces for line in piece.text.split("\n"))


def test_fault_9_24_no_text_is_counted_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = 0

    def count(parts: list[str], encoding: str = "cl100k_base") -> list[int]:
        nonlocal counted
        counted += sum(map(len, parts))
        return count_tokens(parts, encoding)

    for module in ("splitter", "sizes", "oversize"):
        monkeypatch.setattr(f"ingestion.chunking.{module}.count_tokens", count)
    for source in ("# A\n\n" + (WORDS * 5 + "\n\n") * 500, "```\n" + "x = 1\n" * 20_000 + "```", WORDS * 3000):
        counted = 0
        split_markdown(source)
        assert counted <= 6 * len(source)


# Rules of our own


def test_a_block_that_fits_is_never_cut() -> None:
    fence = "```py\n" + "x = compute(1)\n" * 80 + "```"
    assert 400 < count_tokens([fence])[0] <= 512
    pieces = texts(WORDS * 30 + "\n\n" + fence + "\n\n" + WORDS * 30)
    assert fence in pieces


def test_a_heading_may_cost_a_block_its_room_but_is_not_left_alone() -> None:
    fence = "```py\n" + "x = compute(1)\n" * 84 + "```"
    assert 500 < count_tokens([fence])[0] <= 512
    pieces = split_markdown("# A heading with a dozen words that needs room of its own here\n\n" + fence)
    assert len(pieces) == 2
    assert "compute" in pieces[0].text
    assert max(piece.token_count for piece in pieces) <= 512


def test_an_introducing_line_stays_with_what_it_introduces() -> None:
    fence = "```py\n" + "x = compute(1)\n" * 72 + "```"
    pieces = texts(WORDS * 20 + "\n\nRun this:\n\n" + fence)
    assert pieces[-1].startswith("Run this:")


def test_a_listing_stays_with_the_sentence_before_it_with_or_without_a_colon() -> None:
    fence = "```py\n" + "x = compute(1)\n" * 60 + "```"
    for announced in ("Run this:", "Listing 4 runs it.", "This is what it looks like"):
        pieces = texts(f"{WORDS * 20}\n\n{announced}\n\n{fence}\n\n{WORDS * 20}")
        assert any(piece.startswith(announced) and piece.endswith("```") for piece in pieces)


def test_tags_and_padding_take_no_room_in_a_chunk() -> None:
    """A row of 8 words that the page shows took as much room as its address and its padding."""
    row = '| <span class="field-name mono">[`rate_{0}`](https://example.org/api/v1/#rate_{0})</span> {1}| seconds |\n'
    rows = "".join(row.format(number, " " * 90) for number in range(60))
    pieces = split_markdown(f"| name {' ' * 90}| unit |\n|{'-' * 98}|------|\n{rows}")
    assert max(count_tokens([piece.embed_body for piece in pieces])) <= 512
    assert max(piece.token_count for piece in pieces) <= 1024
    assert min(piece.text.count("\n| <span") for piece in pieces[:-1]) >= 15
    assert all(piece.embed_body.startswith("| name | unit |\n| `rate_") for piece in pieces)


def test_a_section_of_links_alone_is_a_chunk_of_its_own() -> None:
    links = "## See also\n\n- [Quality of service](qos.md)\n- [Nodes](<nodes.md> 'n') and [topics][t]\n\n"
    source = f"# Timers\n\n{WORDS * 4}\n\n{links}## Drift\n\n{WORDS * 4}\n\n[t]: topics.md\n"
    pieces = split_markdown(source)
    assert [piece.is_navigation for piece in pieces] == [False, True, False]
    assert pieces[1].section_title == "See also"


@pytest.mark.parametrize(
    "section",
    [
        "[Directed Acyclic Graph](https://example.org/dag).",
        "- [Nodes](nodes.md) take part in a graph of the robot.\n- [Topics](topics.md) carry what they say.",
        "![The graph](graph.png)",
        "```\n- [Nodes](nodes.md)\n- [Topics](topics.md)\n```",
    ],
)
def test_a_section_that_says_something_is_no_list_of_links(section: str) -> None:
    assert not any(piece.is_navigation for piece in split_markdown(f"## DAG\n\n{section}\n"))


def test_a_whole_section_up_to_the_limit_is_one_chunk() -> None:
    section = "## A\n\n" + (WORDS * 9 + "\n\n") * 5
    assert 456 < count_tokens([section])[0] <= 511
    assert len(texts(section + "## B\n\n" + WORDS * 30)) == 2


def test_sections_of_different_parents_do_not_mix() -> None:
    source = "# A\n\n## A1\n\n" + WORDS * 40 + "\n\n## A2\n\n" + WORDS * 8 + "\n\n# B\n\n## B1\n\n" + WORDS * 8
    assert [piece.heading_path[0] for piece in split_markdown(source)][-1] == "B"
    assert not any("## A2" in text and "# B" in text for text in texts(source))


def test_the_section_of_a_chunk_is_the_one_that_holds_all_of_it() -> None:
    (piece,) = split_markdown("# T\n\n## A\n\none\n\n## B\n\ntwo")
    assert (piece.heading_path, piece.anchor) == (("T",), "t")


def test_lines_are_those_of_the_source_slice() -> None:
    pieces = split_markdown("\n\n# A\n\n" + WORDS * 40 + "\n\n\n## B\n\n" + WORDS * 40 + "\n\n")
    assert [(piece.line_start, piece.line_end) for piece in pieces] == [(3, 5), (8, 10)]


def test_limits_are_settings() -> None:
    pieces = split_markdown((WORDS * 3 + "\n\n") * 40, target=100, limit=128)
    assert max(piece.token_count for piece in pieces) <= 128
    assert len(pieces) >= 10

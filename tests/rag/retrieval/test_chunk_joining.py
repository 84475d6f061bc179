"""Neighbouring chunks read as one passage."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.chunking.splitter import split_markdown
from rag.retrieval.chunk_joining import join_chunks


def chunks_of(text: str, target: int = 60, limit: int = 80) -> list[dict[str, Any]]:
    return [
        {
            "text": each.text,
            "line_start": each.line_start,
            "line_end": each.line_end,
            "repeated": (
                each.text[: each.repeated_before].count("\n"),
                each.text[len(each.text) - each.repeated_after :].count("\n") if each.repeated_after else 0,
            ),
        }
        for each in split_markdown(text, target=target, limit=limit)
    ]


def without_blank_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


CODE = "\n".join(f"value_{number} = compute({number}, scale=0.5)" for number in range(40))
ROWS = "\n".join(f"| part {number} | weighs {number} grams |" for number in range(40))
PROSE = " ".join(f"Sentence number {number} tells of a gear." for number in range(60))


@pytest.mark.parametrize(
    "body",
    [
        f"```python\n{CODE}\n```",
        f"> ~~~\n> {CODE.replace(chr(10), chr(10) + '> ')}\n> ~~~",
        f"| part | weight |\n| --- | --- |\n{ROWS}",
        PROSE,
        "\n\n".join(f"Paragraph {number} says little about levers and gears." for number in range(30)),
        "```\nfirst\n```\n```\nsecond\n```\n\n" + PROSE,
        "齿轮转动。" * 120,
    ],
    ids=["fence", "quoted fence", "table", "sentences", "paragraphs", "two fences", "unspaced"],
)
def test_the_chunks_of_a_page_give_the_page_back(body: str) -> None:
    page = f"# Title\n\n{body}\n\nThe end of the page.\n"
    chunks = chunks_of(page)
    assert len(chunks) > 2
    text, lines = join_chunks(chunks)
    assert without_blank_lines(text) == without_blank_lines(page)
    in_page = page.split("\n")
    for shown, line in zip(text.split("\n"), lines, strict=True):
        assert not shown or in_page[line - 1].startswith(shown[:20])


def test_one_chunk_is_itself() -> None:
    assert join_chunks([{"text": "alone", "line_start": 1, "line_end": 1}]) == ("alone", (1,))


@given(
    st.lists(st.sampled_from(["# A", "text " * 30, "```\ncode\n" * 1 + "x = 1\n" * 20 + "```", "- item"]), max_size=8)
)
def test_no_line_is_lost_or_shown_twice(blocks: list[str]) -> None:
    page = "\n\n".join([*blocks, "A last paragraph that always stands here."])
    assert "".join(join_chunks(chunks_of(page)).text.split()) == "".join(page.split())

"""The state that our reader of pages starts from, against the one of markdown-it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lines import PageState

READER = MarkdownIt("commonmark")
FIELDS = ("src", "bMarks", "eMarks", "tShift", "sCount", "bsCount", "line", "lineMax")


def numbers(state: StateBlock) -> list[object]:
    return [getattr(state, name) for name in FIELDS]


@given(st.text(alphabet=" \t\na#\u00a0\u2028\v\r\f", max_size=30))
@pytest.mark.parametrize("start", ["", "text\n\n", "\t - a\n"])
def test_lines_have_the_numbers_that_markdown_it_gives_them(start: str, text: str) -> None:
    page = "\n".join("" if line.isspace() else line for line in (start + text).split("\n"))
    assert numbers(PageState(page, READER, {}, [])) == numbers(StateBlock(page, READER, {}, []))

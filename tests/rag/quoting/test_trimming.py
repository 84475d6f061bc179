"""Quotes of prose: what matters of them, with the lines it stands in."""

from __future__ import annotations

from dataclasses import replace

from rag.grounding.passage_blocks import PassageBlock, blocks_of
from rag.grounding.sentences import sentence_spans
from rag.quoting.quotes import part_of, untold
from tests.support.passages import excerpt, passage

PROSE = "A pump runs.\nIt is loud. The valve\nopens at noon. The end is near."


def block(text: str = PROSE) -> PassageBlock:
    [made] = blocks_of(passage(f"# Title\n\n{text}", line_start=11, line_end=15))
    return made


def test_a_part_has_the_lines_that_it_stands_in() -> None:
    whole = block()
    assert (whole.line_start, whole.line_end) == (13, 15)
    spans = sentence_spans(whole.text)
    part = part_of(whole, spans[2:3])
    assert (part.text, part.line_start, part.line_end) == ("The valve\nopens at noon.", 14, 15)


def test_of_prose_the_sentences_in_a_row_that_were_not_told_are_left() -> None:
    whole = block()
    assert [part.text for part in untold(whole, "It is loud.")] == [
        "A pump runs.",
        "The valve\nopens at noon. The end is near.",
    ]
    assert untold(whole, PROSE) == [] and untold(whole, "") == [whole]


def test_anything_but_prose_is_told_whole_or_not_at_all() -> None:
    listed = replace(block("- one\n- two"), kind="list")
    assert untold(listed, "- one") == [listed] and untold(listed, "x\n- one\n- two\n[1]") == []


def test_what_was_told_is_not_quoted_again() -> None:
    first = excerpt("late subscribers last message", passage())
    again = excerpt("late subscribers last message", passage(), told=f"{first.text}\n[1]")
    assert not any(block.text in first.text for block in again.blocks)

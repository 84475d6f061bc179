"""What holds for the chunks of any page."""

from __future__ import annotations

import random

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ingestion.chunking.splitter import split_markdown
from ingestion.markdown.blocks import walk
from ingestion.markdown.linter import lint_page
from ingestion.markdown.parser import parse_blocks
from ingestion.tokens import count_tokens
from tests.support.nasty_markdown import PAGES

LIMITS = st.sampled_from([(400, 512), (60, 80), (512, 512), (20, 30)])
SENTENCE = "Step {} says that item {} of the list is checked before item {}."


@given(PAGES, LIMITS)
def test_nothing_is_lost_and_every_slice_is_exact(text: str, limits: tuple[int, int]) -> None:
    edge = 0
    for piece in split_markdown(text, target=limits[0], limit=limits[1]):
        assert not text[edge : piece.start].strip()
        stored = piece.text[piece.repeated_before : len(piece.text) - piece.repeated_after]
        assert stored == text[piece.start : piece.end]
        assert piece.line_start == text.count("\n", 0, piece.start) + 1
        assert piece.line_end == text.count("\n", 0, piece.end) + 1
        edge = piece.end
    assert not text[edge:].strip()


@given(PAGES, LIMITS)
def test_counts_are_exact_and_limits_hold(text: str, limits: tuple[int, int]) -> None:
    pieces = split_markdown(text, target=limits[0], limit=limits[1])
    assert [piece.token_count for piece in pieces] == count_tokens([piece.text for piece in pieces])
    embedded = count_tokens([piece.embed_body for piece in pieces])
    for piece, tokens in zip(pieces, embedded, strict=True):
        if tokens > limits[1] or piece.token_count > 2 * limits[1]:
            assert len(regex.findall(r"\X", text[piece.start : piece.end].strip())) == 1


@given(PAGES, LIMITS)
def test_fences_are_balanced_in_every_chunk(text: str, limits: tuple[int, int]) -> None:
    if any(block.kind == "fence" and not block.closed for block in walk(parse_blocks(text.split("\n")))):
        return
    for piece in split_markdown(text, target=limits[0], limit=limits[1]):
        assert all(block.closed for block in parse_blocks(piece.text.split("\n")) if block.kind == "fence")


@given(PAGES)
def test_a_block_at_the_top_that_fits_is_whole_in_a_chunk(text: str) -> None:
    lines = text.split("\n")
    pieces = [piece.text for piece in split_markdown(text)]
    for block in parse_blocks(lines):
        source = "\n".join(lines[block.start : block.end]).rstrip()
        if block.kind not in ("list", "heading") and count_tokens([source])[0] <= 400:
            assert any(source in piece for piece in pieces)


@given(PAGES)
def test_the_same_page_gives_the_same_chunks(text: str) -> None:
    assert split_markdown(text) == split_markdown(text)


@given(PAGES)
def test_blank_lines_around_a_page_change_no_chunk(text: str) -> None:
    assert [piece.text for piece in split_markdown(f"\n\n{text}")] == [piece.text for piece in split_markdown(text)]


@given(PAGES)
def test_notices_come_in_order_with_lines_of_the_page(text: str) -> None:
    lines = [notice.line for notice in lint_page(text).notices]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


def page(seed: int, headings: bool) -> list[str]:
    """Paragraphs of one to nine sentences; with headings, one before every first to fifth."""
    chance = random.Random(seed)
    parts: list[str] = []
    for number in range(60):
        if headings and chance.random() < 0.5:
            parts.append(f"{'#' * chance.randint(2, 3)} Section {number}")
        parts.append(" ".join(SENTENCE.format(number, at, at + 1) for at in range(chance.randint(1, 9))))
    return parts


def count_new_chunks(seed: int, headings: bool) -> int:
    """How many chunks an edit at random leaves to embed, the edited text among them."""
    chance = random.Random(seed)
    parts = page(seed % 40, headings)
    at = chance.choice([place for place, part in enumerate(parts) if not part.startswith("#")])
    known = {piece.text for piece in split_markdown("\n\n".join(parts))}
    words = " ".join(f"New words number {number} of the edit." for number in range(chance.randint(1, 9)))
    edit = chance.choice(["word", "sentence", "replace", "insert", "remove"])
    edited = {"word": [parts[at].replace("list", "lists")], "sentence": [f"{parts[at]} And one more."], "remove": []}
    parts[at : at + (edit != "insert")] = edited.get(edit, [words])
    return sum(piece.text not in known for piece in split_markdown("\n\n".join(parts)))


@pytest.mark.parametrize(("headings", "share_up_to_two", "most"), [(True, 0.99, 3), (False, 0.9, 5)])
def test_an_edit_of_one_paragraph_changes_few_chunks(headings: bool, share_up_to_two: float, most: int) -> None:
    """The bound that is documented: two chunks on a page with headings, a few more where sections have none."""
    changed = [count_new_chunks(seed, headings) for seed in range(250)]
    assert sum(count <= 2 for count in changed) >= share_up_to_two * len(changed)
    assert max(changed) <= most

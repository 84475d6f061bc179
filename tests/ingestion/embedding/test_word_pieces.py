"""The word pieces of the built-in model are those of its published tokenizer, whatever the text is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.embedding import minilm
from ingestion.embedding.minilm import word_pieces
from ingestion.embedding.minilm.word_pieces import UNKNOWN, WordPieces, read_vocabulary
from tests.support.paths import ROOT

FOLDER = Path(minilm.__file__).parent
PIECES = WordPieces(FOLDER)
SURROGATES = range(0xD800, 0xE000)


@cache
def published() -> word_pieces.WordPieces:
    """The published tokenizer, read by the library that it was published for."""
    tokenizers = pytest.importorskip("tokenizers", reason="the extra bookwise[onnx] is not installed")
    tokenizer = tokenizers.Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # "[SEP]" in a lesson is text, not a mark

    class Published(WordPieces):
        def __init__(self) -> None: ...

        def numbers(self, text: str) -> list[int]:
            numbers: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
            return numbers

    return Published()


KNOWN = sorted(piece.removeprefix("##") for piece in read_vocabulary(FOLDER))
TEXTS = st.lists(
    st.one_of(st.sampled_from(KNOWN), st.text(st.characters(exclude_categories=["Cs"])), st.text(" \t\nAbß[]#'-é")),
    max_size=30,
)


@given(TEXTS, st.sampled_from(["", " "]))
def test_any_text_is_cut_as_the_published_tokenizer_does(words: list[str], between: str) -> None:
    text = between.join(words)
    assert PIECES.numbers(text) == published().numbers(text)


def test_every_character_is_read_as_the_published_tokenizer_does() -> None:
    codes = [code for code in (*range(0x10000), *range(0x10000, 0x110000, 53)) if code not in SURROGATES]
    bounds = PIECES._characters._left_out + PIECES._characters._alone
    codes += [near for bound in bounds for near in (max(0, bound - 1), bound) if near not in SURROGATES]
    text = "\n".join(f"a{chr(code)}b {chr(code)}" for code in codes)
    assert PIECES.numbers(text) == published().numbers(text)


def test_pages_are_cut_as_the_published_tokenizer_does() -> None:
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
    assert [PIECES.numbers(page) for page in pages] == [published().numbers(page) for page in pages]


def test_a_word_of_more_than_a_hundred_characters_is_unknown() -> None:
    assert PIECES.numbers("a" * 100) == published().numbers("a" * 100) != [UNKNOWN]
    assert (
        PIECES.numbers("a" * 101 + " b") == published().numbers("a" * 101 + " b") == [UNKNOWN, *PIECES.numbers("b")]
    )


def test_a_run_of_accents_takes_no_quadratic_time() -> None:
    """Put in order by Python as one text, this run takes an hour: the test would end by its timeout."""
    assert PIECES.numbers("a" + "\u0301\u0316" * 1_000_000) == PIECES.numbers("a")


def test_words_that_never_come_again_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_pieces, "_WORDS_KEPT", 10)
    pieces = WordPieces(FOLDER)
    text = " ".join(f"word{number}" for number in range(95))
    assert pieces.numbers(text) == PIECES.numbers(text)
    assert len(pieces._words) <= 10

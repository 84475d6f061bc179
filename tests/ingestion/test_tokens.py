"""Token counts are exact, offline, and the same with either tokenizer."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toktok import truncate
from typer.testing import CliRunner

from cli import app
from ingestion import token_table
from ingestion.errors import ConfigurationError
from ingestion.token_table import TokenTable
from ingestion.tokens import choose_tokenizer, count_tokens, require_tokenizer
from scripts.token_table import table

TEXTS = [
    "",
    "hello world",
    "  indented\n\n\ttabs  \r\n",
    "<|endoftext|> and <|im_start|>",
    "روبوٹ 机器人 ロボット 👩‍🚀🇵🇰 e\u0301 \u200b\ufeff",
    "1234567 3.14 don't We'LL x_y-z",
    'print("x")\n```\n| a | b |\n',
    "a\ud800b",
    "\x00\x1f\u2028\u0085",
]


def reference(encoding: str) -> Any:
    """tiktoken's own ranks, if this machine has them: the test must not download anything."""
    tiktoken = pytest.importorskip("tiktoken")
    load = pytest.importorskip("tiktoken.load")

    def refuse(*_: object) -> bytes:
        raise OSError("no download in tests")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "read_file", refuse)
        try:
            return tiktoken.get_encoding(encoding)
        except OSError:
            pytest.skip(f"the ranks of {encoding} are not cached here")


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_counts_equal_those_of_tiktoken(encoding: str) -> None:
    ranks = reference(encoding)
    assert count_tokens(TEXTS, encoding) == [len(ranks.encode_ordinary(text)) for text in TEXTS]


def test_counts_stay_what_tiktoken_gave() -> None:
    assert count_tokens(TEXTS) == [0, 2, 7, 13, 31, 15, 11, 3, 6]
    assert count_tokens(["hello world", "你好"], "o200k_base") == [2, 1]


def test_special_tokens_count_as_plain_text() -> None:
    assert count_tokens(["<|endoftext|>"])[0] > 1


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    assert count_tokens(["a\ud800b", "good"]) == count_tokens(["a\ufffdb", "good"])


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="p99k"):
        count_tokens(["x"], "p99k")


@pytest.fixture
def chosen() -> Iterator[None]:
    """Whatever a test chooses, toktok counts after it."""
    yield
    choose_tokenizer("toktok")


def test_an_unknown_tokenizer_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="invalid tokenizer 'guess': choose toktok or tiktoken"):
        choose_tokenizer("guess")


@pytest.mark.usefixtures("chosen")
def test_tiktoken_counts_if_it_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ranks:
        def encode_ordinary(self, text: str) -> list[str]:
            return text.split()

    tiktoken = pytest.importorskip("tiktoken")
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: Ranks())
    choose_tokenizer("tiktoken")
    require_tokenizer()
    assert count_tokens(["one two three"]) == [3]


@pytest.mark.usefixtures("chosen")
def test_without_its_ranks_tiktoken_fails_before_any_lesson_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ConnectionError("offline")

    tiktoken = pytest.importorskip("tiktoken")
    monkeypatch.setattr(tiktoken, "get_encoding", fail)
    monkeypatch.setenv("BOOKWISE_TOKENIZER", "tiktoken")
    Path("docs").mkdir()
    for name in ("a", "b"):
        Path(f"docs/{name}.md").write_text(f"# {name}\n\nText of the page.\n")
    failed = CliRunner().invoke(app, ["ingest"])
    assert failed.exit_code == 4 and len(failed.stderr.splitlines()) == 1 and "TIKTOKEN_CACHE_DIR" in failed.stderr
    assert not Path(".bookwise").exists() and CliRunner().invoke(app, ["crawl"]).exit_code == 0


KNOWN = "abcXYZéßÿ 'sSlLvVeErRdDmMtT0123456789 \n\r\t.,-_()[]{}<>|`*#\u00a0–…→│×€™≥✅🚀👩\u200d\ufe0f🏽±"


@pytest.fixture(scope="module")
def endless_table() -> TokenTable:
    """A table that counts as much as it is given."""
    table = TokenTable(token_table.PATH.read_bytes())
    table._characters = table._steps = -(1 << 60)
    return table


@given(st.text(KNOWN, max_size=60) | st.text(max_size=20))
def test_the_table_counts_as_the_counter_or_not_at_all(endless_table: TokenTable, text: str) -> None:
    counts = endless_table.count([text])
    assert counts is None or counts == [truncate(text, sys.maxsize, "cl100k_base")[1]]


@pytest.mark.parametrize("first", [0x0, 0xA0, 0x2000, 0x2100, 0x2300, 0x2500, 0x2700, 0xFE00, 0x1F300, 0x1FA00])
def test_the_table_knows_the_class_of_every_character_that_it_takes(endless_table: TokenTable, first: int) -> None:
    texts = [
        form.format(chr(code)) for code in range(first, first + 0x100) for form in ("a{0}b", " {0}{0} 1{0}\n", "{0}")
    ]
    taken = {text: counts[0] for text in texts if (counts := endless_table.count([text]))}
    assert taken == {text: truncate(text, sys.maxsize, "cl100k_base")[1] for text in taken}
    assert first not in (0x0, 0xA0, 0x2100, 0x2500, 0x1F300) or len(taken) > 100


def test_the_table_counts_real_pages_as_the_counter(endless_table: TokenTable) -> None:
    texts = [file.read_text(encoding="utf-8") for file in (Path(__file__).parents[2] / "docs").rglob("*.md")]
    counted = {text: counts[0] for text in texts if (counts := endless_table.count([text]))}
    assert counted == {text: truncate(text, sys.maxsize, "cl100k_base")[1] for text in counted}
    assert len(counted) > 20


@pytest.mark.parametrize("text", ["机器人", "روبوٹ", "²", "Ⅷ", "\x0b", "a\ud800", "xq" * 5000, "\u2028"])
def test_what_the_table_does_not_know_it_leaves_to_the_counter(text: str) -> None:
    assert TokenTable(token_table.PATH.read_bytes()).count(["plain", text]) is None


def test_the_table_holds_every_token_of_the_vocabulary() -> None:
    assert table() == token_table.PATH.read_bytes()


def test_after_so_many_characters_the_counter_counts() -> None:
    small = TokenTable(token_table.PATH.read_bytes())
    assert small.count(["a b " * 248_000]) == [496_001]
    assert small.count(["a b " * 2_000]) == [4_001]
    assert small.count(["a b " * 2_000]) is None and small.count(["a"]) is None


def test_words_that_take_long_are_left_to_the_counter() -> None:
    began = time.process_time()
    assert TokenTable(token_table.PATH.read_bytes()).count(["".join(map(chr, range(97, 123))) * 10_000]) is None
    assert time.process_time() - began < 1


def test_few_texts_are_counted_without_a_vocabulary() -> None:
    program = (
        "import sys; from ingestion.tokens import count_tokens; "
        "print(count_tokens(['hello world']), 'toktok' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told == "[2] False\n"


def test_the_counter_counts_at_once_where_many_texts_are_expected() -> None:
    program = (
        "import sys; from ingestion.tokens import count_tokens, expect_many_texts; expect_many_texts(); "
        "print('toktok' in sys.modules, count_tokens(['hello world']))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told == "True [2]\n"


def test_without_its_table_the_counter_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(token_table, "PATH", tmp_path / "missing")
    token_table.token_table.cache_clear()
    try:
        assert token_table.token_table() is None and count_tokens(["hello world"]) == [2]
    finally:
        token_table.token_table.cache_clear()

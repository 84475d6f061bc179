"""Token counts are exact, offline, and the same with either tokenizer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bookwise.command_line import app
from ingestion.errors import ConfigurationError
from ingestion.tokens import choose_tokenizer, count_tokens, require_tokenizer

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

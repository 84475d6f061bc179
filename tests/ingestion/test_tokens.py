"""Token counts are exact, offline, and the same with either tokenizer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import toktok
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from bookwise.command_line import app
from ingestion import tokens
from ingestion.errors import ConfigurationError
from ingestion.tokens import choose_tokenizer, count_tokens, require_tokenizer
from ingestion.tokens.ranks import Ranks
from tests.support.paths import ROOT

BOOKS = ROOT / "examples"

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


def cached_ranks() -> Path:
    """The ranks that a package of the tests brings along."""
    found = find_spec("llama_index.core")
    if found is None or found.origin is None:
        pytest.skip("llama-index-core is not installed")
    return Path(found.origin).parent / "_static" / "tiktoken_cache"


@pytest.fixture
def auto(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The choice `auto` in a run that is neither small nor large; returns what encodings tiktoken was asked for."""
    tiktoken = pytest.importorskip("tiktoken")
    asked: list[str] = []
    monkeypatch.setattr(tokens, "_tokenizer", "auto")
    monkeypatch.setattr(tokens, "_expected", tokens.LARGE_CHARACTERS)
    original = tiktoken.get_encoding
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: asked.append(name) or original(name))
    return asked


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_tiktoken_counts_where_its_ranks_are_cached_and_counts_the_same(
    auto: list[str], encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cached_ranks()))
    by_tiktoken = count_tokens(TEXTS, encoding)
    assert auto == [encoding]
    monkeypatch.setattr(tokens, "_tokenizer", "toktok")
    assert count_tokens(TEXTS, encoding) == by_tiktoken and auto == [encoding]


@pytest.mark.parametrize("found", ["nothing", "half of them", "no folder"])
def test_without_whole_ranks_in_the_cache_toktok_counts_and_nothing_is_downloaded(
    auto: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "" if found == "no folder" else str(tmp_path))
    ranks = tmp_path / tokens.RANKS["cl100k_base"][0]
    if found == "half of them":
        ranks.write_bytes(b"IQ== 0\n")
    assert count_tokens(["hello world"]) == [2]
    assert auto == [] and ranks.exists() == (found == "half of them")


def test_in_a_large_run_toktok_counts(auto: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cached_ranks()))
    tokens.expect_characters(tokens.LARGE_CHARACTERS + 1)
    assert count_tokens(["hello world"]) == [2] and auto == []
    tokens.expect_characters(tokens.LARGE_CHARACTERS)
    assert count_tokens(["hello world"]) == [2] and auto == ["cl100k_base"]


@pytest.fixture
def few() -> Iterator[Ranks]:
    """The table of ranks, in a run that reads a few pages."""
    choose_tokenizer("auto")
    tokens.expect_characters(tokens.FEW_CHARACTERS)
    yield Ranks()
    tokens.expect_characters(0)


@given(
    text=st.one_of(
        st.text(max_size=300), st.text(alphabet="aEtsS'\u017f _-.#|1½²٣中\u00a0\r\n\t\x1c\x85é🙂ा", max_size=60)
    )
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_words_that_are_looked_up_count_as_the_whole_vocabulary_does(few: Ranks, text: str) -> None:
    count = few.count(text)
    assert count in (None, toktok.truncate(text, sys.maxsize)[1])
    assert count_tokens([text]) == [toktok.truncate(text, sys.maxsize)[1]]


@pytest.mark.parametrize("file", sorted(BOOKS.rglob("*.md")), ids=lambda file: file.name)
def test_pages_that_are_looked_up_count_as_the_whole_vocabulary_does(few: Ranks, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert few.count(text) == toktok.truncate(text, sys.maxsize)[1]


def test_every_token_has_its_rank(few: Ranks) -> None:
    values = list(toktok._encoding("cl100k_base").token_byte_values())
    assert len(values) == 100_256
    assert all(few.rank(values[rank]) == rank for rank in range(0, len(values), 7))
    assert few.rank(b"") is None and few.rank(b"x" * 500) is None and few.rank(b"\xff\xff\xff") is None


@pytest.mark.parametrize("text", ["x" * 201, "a\ud800b", "\U0002fffd"])
def test_what_a_lookup_cannot_count_is_left_to_the_vocabulary(few: Ranks, text: str) -> None:
    assert few.count(text) is None
    plain = text.replace("\ud800", "\ufffd")
    assert count_tokens([text]) == [toktok.truncate(plain, sys.maxsize)[1]]


def test_an_edit_of_a_few_pages_builds_no_vocabulary() -> None:
    script = (
        "import sys; from ingestion.tokens import count_tokens, expect_characters; expect_characters(5000)\n"
        "print(count_tokens(['hello wonderful world']), {'toktok', 'tiktoken', 'regex'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[3] set()\n"


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
    """Whatever a test chooses, the default counts after it."""
    yield
    choose_tokenizer("auto")


def test_an_unknown_tokenizer_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="invalid tokenizer 'guess': choose auto, toktok or tiktoken"):
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

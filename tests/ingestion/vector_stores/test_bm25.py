"""The terms of documents and questions meet, in every script."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.errors import ConfigurationError
from ingestion.vector_stores.bm25 import (
    AVERAGE_LENGTH,
    MOST_WEIGHT,
    STEMMERS,
    document_vector,
    query_vector,
    stemmer_of,
)
from ingestion.vector_stores.validation import validate_points
from tests.support.paths import ROOT
from tests.support.vector_points import SCHEMA, make_point


def found(question: str, text: str, language: str | None = "english") -> int:
    """How many terms of the question the text holds."""
    return len(set(query_vector(question, language).indices) & set(document_vector(text, language).indices))


@pytest.mark.parametrize(
    ("question", "text", "terms"),
    [
        ("publishers", "A node publishes to a topic.", 1),
        ("What is the /cmd_vel topic?", "Velocity goes to `cmd_vel`.", 2),
        ("ROS 2", "ROS 2 Humble", 2),
        ("rclpy.create_node", "self.node = rclpy.create_node('x')", 3),
        ("NODES", "nodes", 1),
        ("naïve cafe\u0301", "Naïve café", 2),
        ("机器人", "机器人操作系统是一个灵活的框架。", 2),
        ("通信する", "ロボットはノードを使って通信します。", 1),
        ("ﾉｰﾄﾞ", "ロボットはノードを使って通信します。", 2),
        ("ＲＯＳ２", "ROS2 の話", 1),
        ("روبوٹ نظام", "روبوٹ کا نظام ایک لچکدار فریم ورک ہے۔", 2),
        ("می\u200cخواهم", "او میخواهم گفت", 1),
        ("میخواهم", "او می\u200cخواهم گفت", 1),
        ("\ufe8d\ufedf\ufee4", "الم", 1),
        ("الم", "\ufe8d\ufedf\ufee4", 1),
        ("หุ่นยนต์", "นี่คือหุ่นยนต์", 7),
        ("人", "人", 1),
    ],
)
def test_a_question_finds_the_text_that_holds_its_words(question: str, text: str, terms: int) -> None:
    assert found(question, text) == terms


def test_stop_words_and_punctuation_are_no_terms() -> None:
    assert document_vector("and the of!? --- …").indices == ()
    assert query_vector("").indices == ()


@pytest.mark.parametrize(
    ("question", "text", "terms"),
    [
        ("..=", "for i in 1..=5 {", 1),
        ("What does ::<> mean?", "let x = parse::<u32>();", 1),
        ("->", "fn f() -> u8", 1),
        ("What is the ? operator?", "The `?` operator returns early.", 2),
        ("the & sign", "`&` borrows", 1),
        ("a === b", "x === y", 1),
        ("??", "Really?? No -- never... --> <!-- -->", 0),
        ("https://example.org", "|---|:---| see a://b", 0),
    ],
)
def test_operators_of_code_are_words(question: str, text: str, terms: int) -> None:
    assert found(question, text) == terms


def test_a_frequent_operator_weighs_little_more_than_one() -> None:
    [once], [often] = document_vector("->").values, document_vector("-> " * 50).values
    assert once == pytest.approx(1.0) and once < often < MOST_WEIGHT


@pytest.mark.parametrize(
    ("language", "stemmer"),
    [("de", "german"), ("pt-BR", "portuguese"), ("es_MX", "spanish"), ("en", "english"), ("ur", "english")],
)
def test_pages_are_read_with_the_stemmer_of_their_language(language: str, stemmer: str) -> None:
    assert stemmer_of(language) == stemmer and document_vector("word", stemmer).indices


def test_every_stemmer_is_one_that_the_engine_has() -> None:
    assert all(document_vector("robot", stemmer).indices for stemmer in STEMMERS.values())


def test_a_language_brings_its_own_stemmer_and_stop_words() -> None:
    assert found("Häuser", "das Haus", "german") == 1
    assert found("Häuser", "das Haus", "english") == 0
    assert document_vector("der die das", "german").indices == ()


def test_without_a_language_every_word_stands_for_itself() -> None:
    assert found("the nodes", "the node", None) == 1


def test_an_unknown_language_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="'klingon'"):
        document_vector("text", "klingon")


def test_weights_follow_the_formula() -> None:
    """tf 2 of 3 terms: 2·2.2 / (2 + 1.2·(0.25 + 0.75·3/AVERAGE_LENGTH))."""
    vector = document_vector("robot robot arm")
    norm = 1.2 * (0.25 + 0.75 * 3 / AVERAGE_LENGTH)
    assert sorted(vector.values) == pytest.approx([2.2 / (1 + norm), 4.4 / (2 + norm)])
    assert query_vector("robot robot arm").values == (1.0, 1.0)


@given(text=st.text(), language=st.sampled_from(["english", "german", None]))
@settings(max_examples=60)
def test_any_text_gives_terms_that_a_store_takes(text: str, language: str | None) -> None:
    point = make_point(0)
    for vector in (document_vector(text, language), query_vector(text, language)):
        validate_points([type(point)(point.id, point.dense, vector, point.payload)], SCHEMA.dimensions)


def test_terms_are_made_without_a_server_client_or_numpy() -> None:
    code = (
        "import sys; from ingestion.vector_stores.bm25 import query_vector; query_vector('robot 机器人')\n"
        "assert not {'qdrant_client', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=ROOT)

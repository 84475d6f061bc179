"""The check of a sentence against passages: on pairs of true and false sentences, and by rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.grounding.support import SupportCheck
from rag.models import SearchResult
from tests.rag.grounding.test_answer_text import shown
from tests.support.agents import MINILM, PUMP, WAIT
from tests.support.fakes import FakeEmbedder
from tests.support.passages import passage

PAIRS = json.loads((Path(__file__).parent / "data/support_pairs.json").read_text(encoding="utf-8"))
"""Passages of lessons with sentences as models word them, each with its kind."""


def source(pair: dict[str, str]) -> SearchResult:
    return passage(pair["passage"], page_title=pair["title"])


def is_held(sentence: str, *passages: SearchResult) -> bool:
    return SupportCheck(shown(*passages), MINILM).judge(sentence, passages).held


def test_most_true_sentences_are_held_and_few_false_ones() -> None:
    held = [is_held(sentence, source(pair)) for pair in PAIRS for _, sentence in pair["held"]]
    wrong = [is_held(sentence, source(pair)) for pair in PAIRS for _, sentence in pair["not_held"]]
    assert sum(held) / len(held) >= 0.9
    assert sum(wrong) / len(wrong) <= 0.13


RANGE = passage("An input register can hold values from 0 to 65535. The delay is between 2 and 30 seconds.")


@pytest.mark.parametrize(
    ("sentence", "held"),
    [
        ("An input register cannot store the value 70000.", True),
        ("An input register can store the value 40000.", True),
        ("An input register cannot store the value 40000.", False),
        ("An input register can store the value 70000.", False),
        ("The delay cannot be 60 seconds.", True),
        ("The delay cannot be 10 seconds.", False),
    ],
)
def test_a_number_may_follow_from_a_range(sentence: str, held: bool) -> None:
    assert is_held(sentence, RANGE) is held


CODE = passage("Call `read_plan(path)` with `--keep-order`. Then `pump.start()` runs for 600 seconds.")


@pytest.mark.parametrize(
    ("sentence", "held"),
    [
        ("Call `read_plan` with `--keep-order`.", True),
        ("Then `pump.start()` runs for ten minutes.", True),
        ("Call `load_plan` with `--keep-order`.", False),
        ("Call `read_plan` with `--keep-sorted`.", False),
        ("Then `pump.begin()` runs for 600 seconds.", False),
        ("Then `pump.start()` runs for 600 minutes.", False),
        ("Then `pump.start()` runs for 60 seconds.", False),
    ],
)
def test_code_stands_letter_by_letter_and_a_number_goes_with_its_unit(sentence: str, held: bool) -> None:
    assert is_held(sentence, CODE) is held


def test_the_right_fact_with_the_wrong_source_is_held_by_the_right_one() -> None:
    verdict = SupportCheck(shown(), MINILM).judge("The pump runs for five seconds.", [WAIT])
    assert verdict.held and verdict.passages == (PUMP,)


def test_a_sentence_of_two_sources_is_held_by_both_together() -> None:
    sentence = "The pump runs for five seconds, then wait twenty seconds before the next reading."
    assert set(SupportCheck(shown(), MINILM).judge(sentence, [PUMP, WAIT]).passages) == {PUMP, WAIT}


def test_a_sentence_in_another_language_is_held_to_its_numbers_and_its_code() -> None:
    assert is_held("Danach läuft die Pumpe mit `pump.start()` für 600 Sekunden.", CODE)
    assert not is_held("Danach läuft die Pumpe mit `pump.start()` für 700 Sekunden.", CODE)
    assert not is_held("Danach läuft die Pumpe mit `pump.begin()` für 600 Sekunden.", CODE)


def test_code_that_no_passage_has_is_not_held() -> None:
    listing = passage("Run this:\n\n```python\npump.start()\nwait(5)\n```\n")
    check = SupportCheck(shown(listing), MINILM)
    assert check.judge_code("```python\npump.start()\nwait(5)\n```").held
    assert not check.judge_code("```python\nvalve.open()\nwait(7)\n```").held


def test_places_are_embedded_once_and_a_sentence_without_passages_is_not_held() -> None:
    embedder = FakeEmbedder()
    check = SupportCheck(shown(), embedder)
    check.judge("Every pump of ours runs, then rests.", [PUMP])
    assert embedder.texts
    once = list(embedder.texts)
    check.judge("Every pump of ours runs, then rests!", [PUMP])
    assert embedder.texts == once
    assert not SupportCheck(shown(passage("# Only a heading")), embedder).judge("It runs for 5 s.").held


@pytest.mark.parametrize("cited", [[PUMP], []])
def test_a_sentence_that_says_what_a_passage_says_is_held_by_its_words_and_nothing_is_embedded(
    cited: list[SearchResult],
) -> None:
    embedder = FakeEmbedder()
    verdict = SupportCheck(shown(), embedder).judge("The pump runs for five seconds.", cited)
    assert verdict.held and verdict.passages == (PUMP,) and verdict.blocks
    assert not embedder.texts


@pytest.mark.parametrize("sentence", ["The pump runs for six seconds.", "Penguins breed on coastal ice."])
def test_what_a_passage_contradicts_or_says_next_to_nothing_of_is_refused_by_its_words(sentence: str) -> None:
    embedder = FakeEmbedder()
    alone = passage("The pump runs for five seconds.")
    assert not SupportCheck(shown(alone), embedder).judge(sentence, [alone]).held
    assert not embedder.texts


COUNTED = passage(
    "`max_parallel` has 4 as its default and its maximum is 32. Each worker needs about 250 MB, so four workers need "
    "about 1 GB. Backups are kept for 30 days, monthly ones for a year. Only administrators may delete a project. "
    "Plants are watered in the morning, not in the evening. Every reading is kept."
)


@pytest.mark.parametrize(
    ("sentence", "held"),
    [
        ("The maximum of `max_parallel` is 32.", True),
        ("`max_parallel` cannot be more than 32.", True),
        ("The minimum of `max_parallel` is 32.", False),
        ("Four workers need about 1 GB.", True),
        ("Each worker needs about 1 GB.", False),
        ("Four workers need about 250 MB.", False),
        ("Monthly backups are kept for one year.", True),
        ("Monthly backups are kept for 30 days.", False),
        ("Only administrators may delete a project.", True),
        ("Only editors may delete a project.", False),
        ("Everyone may delete a project.", False),
        ("Plants are watered in the morning.", True),
        ("Every reading is dropped.", False),
    ],
)
def test_a_number_a_limit_and_a_quantifier_are_said_of_what_the_book_says_them_of(sentence: str, held: bool) -> None:
    assert is_held(sentence, COUNTED) is held

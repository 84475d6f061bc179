"""The check of a sentence against passages: on pairs of true and false sentences, and by rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.support import judged_pairs
from rag.grounding.passage_blocks import blocks_of
from rag.grounding.sentences import sentence_spans
from rag.grounding.support import SupportCheck, Verdict
from rag.models import SearchResult
from tests.rag.grounding.test_answer_text import shown
from tests.support.agents import MINILM, PUMP, WAIT
from tests.support.fakes import FakeEmbedder
from tests.support.passages import passage
from tests.support.paths import ROOT


def is_held(sentence: str, *passages: SearchResult) -> bool:
    return judged(sentence, *passages).held


def judged(sentence: str, *passages: SearchResult) -> Verdict:
    return SupportCheck(shown(*passages), MINILM).judge(sentence, passages)


@pytest.mark.parametrize(
    ("pairs", "least_true", "most_false"),
    [
        ("pairs_written_on", 0.70, 0.26), ("pairs_measured_on", 0.81, 0.24),
        ("forms_written_on", 0.56, 0.20), ("forms_measured_on", 0.65, 0.10),
    ],
)  # fmt: skip
def test_most_true_sentences_are_held_and_few_false_ones(pairs: str, least_true: float, most_false: float) -> None:
    """What no rule was written on is the measure: `make support` prints all four."""
    judged = list(judged_pairs(pairs, MINILM))
    states = {
        is_true: [each.verdict.state for each in judged if each.is_true is is_true] for is_true in (True, False)
    }
    assert states[True].count("held") / len(states[True]) >= least_true
    assert states[False].count("held") / len(states[False]) <= most_false
    assert states[False].count("contradicted") >= 5 * states[True].count("contradicted")
    told = [each for each in judged if each.block and each.verdict.held]
    assert sum(any(each.block in block.text for block in each.verdict.blocks) for each in told) >= len(told) - 1


@pytest.mark.parametrize(
    ("sentence", "state"),
    [
        ("The range is $R = \\frac{v^2}{g}$.", "held"),
        ("The range is \\(R=\\frac{v^2}{g}\\).", "held"),
        ("The range is $R = \\frac{v^3}{g}$.", "says_less"),
        ("The range is largest at 45 degrees.", "held"),
        ("The range is largest at 2 degrees.", "contradicted"),
        ("The range is at 9.81 metres.", "says_less"),
    ],
)
def test_a_formula_stands_letter_by_letter_and_its_numbers_are_no_numbers_of_the_book(
    sentence: str, state: str
) -> None:
    thrown = passage(r"The range is $R = \frac{v^2}{g}$ at any speed. The range is largest at 45 degrees.")
    assert judged(sentence, thrown).state == state


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "physical-ai" / "docs").rglob("*.md")), ids=lambda p: p.stem
)
def test_what_a_page_says_word_by_word_is_held_and_with_another_small_word_too(path: Path) -> None:
    """Pairs of sentences in other words do not show it: of the book's own a check marked half."""
    text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    blocks = list(blocks_of(passage(text)))
    prose = (block.text for block in blocks if block.kind == "paragraph" and "`" not in block.text)
    sentences = [block[start:end] for block in prose for start, end in sentence_spans(block)]
    page = passage("\n\n".join(block.text for block in blocks))
    assert [each for each in sentences[:12] if not is_held(each, page)] == []
    changed = [re.sub(r"\bwhen\b", "if", re.sub(r"\bthe\b", "this", each, count=1)) for each in sentences[:12]]
    assert sum(not is_held(each, page) for each in changed) <= 1


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


def test_a_sentence_in_another_language_than_the_book_is_not_checked() -> None:
    assert judged("Danach läuft die Pumpe mit `pump.start()` für 600 Sekunden.", CODE).state == "unchecked"
    assert judged("Danach läuft die Pumpe für 600 Sekunden.", CODE, PUMP).state == "unchecked"


def test_what_a_sentence_cites_may_contradict_it_whatever_another_passage_says() -> None:
    old = passage("The pump runs for six seconds.", rank=7)
    check = SupportCheck(shown(PUMP, old), MINILM)
    assert check.judge("The pump runs for six seconds.", [PUMP]).state == "contradicted"
    assert check.judge("The pump runs for six seconds.").passages == (old,)


@pytest.mark.parametrize(
    ("sentence", "state"),
    [
        ("The pump runs for six seconds.", "contradicted"),
        ("The pump does not run for five seconds.", "contradicted"),
        ("Penguins breed on coastal ice.", "not_there"),
    ],
)
def test_what_the_book_contradicts_is_told_from_what_it_does_not_confirm(sentence: str, state: str) -> None:
    assert judged(sentence, passage("The pump runs for five seconds and moves water.")).state == state


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
    "The maximum of `max_parallel` is 32. Four workers need about 1 GB. Backups are kept for 30 days. Plants are "
    "watered in the morning, not in the evening. Every new reading is kept there. Some editors may delete it."
)


@pytest.mark.parametrize(
    ("sentence", "held"),
    [
        ("The maximum of `max_parallel` is 32.", True),
        ("The maximum of `max_parallel` is 64.", False),
        ("The maximum of `min_parallel` is 32.", False),
        ("Four workers need about 1 GB.", True),
        ("Four workers need about 1 MB.", False),
        ("Backups are kept for 720 hours.", True),
        ("Plants are watered in the morning.", True),
        ("Backups are not kept for 30 days.", False),
        ("Every new reading is never kept there.", False),
        ("All editors may delete it.", False),
    ],
)
def test_names_numbers_denials_opposites_and_quantifiers_are_held_to_the_book(sentence: str, held: bool) -> None:
    assert is_held(sentence, COUNTED) is held


def test_words_that_are_all_of_the_book_are_held_where_it_has_them_together() -> None:
    roles = passage("Status topics use reliable delivery. Camera topics use best effort.")
    assert is_held("Camera topics use best effort.", roles)
    assert judged("Camera topics use reliable delivery.", roles).state == "says_less"


TURNED = passage("Messages are always printed. The counter increases with each message. The first number is larger.")


@pytest.mark.parametrize(
    ("sentence", "held"),
    [
        ("Messages are never printed.", False),
        ("The counter increases with each message.", True),
        ("The counter decreases with each message.", False),
        ("The first number is smaller.", False),
    ],
)
def test_opposite_words_keep_a_sentence_from_being_confirmed(sentence: str, held: bool) -> None:
    assert is_held(sentence, TURNED) is held

"""What a question wants by its form, and which blocks have that."""

from __future__ import annotations

import pytest

from rag.quoting.question_kinds import DEFINES, INTRODUCES, LESS, QuestionKind


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("What is CORS?", "CORS"),
        ("what is monomorphization", "monomorphization"),
        ("What is meant by interior mutability?", "interior mutability"),
        ("What does shadowing mean?", "shadowing"),
        ("What does ASGI stand for?", "ASGI"),
        ("So what's a trait object?", "trait object"),
        ("What is ownership in Rust?", "ownership"),
        ("Define lifetimes", "lifetimes"),
        ("Was ist ein Closure?", "Closure"),
        ("Was versteht man unter Ownership?", "Ownership"),
        ("¿Qué es un closure?", "closure"),
        ("Qu'est-ce qu'un trait ?", "trait"),
        ("什么是所有权？", "所有权"),
        ("所有权是什么？", "所有权"),
        ("What is the difference between String and &str?", None),
        ("What is the default integer type?", None),
        ("What is wrong with it?", None),
        ("What is the best way to learn this?", None),
        ("What is a pump and how do I start it?", None),
        ("How do I define a closure?", None),
    ],
)
def test_a_question_for_a_meaning_names_its_term(question: str, term: str | None) -> None:
    assert QuestionKind(question).term == term


@pytest.mark.parametrize(
    ("question", "definition"),
    [
        ("What is a closure?", "Rust’s closures are anonymous functions you can save in a variable."),
        ("What is CORS?", 'CORS or "Cross-Origin Resource Sharing" refers to a frontend in another origin.'),
        ("What is CORS?", "CORS (Cross-Origin Resource Sharing) is a mechanism of browsers."),
        ("What is a middleware?", 'A "middleware" is a function that works with every request.'),
        ("What is a unit-like struct?", "It is short. A unit-like\nstruct is one without fields."),
        ("What is a relay?", "A relay, like any switch, is a part that closes a circuit."),
        ("Was ist ein Relais?", "Ein Relais ist ein Schalter, den ein Strom bedient."),
        ("¿Qué es un relé?", "Un relé es un interruptor."),
        ("What is a relay?", "- **Switch**: Closes a circuit.\n- **Relay**: A switch that a current works."),
        ("Explain relays", "1. Relay – a switch that a current works."),
    ],
)
def test_a_block_that_says_what_the_thing_is_counts_most(question: str, definition: str) -> None:
    assert QuestionKind(question).weight(definition, "paragraph", section=None, opens_section=False) == DEFINES


@pytest.mark.parametrize(
    ("question", "spelt_out"),
    [
        ("What does QoS stand for?", "The settings are called *quality of service*, or QoS."),
        ("What is an IMU?", "An inertial measurement unit feels turns and pushes."),
        ("What does SLAM mean?", "Simultaneous localization and mapping finds the robot on a map that it draws."),
    ],
)
def test_a_block_with_the_words_of_an_acronym_counts_more(question: str, spelt_out: str) -> None:
    asked = QuestionKind(question)
    assert asked.weight(spelt_out, "paragraph", section=None, opens_section=False) == INTRODUCES
    assert asked.weight("A quiet house has no machines.", "paragraph", section=None, opens_section=False) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "You can later read more about other middlewares in the guide.",
        "The relay that we bought is heavy.",
        "Whoever is a relay is not a middleware user.",
    ],
)
def test_a_block_that_only_uses_the_word_counts_as_any_other(text: str) -> None:
    assert QuestionKind("What is a middleware?").weight(text, "paragraph", section="Notes", opens_section=True) == 1.0


def test_the_opening_of_the_section_called_like_the_term_counts_more() -> None:
    kind = QuestionKind("What is a relay?")
    for section in ("Relays", "What Is a Relay?", "The relay (switch)"):
        assert kind.weight("It closes a circuit.", "paragraph", section=section, opens_section=True) == INTRODUCES
    assert kind.weight("It closes a circuit.", "paragraph", section="Relays", opens_section=False) == 1.0
    assert kind.weight("It closes a circuit.", "paragraph", section="Relay drivers", opens_section=True) == 1.0


def test_a_name_given_to_something_introduces_it() -> None:
    kind = QuestionKind("What is an associated function?")
    text = "All functions in such a block are called associated functions."
    assert kind.weight(text, "paragraph", section=None, opens_section=False) == INTRODUCES


@pytest.mark.parametrize(
    "question",
    [
        "How many workers start?",
        "In which version did it appear?",
        "How often is it polled?",
        "Wie viele Bytes hat es?",
    ],
)
def test_a_question_for_a_number_wants_a_block_that_has_one(question: str) -> None:
    kind = QuestionKind(question)
    assert kind.weight("It starts some of them.", "paragraph", section=None, opens_section=False) == LESS
    for text in ("It starts 4 of them.", "It starts four of them."):
        assert kind.weight(text, "paragraph", section=None, opens_section=False) == 1.0


@pytest.mark.parametrize(
    "text", ["hello", "Hi there!", "good morning", "Thanks a lot!", "Danke schön", "who are you?", "你好"]
)
def test_greetings_and_thanks_ask_nothing(text: str) -> None:
    assert QuestionKind(text).is_small_talk


@pytest.mark.parametrize(
    "text", ["hello world program", "Who are you to drop?", "thanks to which trait?", "ok state of a pump"]
)
def test_a_question_that_begins_like_a_greeting_is_a_question(text: str) -> None:
    assert not QuestionKind(text).is_small_talk


def test_a_why_question_is_answered_in_prose() -> None:
    kind = QuestionKind("Why is the pump off?")
    assert kind.weight("| a | b |", "table", section=None, opens_section=False) == LESS
    assert kind.weight("It is too hot.", "paragraph", section=None, opens_section=False) == 1.0

"""What a question goes on from, and whether it asks for more of the same."""

from __future__ import annotations

import pytest

from rag.quoting.follow_ups import asks_for_more, leans_back, new_words, topic_of
from tests.rag.agent.test_history import turns

TOPIC = "What kind of computer do I need to run Isaac Sim?"


def test_a_follow_up_goes_on_from_the_last_question_that_names_a_topic() -> None:
    assert topic_of([]) is None
    assert topic_of(turns("What is a robot arm?", TOPIC)) == TOPIC
    assert topic_of(turns(TOPIC, "tell me more", "go on", "anything else?", "more")) == TOPIC


def test_a_question_that_leans_on_another_is_a_topic_with_it() -> None:
    assert topic_of(turns("What is a robot arm?", TOPIC, "and on a Jetson?")) == f"{TOPIC}\nand on a Jetson?"
    assert topic_of(turns("one word", "two?", "three?", "four?", "five?")) == "three?\nfour?\nfive?"


@pytest.mark.parametrize(
    "question", ["tell me more", "More please!", "go on", "why?", "Anything else?", "more on Isaac Sim"]
)
def test_more_of_the_same_names_nothing_new(question: str) -> None:
    assert asks_for_more(question, TOPIC) and not new_words(question, TOPIC)


@pytest.mark.parametrize("question", [TOPIC, "and on a Jetson?", "more about laptops", "Who made Isaac Sim?"])
def test_a_new_word_or_the_same_question_does_not_ask_for_more(question: str) -> None:
    assert not asks_for_more(question, TOPIC)


@pytest.mark.parametrize("question", ["and on a Jetson?", "What about the cloud?", "How fast is it?", "but why?"])
def test_a_question_that_says_too_little_leans_back(question: str) -> None:
    assert leans_back(question)


@pytest.mark.parametrize("question", [TOPIC, "How do late subscribers get the map that was sent before?"])
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert not leans_back(question)

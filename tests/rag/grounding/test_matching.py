"""What a passage states: its words, numbers, names and negations against those of a sentence."""

from __future__ import annotations

import pytest

from rag.grounding.matching import Match, match, places_in, rarity_among
from rag.models import SearchResult
from tests.rag.agent.test_quotes import passage

BOOK = """\
The LiDAR sensor needs 12 volts and draws two amperes. It must not be opened while the motor runs.

| Board | Memory |
| --- | --- |
| Jetson Orin | 8 GB |

- Call `create_timer(0.5)` first.
- The camera works without a timer.
"""
PAGE = passage(BOOK, page_title="Sensors on ROS2", heading_path=("Power",))


def found(sentence: str, *passages: SearchResult) -> Match:
    some = passages or (PAGE,)
    places = [place for each in some for place in places_in(each)]
    return match(sentence, places, rarity_among([sentence], some))


@pytest.mark.parametrize(
    "sentence",
    [
        "The LiDAR needs 12 volts.",
        "1. The **LiDAR** sensor draws two amperes.",
        "The Jetson Orin has 8 GB of memory.",
        "While the motor runs, the sensor must not be opened.",
        "First call create_timer, with 0.5 for instance.",
        "On ROS 2, the LiDAR sensor needs 12 volts and draws two amperes.",
        "The camera works without a timer.",
    ],
)
def test_what_a_passage_says_in_other_order_or_fewer_words_is_not_contradicted(sentence: str) -> None:
    held = found(sentence)
    assert not held.contradicted and held.coverage > 0.5


@pytest.mark.parametrize(
    "sentence",
    [
        "The LiDAR needs 24 volts.",
        "The Jetson Nano has 8 GB of memory.",
        "The RADAR sensor needs 12 volts.",
        "It must be opened while the motor runs.",
        "The LiDAR sensor does not need 12 volts and draws no two amperes.",
        "First call create_clock.",
    ],
)
def test_another_number_name_or_the_opposite_is_contradicted(sentence: str) -> None:
    assert found(sentence).contradicted


def test_a_number_must_stand_with_what_is_said_of_it() -> None:
    assert found("The LiDAR sensor draws 8 amperes.").contradicted


def test_words_that_every_passage_has_tell_little() -> None:
    other = passage("The sensor of the robot is cheap.", rank=2)
    third = passage("A sensor of a robot is big.", rank=3)
    sentence = "The sensor is cheap."
    assert found(sentence, other).coverage == 1.0
    rarity = rarity_among([sentence], [PAGE, other, third])
    assert match(sentence, places_in(third), rarity).coverage < 0.5


def test_the_places_that_hold_a_sentence_are_few_and_the_first_holds_most() -> None:
    held = found("The Jetson Orin has 8 GB, and the camera works without a timer.")
    assert [place.text.strip("|- ") for place in held.places][:2] == [
        "The camera works without a timer.",
        "Jetson Orin | 8 GB",
    ]
    assert held.places[1].block.kind == "table" and len(held.places) <= 3


def test_a_passage_without_content_holds_nothing() -> None:
    assert found("It runs.", passage("# Only a heading")).contradicted

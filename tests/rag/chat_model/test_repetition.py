"""Where a reply that goes round in circles is ended, and what only looks like one."""

from __future__ import annotations

import pytest

from rag.chat_model.repetition import Monotony, Repetition


def ends(text: str, size: int) -> bool:
    repetition = Repetition()
    return any(repetition.feed(text[at : at + size]) for at in range(0, len(text), size))


@pytest.mark.parametrize("size", [1, 7, 64])
@pytest.mark.parametrize(
    "text",
    [
        "It runs. " + "The bridge carries the data of the sensors to the bridge. " * 6,
        "It is " + "and then the " * 40,
        "ha" * 200,
        "水泵运行。" * 60,
        ("First the pump runs. Then it waits for a while.\n\n" * 8),
        "x" * 30 + "| a | 1 |\n" * 40,
        "-" * 2_000,
    ],
)
def test_a_text_without_end_is_ended(text: str, size: int) -> None:
    assert ends(text, size)


@pytest.mark.parametrize("size", [1, 7, 64])
@pytest.mark.parametrize(
    "text",
    [
        "The pump runs for five seconds. Then it cools down for one minute. " * 2,
        "|" + "-" * 300 + "|" + "-" * 300 + "|\n",
        "No. No. No. " * 3,
        "".join(f"- Pump {number} runs for {number * 5} seconds.\n" for number in range(40)),
        "    }\n" * 12,
        " " * 600,
    ],
)
def test_lists_tables_and_words_said_twice_are_no_repetition(text: str, size: int) -> None:
    assert not ends(text, size)


def test_the_same_sentence_with_another_word_each_time_is_ended_where_nothing_holds_it() -> None:
    monotony = Monotony()
    said = [
        f"The {count} module is the simulation module." for count in ("first", "second", "third", "fourth", "fifth")
    ]
    assert [monotony.add(sentence, held=False) for sentence in said] == [False, False, False, True, True]


def test_a_list_that_the_book_holds_may_be_monotonous() -> None:
    monotony = Monotony()
    assert not any(monotony.add(f"The pump {number} runs.", held=True) for number in range(20))
    assert not any(
        monotony.add(sentence, held=False) for sentence in ("It has 12 legs.", "Acme built it.", "It is red.")
    )

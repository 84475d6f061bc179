"""What the parts of the check read: quantities, names of code, places, opposites, sentences that state something."""

from __future__ import annotations

import pytest

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.places import clauses_of, places_in
from rag.grounding.quantities import is_among, quantities_in, units_in
from rag.grounding.stating import is_gap, states_something
from rag.grounding.wording import has_opposite, is_denied
from tests.support.passages import passage


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from −128 to 127", [(-128, None), (127, None)]),
        ("half a minute, one and a half hours, a quarter of an hour", [(30, "time"), (5400, "time"), (900, "time")]),
        ("4.7 kΩ, 1,000 items, 20s", [(4700, "resistance"), (1000, None), (20, "time")]),
        ("10-20 ms", [(10, None), (0.02, "time")]),
        ("i8, 0x48, version 3.11.2 and a second copy", []),
    ],
)  # fmt: skip
def test_numbers_are_read_with_their_units_and_not_out_of_names(text: str, values: list[tuple[float, str]]) -> None:
    assert [(each.value, each.dimension) for each in quantities_in(text)] == values


def test_a_number_without_a_unit_may_have_the_one_that_is_spelled_out_beside_it() -> None:
    place = "Sets a maximum time in seconds. Defaults to `600`."
    [ten] = quantities_in("for ten minutes")
    [wrong] = quantities_in("for 600 minutes")
    assert is_among(ten, quantities_in(place), units_in(place))
    assert not is_among(wrong, quantities_in(place), units_in(place))


def test_names_of_code_are_found_with_and_without_backticks() -> None:
    text = "Use checked_* or `None`, Arc<T>, plan.start(), --test-threads=1, std::sync and i8, e.g. now."
    names = code_names_in(text)
    assert set(names) == {"None", "checked_*", "Arc<T>", "plan.start", "--test-threads=1", "std::sync", "i8"}
    assert stands_in("eq", "the `eq` method") and not stands_in("Eq", "PartialEq")


def test_a_row_of_a_table_is_read_with_the_heads_of_its_columns() -> None:
    table = passage("| Header | Default |\n| --- | --- |\n| `max-age` | 300 |\n")
    assert [place.text for place in places_in(table)] == ["Header: `max-age`; Default: 300"]


def test_clauses_are_not_cut_inside_of_code() -> None:
    assert clauses_of("`f(a, b)` runs the pump, and the fan stays off.") == (
        "`f(a, b)` runs the pump",
        "and the fan stays off.",
    )


def test_places_are_the_items_rows_and_lines_of_code_without_their_marks() -> None:
    text = """\
> 1. Set `depth` to **10**, see [QoS](qos.md).
>
>    ```bash
>    run --fast
>    ```

The area is $r^2 \\pi$.

$$
E = mc^2
$$
"""
    assert [place.text for place in places_in(passage(text))] == [
        "Set `depth` to 10, see QoS.", "run --fast", "The area is $r^2\\pi$.", "$E=mc^2$",
    ]  # fmt: skip


def test_a_word_and_its_opposite_are_told_where_neither_text_has_both() -> None:
    said = "The cooler is always fast"
    assert has_opposite(said, "This cooler is slow")
    assert not has_opposite(said, "The cooler is fast, the pump slow")
    assert has_opposite("All tools work with it", "Some tools may not work with it")
    assert has_opposite("A value has several owners.", "There can only be one owner at a time.")
    assert not has_opposite("A value has several readers.", "A value may have several readers and one owner.")


def test_a_denial_in_one_clause_alone_turns_it_around() -> None:
    assert is_denied("It can run at night", "It cannot run at night", "It cannot run at night")
    assert is_denied("It does not run at night", "It runs at night", "It runs at night")
    assert not is_denied("It never runs at night", "It does not run at night", "It does not run at night")
    assert not is_denied("It skips the night", "It does not run at night", "It does not run at night")


@pytest.mark.parametrize(
    ("sentence", "states"),
    [
        ("The pump runs for 5 s.", True),
        ("It uses `depth`.", True),
        ("Sure! Here is what I found.", False),
        ("The steps are:", False),
        ("# The pump", False),
        ("Do you want more?", False),
        ("Let me know, the pump has 12 legs and 3 wings.", True),
    ],
)
def test_what_claims_nothing_is_not_judged(sentence: str, states: bool) -> None:
    assert states_something(sentence) is states


@pytest.mark.parametrize(
    "sentence",
    ["The passages do not say how fast it is.", "I could not find it.", "It is not mentioned in the book."],
)  # fmt: skip
def test_a_sentence_that_says_the_book_does_not_tell_is_a_gap(sentence: str) -> None:
    assert is_gap(sentence) and not states_something(sentence)


def test_letters_behind_a_number_are_its_unit() -> None:
    (known,), (other,), (price,) = map(quantities_in, ("3.4Mbps", "48fps", "$90k"))
    assert (known.dimension, known.value) == ("rate", 3.4e6) and other.dimension == "fps"
    assert (price.dimension, price.value) == ("money", 90_000)

"""The options of a command that searches, derived from the fields of `Filters`."""

from __future__ import annotations

from dataclasses import fields

import pytest
import typer
from typer.testing import CliRunner

from ingestion.errors import UsageError
from rag.commands.filter_options import chapter_range, with_filters
from rag.filters import NO_FILTERS, Filters

asked: list[Filters] = []
app = typer.Typer()


@app.command()
@with_filters()
def probe(question: str, filters: Filters = NO_FILTERS, limit: int = 5) -> None:
    """Keep the filters."""
    asked.append(filters)


def filters_of(*arguments: str) -> Filters:
    result = CliRunner().invoke(app, ["a question", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return asked.pop()


def test_every_filter_has_an_option_and_its_description_is_the_help() -> None:
    shown = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"}).output.split())
    for each in fields(Filters):
        if each.metadata["flag"]:
            assert each.metadata["flag"] in shown and each.metadata["description"].split(";")[0] in shown
    assert "A1|A2|B1|B2|C1|C2" in shown and "lesson|readme|summary|quiz|assignment|stub" in shown


def test_without_options_the_filters_are_the_defaults() -> None:
    assert filters_of() == NO_FILTERS


def test_the_options_make_one_value_whatever_their_case() -> None:
    given = filters_of(
        "--tier", "2", "--level", "b1", "--level", "A2", "--layer", "l3", "--kind", "Quiz", "--chapter", "2-"
    )
    assert given == Filters(
        hardware_tier=2, chapter_min=2, proficiency_levels=("B1", "A2"), layer="L3", doc_types=("quiz",)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--level", "D1"), "invalid level 'D1': choose A1, A2, B1, B2, C1 or C2"),
        (("--layer", "L9"), "invalid layer 'L9': choose L1, L2, L3 or L4"),
        (("--kind", "song"), "invalid kind of page 'song': choose lesson, "),
        (("--chapter", "4-2"), "the first number is larger than the last"),
    ],
)
def test_a_value_that_no_lesson_can_have_lists_those_it_can(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        filters_of(*arguments)


def test_an_empty_choice_never_means_all() -> None:
    with pytest.raises(UsageError, match="empty list"):
        Filters(proficiency_levels=())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3", (3, 3)), ("2-4", (2, 4)), ("2-", (2, None)), ("-4", (None, 4)), (None, (None, None)), (" 2 - 4 ", (2, 4))],
)
def test_a_chapter_is_a_number_or_a_range(text: str | None, expected: tuple[int | None, int | None]) -> None:
    assert chapter_range(text) == expected


@pytest.mark.parametrize("text", ["", "-", "a", "1-2-3", "1,2"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="range such as 2-4"):
        chapter_range(text)

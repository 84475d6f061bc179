"""Filters may be narrowed by whoever asks, never widened."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import UsageError
from ingestion.settings.validators import Module
from rag.filters import Filters
from rag.retrieval.filters import narrowed

MODULES = (Module(name="gazebo", aliases=("simulation",)), Module(name="ros2"))
LEVELS = ("A1", "A2", "B1")
OPEN = Filters(hardware_tier=2)
CLOSED = Filters(hardware_tier=2, module="gazebo", proficiency_levels=("A1", "A2"), language="en")

some_levels = st.lists(st.sampled_from(LEVELS), max_size=3).map(tuple)
asked_for = st.fixed_dictionaries(
    {
        "hardware_tier": st.none() | st.integers(1, 4),
        "module": st.none() | st.sampled_from(("gazebo", "simulation", " Gazebo", "ros2")),
        "proficiency_levels": st.none() | some_levels,
        "language": st.none() | st.sampled_from(("en", "ur")),
    }
)


@given(asked_for)
def test_whatever_is_asked_for_stays_inside(asked: dict[str, Any]) -> None:
    with suppress(UsageError):
        result = narrowed(CLOSED, asked, MODULES)
        assert result.hardware_tier <= 2 and result.language == "en"
        assert (result.module or "").strip().lower() in ("gazebo", "simulation")
        assert result.proficiency_levels and set(result.proficiency_levels) <= {"A1", "A2"}


@given(asked_for)
def test_what_lies_inside_is_never_refused(asked: dict[str, Any]) -> None:
    inside = asked | {"hardware_tier": 1, "proficiency_levels": asked["proficiency_levels"] or ("B1",)}
    assert narrowed(OPEN, inside, MODULES) == Filters(**inside)


def test_what_is_not_asked_for_keeps_its_filter() -> None:
    assert narrowed(CLOSED, dict.fromkeys(CLOSED.given()), MODULES) == CLOSED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hardware_tier", 3),
        ("module", "ros2"),
        ("proficiency_levels", ("A1", "B1")),
        ("proficiency_levels", ()),
        ("language", "ur"),
    ],
)
def test_what_lies_outside_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=name):
        narrowed(CLOSED, {name: value}, MODULES)


def test_an_empty_choice_is_refused_where_there_is_no_filter_too() -> None:
    with pytest.raises(UsageError, match="empty"):
        narrowed(OPEN, {"proficiency_levels": ()}, MODULES)

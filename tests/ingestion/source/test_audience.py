"""Tier, levels and layers out of what authors write."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.models import LAYERS, LEVELS, TIERS
from ingestion.settings.validators import Module
from ingestion.source.audience import LAYER_KEYS, LEVEL_KEYS, Audience, read_audience, whole_number


def test_a_page_that_declares_nothing_is_for_everyone() -> None:
    assert read_audience({}, None) == Audience(1, ("A2",), ("L1",), (), ())


def test_what_a_page_leaves_open_is_its_modules() -> None:
    module = Module(name="m", hardware_tier=3, proficiency_level="B2", layer="L4")
    assert read_audience({}, module) == Audience(3, ("B2",), ("L4",), (), ())
    assert read_audience({"hardware_tier": "2"}, module) == Audience(2, ("B2",), ("L4",), ("hardware_tier",), ())


@pytest.mark.parametrize("written", ["3", "03", "3.0", "Tier 3", "tier-3", "T3", " 3 "])
def test_a_tier_is_read_from_numbers_and_words(written: str) -> None:
    audience = read_audience({"hardware_tier": written}, None)
    assert (audience.hardware_tier, audience.declared, audience.unusable) == (3, ("hardware_tier",), ())


@pytest.mark.parametrize("written", ["0", "5", "-1", "2.5", "high", "1-2", ""])
def test_an_unusable_tier_is_reported_and_counts_as_the_highest(written: str) -> None:
    audience = read_audience({"hardware_tier": written}, Module(name="m", hardware_tier=1))
    assert (audience.hardware_tier, audience.declared) == (4, ("hardware_tier",))
    assert audience.unusable == (("hardware_tier", written, "is no tier 1 to 4; treated as tier 4"),)


@pytest.mark.parametrize("written", [None, ["1", "2"], {"from": "1"}])
def test_a_tier_without_a_value_or_with_several_counts_as_the_highest(written: Any) -> None:
    assert read_audience({"hardware_tier": written}, None).hardware_tier == 4


def test_of_two_tiers_the_higher_counts() -> None:
    assert read_audience({"hardware_tier": "1", "tier": "3"}, None).hardware_tier == 3
    assert read_audience({"hardware_tier": "all", "tier": "2"}, None).hardware_tier == 4


def test_a_tier_that_is_there_twice_counts_as_the_highest() -> None:
    audience = read_audience({"hardware_tier": "1"}, None, repeated={"hardware_tier"})
    assert audience.hardware_tier == 4
    assert audience.unusable == (("hardware_tier", "1", "is there twice; treated as tier 4"),)


@pytest.mark.parametrize("key", ["hardware-tier", "hardwareTier", "Hardware_Tier", "hardware_teir", "hardware tier"])
def test_a_misspelt_tier_opens_no_page(key: str) -> None:
    assert read_audience({key: "3"}, None).hardware_tier == 3
    assert read_audience({key: "some"}, None).hardware_tier == 4


@pytest.mark.parametrize("table", ["params", "extra"])
def test_the_tables_for_custom_keys_of_hugo_and_zola_count(table: str) -> None:
    audience = read_audience({table: {"hardware_tier": "3", "proficiency_level": "C1"}}, None)
    assert (audience.hardware_tier, audience.levels) == (3, ("C1",))


@pytest.mark.parametrize(
    ("written", "levels"),
    [
        ("A2", "A2"),
        ("b1", "B1"),
        ("CEFR A2", "A2"),
        ("A2-B1", "A2 B1"),
        ("A1-B2", "A1 A2 B1 B2"),
        ("B2–A2", "A2 B1 B2"),
        ("A2 to B2", "A2 B1 B2"),
        ("A1, C1", "A1 C1"),
        ("A1, C1 (self-assessed)", "A1 C1"),
        ("beginner", "A1 A2"),
        ("Intermediate", "B1 B2"),
        ("advanced", "C1 C2"),
        ("Beginner-Intermediate", "A1 A2 B1 B2"),
        ("advanced to beginner", "A1 A2 B1 B2 C1 C2"),
        ("beginner to C1", "A1 A2 B1 B2 C1"),
    ],
)
def test_levels_are_read_as_sets(written: str, levels: str) -> None:
    audience = read_audience({"proficiency_level": written}, None)
    assert audience.levels == tuple(levels.split())
    assert audience.declared == ("proficiency_level",)


@pytest.mark.parametrize("key", LEVEL_KEYS)
def test_every_level_key_is_read(key: str) -> None:
    assert read_audience({key: "C1"}, None).levels == ("C1",)


@pytest.mark.parametrize(
    ("written", "layers"),
    [
        ("L3", "L3"),
        ("3", "L3"),
        ("l2", "L2"),
        ("L1: 60%, L2: 40%", "L1 L2"),
        ("Layer 1", "L1"),
        ("Layer 2→3", "L2 L3"),
        ("Layers 2-3", "L2 L3"),
        ("Layer 1 (Manual Foundation) + Layer 2 (AI Collaboration)", "L1 L2"),
    ],
)
def test_layers_are_read_as_sets(written: str, layers: str) -> None:
    audience = read_audience({"layer": written}, None)
    assert (audience.layers, audience.declared) == (tuple(layers.split()), ("layer",))


@pytest.mark.parametrize("key", LAYER_KEYS)
def test_every_layer_key_is_read(key: str) -> None:
    assert read_audience({key: "Layer 4"}, None).layers == ("L4",)


def test_a_list_is_a_set() -> None:
    assert read_audience({"proficiency_level": ["B1", "A2"], "layer": ["L2", "L1"]}, None) == Audience(
        1, ("A2", "B1"), ("L1", "L2"), ("proficiency_level", "layer"), ()
    )


def test_nested_levels_count_where_the_page_itself_names_none() -> None:
    nested = {
        "skills": [{"name": "Reading", "proficiency_level": "A2-B1"}, {"proficiency_level": "C1"}],
        "learning_objectives": {"first": {"proficiency_level": "A1"}},
    }
    assert read_audience(nested, None).levels == ("A1", "A2", "B1", "C1")
    assert read_audience(nested | {"proficiency_level": "B2"}, None).levels == ("B2",)


def test_an_unknown_word_is_reported_and_the_default_stands() -> None:
    audience = read_audience({"difficulty": "spicy", "layer": "top"}, None)
    assert (audience.levels, audience.layers, audience.declared) == (("A2",), ("L1",), ())
    assert audience.unusable == (
        ("difficulty", "spicy", "names no level A1 to C2; the default stands"),
        ("layer", "top", "names no layer L1 to L4; the default stands"),
    )


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("3", 3),
        ("03", 3),
        ("3.0", 3),
        (" 3 ", 3),
        ("-1", -1),
        ("3.5", None),
        ("three", None),
        ("", None),
        (["3"], None),
    ],
)
def test_whole_numbers_are_read_from_what_authors_write(written: Any, number: int | None) -> None:
    assert whole_number(written) == number


VALUES = st.recursive(
    st.none() | st.text(max_size=12) | st.sampled_from(["A2-B1", "L1", "beginner", "Tier 2", "7"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*LEVEL_KEYS, "skills"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*LEVEL_KEYS, *LAYER_KEYS, "hardware_tier", "tier", "skills"]), VALUES))
def test_any_front_matter_gives_a_usable_audience(values: dict[str, Any]) -> None:
    audience = read_audience(values, None)
    assert audience.hardware_tier in TIERS
    for found, known in ((audience.levels, LEVELS), (audience.layers, LAYERS)):
        assert found and list(found) == sorted(set(found), key=known.index)

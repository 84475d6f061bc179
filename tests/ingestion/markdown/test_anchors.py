"""Anchors are those of GitHub and Docusaurus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.markdown.headings import number_anchors, slug


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Hello World", "hello-world"),
        ("  What's new?  ", "whats-new"),
        ("24/7 & more", "247--more"),
        ("ros2_node --help", "ros2_node---help"),
        ("Ünïcode Straße", "ünïcode-straße"),
        ("机器人 走路", "机器人-走路"),
        ("پہلا سبق", "پہلا-سبق"),
        ("हिन्दी", "हिन्दी"),
        ("Emoji 🤖 here", "emoji--here"),
        ("C++", "c"),
        ("", ""),
    ],
)
def test_slugs(title: str, anchor: str) -> None:
    assert slug(title) == anchor


def test_repeats_are_numbered() -> None:
    assert number_anchors(["A", "A", "B", "A"], [None] * 4) == ["a", "a-1", "b", "a-2"]


def test_a_heading_with_an_id_of_its_own_keeps_it_and_others_make_room() -> None:
    assert number_anchors(["A", "A", "X"], [None, "a-1", "a"]) == ["a-2", "a-1", "a"]


@given(st.lists(st.sampled_from(["A", "a", "A 1", "A-1", "B", "?"]), max_size=20))
def test_no_two_headings_share_an_anchor(titles: list[str]) -> None:
    anchors = number_anchors(titles, [None] * len(titles))
    assert len(set(anchors)) == len(titles)

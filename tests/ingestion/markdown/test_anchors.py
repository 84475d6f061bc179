"""Anchors are those of GitHub and Docusaurus."""

from __future__ import annotations

import pytest

from ingestion.markdown.anchors import number_like_github, slug, split_any


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Hello World", "hello-world"),
        ("What's new?", "whats-new"),
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


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("I²C", "ic"),
        ("½ ①", "-"),
        ("Ⅷ Ⓐ", "ⅷ-ⓐ"),
        ("a\u00a0b\u3000c\td", "abcd"),
        ("two  spaces", "two--spaces"),
        (" x", "-x"),
    ],
)
def test_slugs_are_exactly_those_of_github_slugger(title: str, anchor: str) -> None:
    assert slug(title) == anchor


def test_repeats_are_numbered() -> None:
    assert number_like_github([("a", None), ("a", None), ("b", None), ("a", None)]) == ["a", "a-1", "b", "a-2"]


def test_a_heading_with_an_id_of_its_own_reserves_nothing() -> None:
    assert number_like_github([("a", None), ("a", "a-1"), ("a", None)]) == ["a", "a-1", "a-1"]


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("Setup {#own}", ("Setup", "own")),
        ("Setup {#own .wide x=1}", ("Setup", "own")),
        ("Setup {: #own .note}", ("Setup", "own")),
        ("Setup[[own]]", ("Setup", "own")),
        ("Setup {/* #own for a reason */}", ("Setup", "own")),
        ("Setup {/* TODO */}", ("Setup {/* TODO */}", None)),
        ("Related to [[Hygrometer]]", ("Related to [[Hygrometer]]", None)),
        ("{level}", ("{level}", None)),
    ],
)
def test_ids_that_authors_write(text: str, split: tuple[str, str | None]) -> None:
    assert split_any(text) == split

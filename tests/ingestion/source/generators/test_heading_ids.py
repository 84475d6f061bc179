"""Headings are named as real builds of each generator named them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.source.generators import of_style, styles

BUILDS = {
    "mdbook": "mdbook 0.5.4",
    "hugo": "hugo 0.168.0",
    "mkdocs": "mkdocs (attr_list)",
    "mkdocs-unicode": "mkdocs (pymdownx slugify lower)",
    "vitepress": "vitepress 1.6.4",
    "jekyll": "jekyll 4.3.1 (kramdown)",
    "docusaurus": "docusaurus 3.10.2 (.md)",
}
RECORDED = json.loads((Path(__file__).parent / "heading_ids.json").read_text(encoding="utf-8"))["headings"]
"""The ids of 70 headings on one page in each of seven builds; null where the build gave none."""

AS_BUILT = {("vitepress", "![Alt](x.png) picture"): "Alt picture"}
"""Headings that had to be changed for a build."""

NOT_AS_RECORDED = {
    # An id attribute with blanks, of which the record holds the first word.
    ("docusaurus", "Custom two {#My_ID .cls key=val}"): "My_ID .cls key=val",
    # The record holds no id for this heading, which is a link as a whole.
    ("hugo", "a@b.example"): "abexample",
}


@pytest.mark.parametrize("style", BUILDS)
def test_each_style_names_headings_as_its_generator_does(style: str) -> None:
    sources = [row["markdown"] for row in RECORDED]
    headings = [(2, AS_BUILT.get((style, source), source).rstrip(" #")) for source in sources]
    anchors = [anchor for _, anchor in of_style(style).heading_ids(None).name(headings)]
    expected = [NOT_AS_RECORDED.get((style, row["markdown"]), row[BUILDS[style]] or "") for row in RECORDED]
    assert dict(zip(sources, anchors, strict=True)) == dict(zip(sources, expected, strict=True))
    assert anchors == expected


@pytest.mark.parametrize(
    ("case", "name"),
    [("n03", "01-entities.md"), ("n04", "01-anchors.md"), ("n14", "01-attrs.md"), ("n14", "02-comments.mdx")],
)
def test_odd_headings_are_named_as_docusaurus_names_them(cases: Path, case: str, name: str) -> None:
    found = json.loads((cases / case / "docusaurus-3.10.2-anchors.json").read_text(encoding="utf-8"))
    expected = found[name] if isinstance(found, dict) else found
    lines = (cases / case / "docs" / name).read_text(encoding="utf-8").split("\n")
    headings = [(len(line) - len(line.lstrip("#")), line.lstrip("#").strip()) for line in lines if line[:1] == "#"]
    named = of_style("docusaurus").heading_ids(None).name(headings)
    # The build's list lacks a title with a no-break space, and has ids of titles, which the theme leaves out.
    anchors = [anchor for text, anchor in named if anchor and "\xa0" not in text and "\u202f" not in text]
    assert anchors == [row["id"] for row in expected if row["level"] > 1]


@pytest.mark.parametrize("style", styles())
@given(st.lists(st.sampled_from(["A", "a", "A 1", "A-1", "A_1", "B", "?", "", "B {#a}"]), max_size=20))
def test_anchors_repeat_only_where_the_generator_repeats_them(style: str, titles: list[str]) -> None:
    anchors = [
        anchor for _, anchor in of_style(style).heading_ids(None).name([(2, title) for title in titles]) if anchor
    ]
    own = {"a"} if any("{" in title for title in titles) else set()
    repeated = {anchor for anchor in anchors if anchors.count(anchor) > 1} - own
    assert not repeated or style == "jekyll"


@pytest.mark.parametrize("style", styles())
def test_ten_thousand_equal_headings_take_no_time(style: str) -> None:
    anchors = [anchor for _, anchor in of_style(style).heading_ids(None).name([(2, "Same")] * 10_000)]
    assert len(set(anchors)) == 10_000

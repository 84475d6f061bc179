"""One reader of attributes, for tags, shortcodes, options and braces."""

from __future__ import annotations

import pytest

from ingestion.markdown.attributes import attributes
from ingestion.markdown.linter import lint_page


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("a=\"x y\" b='z' c=d", [("a", "x y"), ("b", "z"), ("c", "d")]),
        ('a = "" b=\'it"s\'', [("a", ""), ("b", 'it"s')]),
        ('#id .class key="v"', [("#id", None), (".class", None), ("key", "v")]),
        ('file.md "a text" `raw`', [("file.md", None), ("", "a text"), ("", "raw")]),
        ("n={5} t={ 'x' } e={f(1)}", [("n", "5"), ("t", "x"), ("e", None), ("f(1)", None)]),
        ('open="never closed', [("open", None), ("never", None), ("closed", None)]),
    ],
)
def test_attributes_are_read_in_every_way_that_they_are_written(
    written: str, found: list[tuple[str, str | None]]
) -> None:
    assert [(each.name, each.value) for each in attributes(written)] == found


def test_an_attribute_tells_where_it_begins_and_whether_its_value_is_a_text() -> None:
    assert [(each.start, each.is_text) for each in attributes("a=b c='d'")] == [(0, False), (4, True)]


@pytest.mark.parametrize(
    "tag", ["<a href=gone.md>", '<a\n href="gone.md">', "<a href={'gone.md'}>", "<A HREF='gone.md'>"]
)
def test_a_link_in_a_tag_is_checked_however_its_address_is_written(tag: str) -> None:
    assert [link.target for link in lint_page(f"See {tag}the page</a>.\n").links] == ["gone.md"]


def test_an_expression_of_javascript_is_no_address() -> None:
    assert lint_page("See <a href={toPage(1)}>the page</a>.\n").links == ()

"""One reader of attributes, for tags, shortcodes, options and braces."""

from __future__ import annotations

import pytest

from ingestion.markdown.attributes import attributes


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

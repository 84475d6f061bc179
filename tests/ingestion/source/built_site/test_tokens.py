"""HTML is read in one pass: what is right as browsers read it, and what is broken without reading it twice."""

from __future__ import annotations

import pytest

from ingestion.source.built_site.tokens import Tag, read_tokens


def names(html: str) -> list[str]:
    return [
        f"{'/' if token.is_end else ''}{token.name}" if isinstance(token, Tag) else token
        for token in read_tokens(html)
    ]


def test_tags_texts_and_entities_come_in_order() -> None:
    assert names("<P CLASS=x>a &amp; b<br/>c</P>") == ["p", "a & b", "br", "c", "/p"]


def test_attributes_are_read_in_every_form_and_the_first_of_two_counts() -> None:
    (tag,) = (token for token in read_tokens("<a HREF='#x' id=y hidden title=\"1 > 0\" id=z data-a = b>"))
    assert isinstance(tag, Tag)
    assert dict(tag.attributes) == {"href": "#x", "id": "y", "hidden": "", "title": "1 > 0", "data-a": "b"}


def test_what_is_no_html_yields_no_tags() -> None:
    assert names("<script>if (a </b) '<p>'</script>x") == ["script", "/script", "x"]
    assert names("<title>A <b> &lt;</title>") == ["title", "A <b> <", "/title"]
    assert names("<!-- <p> --><!doctype html><?php <p> ?></ x>y") == [" ?>", "y"]


def test_a_sign_that_opens_nothing_is_text() -> None:
    assert "".join(names("a < b, 1 <2 and a <")) == "a < b, 1 <2 and a <"


@pytest.mark.parametrize(
    "unit", ["<a ", "<a", "<a x=", '<a x="', "<a x='", "<a/", "<!--", "</", "</a ", "<title>", "<a<"]
)
def test_what_is_never_closed_ends_the_page_at_once(unit: str) -> None:
    # Of 40 kB of the first, `html.parser` reads for over a minute; this would read 4 MB for days.
    assert list(read_tokens("<p>before" + unit * (4_000_000 // len(unit))))[:2] == [Tag("p", False), "before"]

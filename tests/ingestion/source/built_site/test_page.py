"""A built page is read as its readers see it, whatever the theme around the article."""

from __future__ import annotations

import pytest

from ingestion.source.built_site.page import BuiltHeading, read_page
from tests.support.built_sites import built_page


def test_the_article_is_what_holds_the_title() -> None:
    page = read_page(built_page("Levers", "<h1>Levers</h1><p>The cobalt <b>lev</b>er.</p><nav>Next</nav>"))
    assert (page.title, page.h1) == ("Levers | The book", "Levers")
    assert page.blocks == ("Levers", "The cobalt lever.")


@pytest.mark.parametrize(
    "heading",
    [
        "<h2 id='x'>Two words<a class='headerlink' href='#x'>¶</a></h2>",
        "<h2 id='x'><a href='#x'>Two words</a></h2>",
        "<section id='x'><h2>Two words</h2><p>a</p></section>",
        "<div class='section' id='x'><h2>Two words<a href='#x'>#</a></h2></div>",
        "<h2><a id='x'></a>Two words</h2>",
        "<h2><a name='x'></a>Two <code>words</code></h2>",
        "<div><h2 id='x'>Two <span>words</span></h2><a href='#x'><span class='sr-only'>Section</span></a></div>",
    ],
)
def test_the_id_of_a_heading_is_found_where_themes_put_it(heading: str) -> None:
    page = read_page(built_page("T", f"<h1>T</h1>{heading}"))
    assert page.headings[-1] == BuiltHeading(2, ("x",), "Two words") and page.names["x"] == "Two words"
    assert "x" in page.ids


def test_an_id_around_other_words_is_that_of_no_heading() -> None:
    page = read_page(built_page("T", "<section id='x'><p>First.</p><h2>Later</h2></section>"))
    assert page.headings[-1].ids == () and "x" in page.ids and page.names == {}


def test_hidden_words_are_not_shown_and_those_behind_a_click_are() -> None:
    shown = "<details><summary>More</summary>inside</details><div role=tabpanel hidden>second tab</div>"
    hidden = (
        "<div hidden>a</div><p style='display: none'>b</p><template>c</template><span aria-hidden=true>d</span>"
        "<button>Copy</button><span class='visually-hidden'>e</span><svg><title>f</title></svg>"
    )
    page = read_page(built_page("T", f"<h1>T</h1>{shown}{hidden}<p>word<sup><a href='#fn1'>1</a></sup></p>"))
    assert page.blocks == ("T", "More", "inside", "second tab", "word") and page.title == "T | The book"


def test_a_page_says_where_it_lies_and_whether_it_leads_elsewhere() -> None:
    head = "<link rel=canonical href='https://x.example/a/'><meta name=robots content='NOINDEX,follow'>"
    page = read_page(built_page("T", "<h1>T</h1>", head=head))
    assert (page.canonical, page.redirect, page.listed) == ("https://x.example/a/", "", False)
    assert read_page("<meta http-equiv=Refresh content='0; url=b/'>").redirect == "0; url=b/"


def test_broken_pages_are_read_to_their_end() -> None:
    page = read_page("<main><h1>T<p>one<li>two</b></main></main><p>three" + "<b>" * 100_000 + "</i>" * 100_000)
    assert page.h1.startswith("T") and not page.ids


def test_a_page_without_an_article_is_read_whole() -> None:
    page = read_page("<title>T</title><h1>T</h1><p>one<p>two<ul><li>three<li>four</ul>")
    assert page.blocks == ("T", "one", "two", "three", "four")

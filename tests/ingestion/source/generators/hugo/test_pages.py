"""Which files Hugo makes pages of, what its tabs show, and how it names headings with attributes and shortcodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.generators import of_style
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source
from tests.generators.books.common import write_site

SETTINGS = load_settings({}, environ={})
SITE = 'baseURL = "https://x.example/"\n'


def test_files_that_the_configuration_ignores_have_no_page(tmp_path: Path) -> None:
    config = (
        SITE + "ignoreFiles = ['\\.tmp\\.md$', 'content/old/', '(']\n"
        "[[module.mounts]]\nsource = 'content'\ntarget = 'content'\nexcludeFiles = ['drafts/**', 'x.md']\n"
    )
    names = ("a.md", "b.tmp.md", "old/c.md", "drafts/deep/d.md", "x.md", "deep/x.md")
    write_site(tmp_path, {"hugo.toml": config, **{f"content/{name}": "# A\n" for name in names}})
    found = crawl_book(tmp_path / "content", SETTINGS)
    assert [file.path for file in found.files] == ["a.md", "deep/x.md"]
    assert {each.path: each.reason for each in found.skipped} == {
        **dict.fromkeys(("b.tmp.md", "old/c.md"), "ignored in hugo.toml (`ignoreFiles`)"),
        **dict.fromkeys(("drafts/deep/d.md", "x.md"), "left out in hugo.toml (`excludeFiles`)"),
    }


@pytest.mark.parametrize(
    ("pane", "tab", "is_code"),
    [("", ' "T" lang="toml"', True), ("text=true", "", False), ("", "text=true", False), ('lang="js"', "", True)],
)
def test_the_inside_of_a_tab_is_code_as_docsy_shows_it(tmp_path: Path, pane: str, tab: str, is_code: bool) -> None:
    inside = "+++\ntitle = 1\n---\n# remark\n```"
    text = f"{{{{< tabpane {pane} >}}}}\n{{{{< tab {tab} >}}}}\n{inside}\n{{{{< /tab >}}}}\n{{{{< /tabpane >}}}}\n"
    write_site(tmp_path, {"hugo.toml": SITE, "content/a.md": f"# A\n\n{text}\n## Last\n"})
    (file,) = crawl_book(tmp_path / "content", SETTINGS).files
    body = parse_lesson(read_source(file), SETTINGS).body
    assert ("\n````" in body) is is_code and inside in body


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Own {id=x}", "x"),
        ("Own {#a id=b}", "b"),
        ('Own {id="c" .d}', "c"),
        ("{{% icon %}} Checks", ""),
        ("Say {{< say >}} that", ""),
        ("Say {{< say >}} that {#own}", "own"),
        ("A sample {{</* tab */>}}", "a-sample--tab-"),
    ],
)
def test_attributes_name_headings_and_shortcodes_leave_them_without_an_anchor(heading: str, anchor: str) -> None:
    """The words of a shortcode are those of a template, which is not run: no anchor rather than a dead one."""
    ((_, made),) = of_style("hugo").heading_ids(None).name([(2, heading)])
    assert made == anchor

"""Links of a book: what leads nowhere is found, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.settings.loader import load_settings
from ingestion.source.linter import CheckReport, check_book
from tests.support.books import write_book

TEXT = "A page says something that is long enough to be worth the reading, in more words than a stub has.\n"
TARGET = f"# Target\n\n{TEXT}\n## Own part {{#own}}\n\n## Same\n\n## Same\n\n<a name='old'></a>\n"


def check(root: Path, links: str, files: dict[str, str] | None = None, **flags: object) -> CheckReport:
    pages = {
        "one/a.md": f"# A\n\n{TEXT}\n{links}\n",
        "one/b.md": TARGET,
        "two/02-c.md": TARGET,
        "pic.png": "",
        **(files or {}),
    }
    write_book(root, pages)
    return check_book(root, load_settings(flags, environ={}))


def rules(report: CheckReport) -> list[tuple[int | None, str]]:
    return [(each.line, each.rule) for each in report.findings]


@pytest.mark.parametrize(
    ("link", "rule"),
    [
        ("[x](gone.md)", "broken-link"),
        ("[x](../two/gone.md#own)", "broken-link"),
        ("[x](<gone with blanks.md>)", "broken-link"),
        ("[x][ref]\n\n[ref]: gone.md", "broken-link"),
        ('<a href="gone.md">x</a>', "broken-link"),
        ("[x](gone)", "broken-link"),
        ("[x](/gone.md)", "broken-link"),
        ("[x](code/gone.py)", "broken-link"),
        ("![x](gone.png)", "missing-image"),
        ('<img src="gone.png" alt="x">', "missing-image"),
        ("[![x](gone.png)](b.md)", "missing-image"),
        ("[x](b.md#gone)", "missing-anchor"),
        ("[x](#gone)", "missing-anchor"),
        ("[x](b.md#same-7)", "missing-anchor"),
    ],
)
def test_what_leads_nowhere_is_found(tmp_path: Path, link: str, rule: str) -> None:
    (found,) = check(tmp_path, link).findings
    assert (found.path, found.rule) == ("one/a.md", rule)
    assert "gone" in found.message or "same-7" in found.message


@pytest.mark.parametrize(
    "link",
    [
        "[x](b.md) [x](./b.md#own) [x](b.md#same-1) [x](b.md#old) [x](#a) [x](#)",
        "[x](../two/02-c.md) [x](../two/c) [x](../two/c/) [x](/one/b.md) [x](../one/) [x](..)",
        "![x](../pic.png) ![x](/pic.png) <img src='../pic.png'> [x](../pic.png)",
        "[x](https://x.example/gone.md) [x](mailto:a@x.example) [x](//x.example/a.md) <https://x.example>",
        "`[x](gone.md)` \\[x](gone.md)",
        "```md\n[x](gone.md)\n```",
        "<!-- [x](gone.md) -->",
        '[x]({{< ref "gone.md" >}}) [x]({{ site.url }}/gone.md)',
        "[x](../../elsewhere/gone.md)",
        "[x](b.md#:~:text=anything) [x](#fn:1) [x](#top)",
        "[x](b.md?raw=1#own)",
        "[x](/page-of-the-site)",
    ],
)
def test_what_is_there_or_cannot_be_judged_is_no_finding(tmp_path: Path, link: str) -> None:
    assert check(tmp_path, link).findings == ()


def test_a_link_is_reported_with_the_line_in_the_file(tmp_path: Path) -> None:
    files = {"one/d.md": f"---\ntitle: D\n---\n# D\n\n{TEXT}\n- [x](gone.md)\n"}
    assert rules(check(tmp_path, "", files)) == [(8, "broken-link")]


def test_anchors_follow_the_style_of_the_site(tmp_path: Path) -> None:
    heading = {"one/d.md": f"# D\n\n{TEXT}\n## Größe & Maß\n"}
    assert rules(check(tmp_path, "[x](d.md#groe-ma)", heading, **{"book.style": "mkdocs"})) == []
    assert rules(check(tmp_path, "[x](d.md#größe--maß)", heading, **{"book.style": "mkdocs"})) == [
        (5, "missing-anchor")
    ]
    assert (
        rules(check(tmp_path, "[x](d.md#gr%C3%B6%C3%9Fe--ma%C3%9F)", heading, **{"book.style": "docusaurus"})) == []
    )


def test_the_title_has_no_anchor_in_docusaurus(tmp_path: Path) -> None:
    assert rules(check(tmp_path, "[x](b.md#target)", **{"book.style": "docusaurus"})) == [(5, "missing-anchor")]
    assert rules(check(tmp_path, "[x](b.md#target)", **{"book.style": "mkdocs"})) == []


def test_a_page_that_takes_in_other_text_may_have_any_anchor(tmp_path: Path) -> None:
    files = {"one/d.md": f"# D\n\n{TEXT}\n{{{{#include listing.md}}}}\n"}
    assert [rule for _, rule in rules(check(tmp_path, "[x](d.md#from-there)", files))] == ["unresolved-include"]


@pytest.mark.parametrize(
    "part",
    [
        "(Code-run)=\nA paragraph.",
        "```{code-block} python\n:name: code-run\nrun()\n```",
        ":::{figure} ../pic.png\n:label: code-run\nA caption.\n:::",
        "1. Do this.\n\n   ```{math}\n   ---\n   label: code-run\n   ---\n   x\n   ```",
    ],
)
def test_a_label_of_myst_is_known_on_every_page(tmp_path: Path, part: str) -> None:
    labelled = {"two/d.md": f"# D\n\n{TEXT}\n{part}\n"}
    style = {"book.style": "sphinx"}
    assert rules(check(tmp_path / "with", "[](#code-run)\n[](../two/d.md#code-run)", labelled, **style)) == []
    assert rules(check(tmp_path / "without", "[](#code-run)", **style)) == [(5, "missing-anchor")]


def test_what_a_plugin_of_mkdocs_puts_in_may_have_any_anchor_and_a_heading(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "nav: [{Of cli: docs/cli.md}]\ndocs_dir: .\n",
        "docs/cli.md": "::: a-plugin\n    :module: tool.cli\n",
        "docs/b.md": f"# B\n\n{TEXT}\n[x](cli.md#tool-run)\n",
        "docs/c.md": f"# C\n\n{TEXT}\n!!! note\n    ::: here\n\n[x](#gone)\n",
    }
    write_book(tmp_path, files)
    report = check_book(tmp_path / "docs", load_settings({}, environ={}))
    assert [(each.path, each.rule) for each in report.findings] == [("c.md", "missing-anchor")]


def test_a_name_that_only_sphinx_can_resolve_is_not_judged(tmp_path: Path) -> None:
    links = "[x](#Spawner.start)\n[x](#options_form)\n[x](rest-api-get-users)\n[x](#gone)\n[x](gone.md)"
    assert rules(check(tmp_path / "sphinx", links, **{"book.style": "sphinx"})) == [
        (8, "missing-anchor"),
        (9, "broken-link"),
    ]
    assert len(check(tmp_path / "mkdocs", links, **{"book.style": "mkdocs"}).findings) == 5


def test_a_page_in_another_format_is_there(tmp_path: Path) -> None:
    assert rules(check(tmp_path, "[x](../two/notebook)\n[x](../two/gone)", {"two/notebook.ipynb": ""})) == [
        (6, "broken-link")
    ]


def test_slugs_and_ids_are_addresses_too(tmp_path: Path) -> None:
    files = {"one/d.md": f"---\nslug: /other\nid: named\n---\n# D\n\n{TEXT}"}
    assert rules(check(tmp_path, "[x](/other) [x](../other) [x](named)", files)) == []


def test_pictures_in_the_folder_for_static_files_are_there(tmp_path: Path) -> None:
    write_book(tmp_path, {"docusaurus.config.js": "module.exports = {};\n", "static/img/a.png": ""})
    check(tmp_path / "docs", "![x](/img/a.png) ![x](/img/gone.png)")
    found = check_book(tmp_path / "docs", load_settings({}, environ={})).findings
    assert [each.message.split("`")[1] for each in found] == ["/img/gone.png"]


def test_pictures_that_are_all_kept_elsewhere_are_one_note(tmp_path: Path) -> None:
    report = check(tmp_path, "\n".join(f"![x](img/{number}.jpg)" for number in range(12)))
    assert report.findings == ()
    assert report.notes == ("12 links to pictures were not checked: most of these are kept elsewhere",)


def test_an_address_may_be_read_from_the_page_as_a_folder(tmp_path: Path) -> None:
    """`../#here` in `one/a.md` is the page of `one/` where pages have folders of their own."""
    files = {"index.md": f"# All\n\n{TEXT}", "one/index.md": f"# One\n\n{TEXT}\n## Here\n"}
    found = check(tmp_path, "[x](../#here) [y](../#all) [z](../#nowhere)", files)
    assert [each.message for each in found.findings] == ["`../#nowhere`: index.md has no heading or id `nowhere`"]


@pytest.mark.parametrize(
    ("link", "rule"),
    [
        ("[x](../new-name/)", None),
        ("[x](/far/old/)", None),
        ("[x](../../far/old/#own)", None),
        ("[x](../new-name/#gone)", "missing-anchor"),
        ("[x](../nothing/)", "broken-link"),
        ("[x](ENGLISH_VERSION_URL)", None),
    ],
)
def test_a_link_may_name_the_address_that_the_site_gives_a_page(tmp_path: Path, link: str, rule: str | None) -> None:
    files = {
        "hugo.yaml": "baseURL: https://x.example/\npermalinks: {posts: '/b/:slug/'}\n",
        "content/posts/one.md": f"---\ntitle: One\n---\n# One\n\n{TEXT}\n{link}\n",
        "content/posts/two.md": f"---\nslug: New Name\naliases: [/far/old/]\n---\n# Two\n\n{TEXT}\n## Own\n\n{TEXT}",
    }
    write_book(tmp_path, files)
    assert [each.rule for each in check_book(tmp_path, load_settings({}, environ={})).findings] == (
        [rule] if rule else []
    )

"""`bookwise check --site`: a book, its index and its built site are held against each other, both ways."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.books import write_book
from tests.support.built_sites import built_page, write_build
from tests.support.command_line import document, run

CONFIG = "site_name: B\nsite_url: https://x.example/sub/\n"
LEVER = "# The lever\n\nThe cobalt lever opens the valve.\n\n## Its spring\n\nA spring of steel pulls it back.\n"
SENSOR = (
    "# The sensor\n\nThe amber sensor tells how full the tank is.\n\n## Its cable\n\nA cable of copper leads to it.\n"
)
PAGES = {
    "index.html": built_page("Home", "<h1 id=home>Home</h1><p>Everything on the arm.</p>"),
    "lever/index.html": built_page(
        "The lever",
        "<h1 id=the-lever>The lever</h1><p>The cobalt lever opens the valve.</p>"
        "<h2 id=its-spring>Its spring</h2><p>A spring of steel pulls it back.</p>",
    ),
    "sensor/index.html": built_page(
        "The sensor",
        "<h1 id=the-sensor>The sensor</h1><p>The amber sensor tells how full the tank is.</p>"
        "<h2 id=its-cable>Its cable</h2><p>A cable of copper leads to it.</p>",
    ),
}


def write(folder: Path, pages: Mapping[str, str] = PAGES) -> None:
    write_book(
        folder / "docs", {"index.md": "# Home\n\nEverything on the arm.\n", "lever.md": LEVER, "sensor.md": SENSOR}
    )
    (folder / "mkdocs.yml").write_text(CONFIG)
    write_build(folder / "site", pages)


def findings(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document(run("check", "--site", "site", "--json", *arguments))["findings"]
    return found


def only(rule: str) -> dict[str, Any]:
    (finding,) = findings()
    assert finding["rule"] == rule, finding
    return finding


def test_nothing_is_found_where_site_and_lessons_agree(clean_surroundings: Path) -> None:
    write(clean_surroundings)
    assert findings() == []


def test_an_address_without_a_page_names_where_the_site_has_the_lesson(clean_surroundings: Path) -> None:
    moved = {name.replace("lever/", "parts/the-lever/"): page for name, page in PAGES.items()}
    write(clean_surroundings, moved)
    finding = only("dead-address")
    assert finding["path"] == "lever.md" and "https://x.example/sub/lever/" in finding["message"]
    assert "parts/the-lever/index.html" in finding["message"]


def test_a_lesson_that_the_site_does_not_publish_is_named(clean_surroundings: Path) -> None:
    write(clean_surroundings, {name: page for name, page in PAGES.items() if "lever" not in name})
    assert only("dead-address")["message"] == "the built site has no page for it"


def test_a_dead_anchor_and_one_of_another_heading_are_found_at_their_lines(clean_surroundings: Path) -> None:
    dead = PAGES["lever/index.html"].replace("id=its-spring", "id=spring_1")
    other = PAGES["sensor/index.html"].replace("id=its-cable", "id=cable").replace("id=the-sensor", "id=its-cable")
    write(clean_surroundings, {**PAGES, "lever/index.html": dead, "sensor/index.html": other})
    found = {(each["path"], each["line"], each["rule"]) for each in findings()}
    assert found == {
        ("lever.md", 5, "dead-anchor"),
        ("sensor.md", 1, "dead-anchor"),
        ("sensor.md", 5, "other-heading"),
    }


def test_words_are_compared_both_ways(clean_surroundings: Path) -> None:
    less = PAGES["lever/index.html"].replace("cobalt", "<span hidden>cobalt</span>")
    more = PAGES["sensor/index.html"].replace("tank is", "tank is, by a gauge of glass")
    write(clean_surroundings, {**PAGES, "lever/index.html": less, "sensor/index.html": more})
    told = {(each["path"], each["rule"]): each["message"] for each in findings()}
    assert told == {
        ("lever.md", "unpublished-words"): "1 word searched and not on the built page: cobalt",
        ("sensor.md", "unsearched-words"): "3 words of the built page in no chunk: by gauge glass",
    }


def test_a_list_of_other_lessons_texts_is_neither_a_page_without_lesson_nor_lost_words(
    clean_surroundings: Path,
) -> None:
    texts = [page.partition("<p>")[2].partition("</p>")[0] for page in PAGES.values()]
    posts = "".join(f"<article><p>{text}</p><small>Read on by Asha</small></article>" for text in texts[1:])
    others = {
        "archive/index.html": built_page("2026", f"<h1>2026</h1>{posts}"),
        "index.html": PAGES["index.html"].replace("</h1>", f"</h1>{posts}"),
    }
    write(clean_surroundings, {**PAGES, **others})
    told = {(each["path"], each["rule"]): each["message"] for each in findings()}
    assert told == {("index.md", "unsearched-words"): "3 words of the built page in no chunk: read by asha"}


def test_words_of_buttons_are_on_the_page_and_words_that_nobody_sees_are_not(clean_surroundings: Path) -> None:
    page = PAGES["lever/index.html"]
    pages = [
        page.replace("cobalt", f"<{name}>cobalt</{end}>") for name, end in (("button", "button"), ("b hidden", "b"))
    ]
    write(clean_surroundings, {**PAGES, "lever/index.html": pages[0]})
    assert findings() == []
    write(clean_surroundings, {**PAGES, "lever/index.html": pages[1]})
    assert only("unpublished-words")["message"].endswith("cobalt")


def test_a_page_that_no_lesson_leads_to_is_found_unless_it_is_none(clean_surroundings: Path) -> None:
    long = "<p>" + "Words of a page that somebody wrote by hand. " * 5 + "</p>"
    others = {
        "extra/index.html": built_page("Extra", f"<h1>Extra</h1>{long}"),
        "404.html": built_page("Gone", f"<h1>Gone</h1>{long}"),
        "print.html": built_page("All", f"<h1>All</h1>{long}", head="<meta name=robots content=noindex>"),
        "old/index.html": "<meta http-equiv=refresh content='0; url=../lever/'>",
        "tags/index.html": built_page("Tags", "<h1>Tags</h1><ul><li>lever</ul>"),
    }
    write(clean_surroundings, {**PAGES, **others})
    finding = only("page-without-lesson")
    assert finding["path"] == "../site/extra/index.html"
    annotated = run("check", "--site", "site", "--format", "github").stdout
    assert "::warning file=site/extra/index.html,line=1,title=page-without-lesson::" in annotated


def test_strict_is_red_and_a_rule_can_be_switched_off(clean_surroundings: Path) -> None:
    write(clean_surroundings, {name: page for name, page in PAGES.items() if "lever" not in name})
    assert run("check", "--site", "site").exit_code == 0
    assert run("check", "--site", "site", "--strict").exit_code == 3
    (clean_surroundings / "bookwise.toml").write_text('[check]\ndisable = ["dead-address"]\n')
    assert run("check", "--site", "site", "--strict").exit_code == 0


def test_the_index_is_compared_too(clean_surroundings: Path) -> None:
    write(clean_surroundings)
    assert run("ingest").exit_code == 0
    (clean_surroundings / "docs/lever.md").write_text(LEVER.replace("Its spring", "The spring"))
    build = PAGES["lever/index.html"].replace("Its spring", "The spring").replace("its-spring", "the-spring")
    write_build(clean_surroundings / "site", {"lever/index.html": build})
    finding = only("dead-anchor")
    assert finding["path"] == "lever.md" and finding["message"].startswith("in the index: `#its-spring`")


def test_the_site_of_another_book_is_refused(clean_surroundings: Path) -> None:
    names = ("index.html", "install/index.html", "use/index.html")
    others = {name: built_page(f"On {name}", f"<h1>On {name}</h1><h2 id=a>Else</h2>") for name in names}
    write(clean_surroundings, others)
    result = run("check", "--site", "site")
    assert result.exit_code == 4 and "0 of 3 lessons match a page there" in result.stderr


@pytest.mark.parametrize("folder", ["gone", "docs"])
def test_a_folder_without_pages_is_named(clean_surroundings: Path, folder: str) -> None:
    write(clean_surroundings)
    result = run("check", "--site", folder)
    assert result.exit_code == 5 and f"--site {folder}: no built site" in result.stderr


def test_links_of_a_build_are_not_followed(clean_surroundings: Path, tmp_path: Path) -> None:
    write(clean_surroundings, {name: page for name, page in PAGES.items() if "lever" not in name})
    write_build(tmp_path, {"index.html": PAGES["lever/index.html"]})
    os.symlink(tmp_path, clean_surroundings / "site/lever")
    os.symlink(tmp_path / "index.html", clean_surroundings / "site/lever.html")
    assert only("dead-address")["path"] == "lever.md"

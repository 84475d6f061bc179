"""`llms.txt` and `llms-full.txt`: every lesson inside the filters with its address, in the book's order."""

from __future__ import annotations

from pathlib import Path

import pytest
from llms_txt import parse_llms_file

from rag.retrieval.catalogue import LessonEntry
from rag.retrieval.llms_txt import index_text
from tests.support.books import page, write_book
from tests.support.command_line import GPU, PAGES, QOS, document, run

BASE = "https://example.org/course"
CONFIGURATION = f"""
[book]
id = "course"
title = "A course"
base_url = "{BASE}"

[[modules]]
name = "zeta"
title = "First of all"
path = "zeta/**"

[[modules]]
name = "alpha"
path = "alpha/**"
"""
NEAR = "---\nhardware_tier: 1\n---\n\n# Near\n\nA lesson for anybody.\n\n```python\n# not a heading\n```\n"
LESSONS = {
    "zeta/02-last.md": page("Last", "The last lesson tells how it ends.", hardware_tier=1),
    "zeta/01-first [draft].md": page(
        "First [sic]", "The first lesson tells how it begins.", hardware_tier=1, description="How it\n  begins."
    ),
    "alpha/01-far.md": page("Far", "A lesson for robots alone.", hardware_tier=4),
    "alpha/02-near.md": NEAR,
}


def entry(module: str, title: str, address: str) -> LessonEntry:
    """A lesson of which the list shows title and address."""
    return LessonEntry(title, "a.md", "", address, module, None, None, 1, "en", "lesson", "")


@pytest.fixture
def course(clean_surroundings: Path) -> Path:
    write_book(clean_surroundings / "docs", LESSONS)
    (clean_surroundings / "bookwise.toml").write_text(CONFIGURATION)
    assert run("ingest").exit_code == 0
    return clean_surroundings


@pytest.fixture
def indexed(clean_surroundings: Path) -> Path:
    write_book(clean_surroundings / "docs", PAGES)
    assert run("ingest").exit_code == 0
    return clean_surroundings


def test_lessons_stand_in_the_books_order_with_address_and_description(course: Path) -> None:
    assert run("export", "--tier", "4").exit_code == 0
    lines = (course / "llms.txt").read_text().splitlines()
    assert lines[0] == "# A course"
    assert [line for line in lines if line.startswith("## ")] == ["## First of all", "## alpha"]
    titles = [line.split("](")[0] for line in lines if line.startswith("- ")]
    assert titles == ["- [First (sic)", "- [Last", "- [Far", "- [Near"]
    assert all(f"]({BASE}" in line for line in lines if line.startswith("- "))


def test_the_parser_of_the_proposal_reads_all_of_it(course: Path) -> None:
    assert run("export", "--tier", "4").exit_code == 0
    parsed = parse_llms_file((course / "llms.txt").read_text())
    assert (parsed.title, parsed.summary) == ("A course", "4 lessons: First of all; alpha.")
    assert "llms-full.txt" in parsed.info
    first, last = parsed.sections["First of all"]
    assert (first.title, first.desc, last.desc) == ("First (sic)", "How it begins.", None)
    assert first.url == f"{BASE}/zeta/first%20%5Bdraft%5D" and [each.title for each in parsed.sections.alpha] == [
        "Far",
        "Near",
    ]


def test_a_module_is_one_section_and_odd_addresses_are_read_whole() -> None:
    entries = [
        entry("a", "One", "https://e.org/a (b)"),
        entry("b", "Two", "https://e.org/b"),
        entry("a", "Three", "c"),
    ]
    parsed = parse_llms_file(index_text("Any\n book", entries))
    assert {name: [each.title for each in links] for name, links in parsed.sections.items()} == {
        "a": ["One", "Three"],
        "b": ["Two"],
    }
    assert (parsed.title, parsed.sections.a[0].url) == ("Any book", "https://e.org/a%20%28b%29")


def test_the_full_text_holds_each_lesson_once_under_its_address(course: Path) -> None:
    run("export", "out", "--tier", "4")
    text = (course / "out" / "llms-full.txt").read_text()
    for body in ("how it ends", "how it begins", "robots alone", "for anybody", "# not a heading"):
        assert text.count(body) == 1
    assert text.count("\n# Near\n") == 1 and f"Source: {BASE}/alpha/near" in text


def test_nothing_outside_of_the_filters_is_listed_or_written(course: Path) -> None:
    told = document(run("export", "--json"))
    assert told["lessons"] == 3 and told["filters"] == {"hardware_tier": 1}
    for name in told["files"]:
        text = (course / name).read_text()
        assert "robots alone" not in text and "Far" not in text


def test_without_a_site_a_lesson_has_its_path(indexed: Path) -> None:
    run("export")
    assert f"({QOS})" in (indexed / "llms.txt").read_text()
    assert f"Source: {QOS}\n" in (indexed / "llms-full.txt").read_text()
    assert GPU not in (indexed / "llms-full.txt").read_text()


def test_filters_that_hold_nothing_write_nothing(indexed: Path) -> None:
    empty = run("export", "out", "--chapter", "19")
    assert empty.exit_code == 2 and "no chapter 19" in empty.stderr
    assert not (indexed / "out").exists()
    assert "known are" in run("export", "--module", "cooking").stderr


def test_a_folder_that_cannot_be_written_is_named(indexed: Path) -> None:
    (indexed / "file").write_text("in the way")
    failed = run("export", "file")
    assert failed.exit_code == 13 and "cannot write file/llms.txt" in failed.stderr

"""Marks of note-taking programs are not shown, and findings are about what an author wrote."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ingestion.settings.loader import load_settings
from ingestion.source.generators.unknown.text import _MARK, _marks_in
from ingestion.source.includes.directives import PageFolders
from ingestion.source.linter import check_book
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source
from tests.generators.books.common import write_site

PIECES = [
    r"id:: ",
    r"id::",
    r"collapsed:: true",
    r"abcdefgh1",
    r"logseq.x:: ",
    r"background-color:: ",
    r"::",
    r"^",
    r"a1",
    r"((",
    r"!",
    r"[[",
    r"note",
    r"]]",
    r"((01234567-",
    r"89ab-cdef-0123-456789abcdef",
    r"))",
    r"`",
    r" ",
    "\t",
    "\n",
    "|",
]
"""Parts of marks, and what may stand around them."""

SETTINGS = load_settings({}, environ={})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The mast is steel. ^mast-2", "The mast is steel."),
        ("- Pump\n  id:: 64f1c0de-1111-2222-3333-444455556666\n  collapsed:: true\n- Next", "- Pump\n- Next"),
        ("Before ![[diagram.png|300]] behind", "Before  behind"),
        ("See ((64f1c0de-1111-2222-3333-444455556666)) too", "See  too"),
        ("```\nx ^y\n![[a.png]]\n```", "```\nx ^y\n![[a.png]]\n```"),
        ("Two to the 2^10 and x ^2 more", "Two to the 2^10 and x ^2 more"),
        ("A word :: its meaning", "A word :: its meaning"),
    ],
)
def test_marks_of_vaults_are_not_shown(tmp_path: Path, source: str, expected: str) -> None:
    from ingestion.source.book_folder import crawl_book

    write_site(tmp_path, {"a.md": f"# A\n\n{source}\n"})
    (file,) = crawl_book(tmp_path, SETTINGS).files
    assert parse_lesson(read_source(file), SETTINGS).body == f"# A\n\n{expected}\n"


def test_what_gitbook_includes_is_read_from_its_own_folder_and_from_no_other_hidden_one(tmp_path: Path) -> None:
    from ingestion.source.book_folder import crawl_book

    include = '{% include "../.gitbook/includes/shared.md" %}'
    write_site(tmp_path, {"a/b.md": f"# A\n\n{include}\n", ".gitbook/includes/shared.md": "The numbat note.\n"})
    (file,) = crawl_book(tmp_path, SETTINGS).files
    lesson = parse_lesson(read_source(file), SETTINGS)
    assert lesson.body == "# A\n\nThe numbat note.\n" and not lesson.findings
    write_site(
        tmp_path, {"a/b.md": f"# A\n\n{include.replace('includes', '../.git')}\n", ".git/shared.md": "Secret.\n"}
    )
    (file,) = crawl_book(tmp_path, SETTINGS).files
    assert "Secret" not in parse_lesson(read_source(file), SETTINGS).body


def test_numbers_that_the_order_gives_are_not_held_against_the_range(tmp_path: Path) -> None:
    nav = "".join(f"  - p{chr(97 + number)}.md\n" for number in range(26))
    pages = {f"docs/p{chr(97 + number)}.md": "# Page\n\nWords of a page that are enough.\n" for number in range(26)}
    write_site(tmp_path, {"mkdocs.yml": f"site_name: B\nnav:\n{nav}", **pages})
    rules = {finding.rule for finding in check_book(tmp_path / "docs", SETTINGS).findings}
    assert not rules & {"lesson-range", "chapter-range"}
    (tmp_path / "docs/pa.md").write_text("---\nlesson: 77\n---\n# Page\n\nWords.\n")
    (tmp_path / "docs/chapter-55").mkdir()
    (tmp_path / "docs/chapter-55/lesson-3.md").write_text("# Page\n\nWords.\n")
    found = {(finding.path, finding.rule) for finding in check_book(tmp_path / "docs", SETTINGS).findings}
    assert {("chapter-55/lesson-3.md", "chapter-range")} <= found


def test_examples_in_fences_are_no_findings_about_includes(tmp_path: Path) -> None:
    example = '```markdown\n--8<-- "gone.md"\n```\n\n````\n--8<-- "gone.md"\n````\n'
    real = '--8<-- "lost.md"\n\n```python\n--8<-- "lost.py"\n```\n'
    write_site(tmp_path, {"mkdocs.yml": "site_name: B\n", "docs/a.md": f"# A\n\n{example}\n{real}"})
    findings = check_book(tmp_path / "docs", SETTINGS).findings
    assert [finding.line for finding in findings if finding.rule == "unresolved-include"] == [11, 14]


@given(text=st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_pages_whose_lines_are_not_looked_at_hold_no_mark(text: str) -> None:
    """A page is passed over by one look at its whole text: none of its lines may have had a mark."""
    assume(not _MARK.search(text))
    folders = PageFolders(Path("/book/docs/page.md"), Path("/book/docs"), None)
    assert [*chain.from_iterable(_marks_in(line, 1, folders.page, folders) for line in text.split("\n"))] == []

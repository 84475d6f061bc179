"""`check` and `ingest --strict` at the command line: what is printed, and the exit codes that a job acts on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ingestion.source import linter
from tests.support.books import write_book
from tests.support.command_line import document, run

TEXT = "The cobalt lever opens the valve of the tank, and the amber sensor of the arm tells how full it is. " * 5
GOOD = f"# B\n\n{TEXT}\n"
LINKS_NOWHERE = f"# A\n\nThe lever is shown on [the next page](gone.md). {TEXT}\n"
MISSPELT = "---\nhardware_teir: 2\n---\n# A\n\nThe cobalt lever opens the valve of the tank.\n"


def write(folder: Path, **pages: str) -> None:
    write_book(folder / "docs", {f"{name}.md": text for name, text in pages.items()})


def test_ingest_strict_stays_red_for_a_broken_link_of_an_unchanged_lesson(clean_surroundings: Path) -> None:
    write(clean_surroundings, a=LINKS_NOWHERE, b=GOOD)
    assert run("ingest").exit_code == 0
    for _ in range(2):
        result = run("ingest", "--strict")
        assert result.exit_code == 3 and "a.md:3: " in result.stdout and "broken-link" in result.stdout
        assert "Nothing to do" in result.stdout
    write(clean_surroundings, a=LINKS_NOWHERE.replace("gone.md", "b.md"), b=GOOD)
    assert run("ingest", "--strict").exit_code == 0


def test_ingest_strict_reports_what_check_strict_reports(clean_surroundings: Path) -> None:
    write(clean_surroundings, a=LINKS_NOWHERE, b=MISSPELT, c="# C\n\nComing soon.\n")
    found = [document(run(name, "--strict", "--json"))["findings"] for name in ("check", "ingest")]
    rules = [{(each["path"], each["line"], each["rule"]) for each in findings} for findings in found]
    assert rules[0] == rules[1] and len(rules[0]) >= 3


def test_strict_with_many_books_stays_red_for_an_unchanged_lesson_of_one(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "books/alpha/docs", {"a.md": LINKS_NOWHERE})
    write_book(clean_surroundings / "books/beta/docs", {"b.md": GOOD})
    assert run("ingest", "--books", "books").exit_code == 0
    for _ in range(2):
        result = run("ingest", "--books", "books", "--strict")
        assert result.exit_code == 3 and "broken-link" in result.stdout
    write_book(clean_surroundings / "books/alpha/docs", {"a.md": GOOD})
    assert run("ingest", "--books", "books", "--strict").exit_code == 0


def test_fixes_are_told_with_the_same_path_as_findings(clean_surroundings: Path) -> None:
    write(clean_surroundings, a=MISSPELT, b="# B\r\n\nThe amber sensor of the arm.\n")
    assert "docs/a.md:2: `hardware_teir`" in run("check").stdout
    fixed = run("check", "--fix")
    assert fixed.exit_code == 0
    assert "docs/a.md:2: fixed: `hardware_teir` is now `hardware_tier`" in fixed.stdout.splitlines()
    assert "docs/b.md: fixed: mixed line ends" in fixed.stdout.splitlines()
    assert document(run("check", "--fix", "--json"))["fixed"] == []


def test_a_fix_keeps_to_the_lessons_that_are_named(clean_surroundings: Path) -> None:
    write(clean_surroundings, a=MISSPELT, b=MISSPELT)
    assert [each["path"] for each in document(run("check", "--fix", "docs/b.md", "--json"))["fixed"]] == ["b.md"]
    assert "teir" in (clean_surroundings / "docs/a.md").read_text()


def test_a_folder_without_lessons_is_exit_5(clean_surroundings: Path) -> None:
    (clean_surroundings / "docs").mkdir()
    result = run("check", "docs")
    assert result.exit_code == 5 and "no lessons" in result.stderr


@pytest.mark.parametrize("command", ["check", "ingest"])
def test_a_folder_that_cannot_be_listed_is_exit_3_and_named(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    write_book(clean_surroundings / "docs", {"a.md": GOOD, "shut/b.md": GOOD})
    scandir = os.scandir

    def refuse(path: Any = ".") -> Any:
        if os.path.basename(os.fsdecode(path)) == "shut":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    result = run(command)
    assert result.exit_code == 3 and "shut" in result.stdout


def test_what_is_skipped_by_rule_is_one_line_of_check_plan_and_ingest(clean_surroundings: Path) -> None:
    write_book(
        clean_surroundings / "docs",
        {"a.md": GOOD, "node_modules/b.md": GOOD, "_c.md": "Part.\n"},
    )
    for command in ("check", "plan", "ingest"):
        lines = [line for line in run(command).stdout.splitlines() if line.startswith("skipped ")]
        assert len(lines) == 1 and "`bookwise crawl` lists them" in lines[0], command


def test_a_page_that_meets_a_fault_of_ours_fails_alone(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(clean_surroundings, a=GOOD, b=LINKS_NOWHERE)
    real = linter.lint_page

    def faulty(body: str, *arguments: Any, **options: Any) -> Any:
        if "gone.md" not in body:
            raise IndexError("list index out of range")
        return real(body, *arguments, **options)

    monkeypatch.setattr(linter, "lint_page", faulty)
    result = run("check", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 3 and [each["path"] for each in told["failures"]] == ["a.md"]
    assert "please report this" in told["failures"][0]["reason"]
    assert [each["rule"] for each in told["findings"]] == ["broken-link"]

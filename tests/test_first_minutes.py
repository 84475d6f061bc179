"""The first commands of a newcomer, with an empty home, on small books laid out as real ones are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ingestion.errors import ExitCode
from tests.support.books import page, write_book
from tests.support.command_line import document, run

ANSWER = "The gripper closes when the pressure sensor reports two bars."
QUESTION = "When does the gripper close?"


def lesson(title: str) -> str:
    return page(title, ANSWER, "It opens again by itself.")


def other(title: str) -> str:
    return page(title, f"What {title.lower()} is about is told here at some length, for every reader.")


BOOKS = {
    "folders-of-subjects": (
        {"docs/index.md": other("Welcome"), "docs/tutorial/grippers.md": lesson("Grippers"), "LICENSE": "MIT"},
        {"intro": 1, "tutorial": 1},
        "tutorial/grippers.md",
    ),
    "modules-and-weeks": (
        {
            "docs/intro/index.md": other("Welcome"),
            "docs/module-1-ros2/week-4-lesson-1-grippers.md": lesson("Grippers"),
            "docs/module-2-gazebo/week-6-lesson-2-worlds.md": other("Worlds"),
        },
        {"gazebo": 1, "intro": 1, "ros2": 1},
        "module-1-ros2/week-4-lesson-1-grippers.md",
    ),
    "numbered-parts-with-summaries": (
        {
            "docs/13-Robotics/01-arms/01-grippers.md": lesson("Grippers"),
            "docs/13-Robotics/01-arms/01-grippers.summary.md": other("Summary of grippers"),
            "docs/13-Robotics/01-arms/06-quiz.md": other("Quiz"),
        },
        {"robotics": 3},
        "13-Robotics/01-arms/01-grippers.md",
    ),
    "a-summary-without-a-site": (
        {
            "src/SUMMARY.md": "# Summary\n\n- [Hello](ch01-01-hello.md)\n- [Grippers](ch02-01-grippers.md)\n",
            "src/ch01-01-hello.md": other("Hello"),
            "src/ch02-01-grippers.md": lesson("Grippers"),
        },
        {"intro": 2},
        "ch02-01-grippers.md",
    ),
    "a-course-in-its-own-folder": (
        {
            "README.md": other("The course"),
            "1-getting-started/README.md": other("Getting started"),
            "1-getting-started/lessons/1-grippers/README.md": lesson("Grippers"),
            "translations/ur/1-getting-started/README.md": page("آغاز", "یہاں سب کچھ شروع ہوتا ہے۔"),
        },
        {"getting-started": 3, "intro": 1},
        "1-getting-started/lessons/1-grippers/README.md",
    ),
    "a-section-page-each": (
        {"docs/_index.md": other("Welcome"), "docs/concepts/_index.md": lesson("Concepts")},
        {"concepts": 1, "intro": 1},
        "concepts/_index.md",
    ),
    "languages-side-by-side": (
        {
            "de/greifer.md": page("Greifer", "Der Greifer schließt bei zwei Bar."),
            "en/grippers.md": lesson("Grippers"),
            "es/pinzas.md": page("Pinzas", "La pinza se cierra con dos bares."),
        },
        {"intro": 3},
        "en/grippers.md",
    ),
}


@pytest.fixture(params=BOOKS)
def newcomer(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, dict[str, int], str]:
    """A checkout of one of the books and an empty home; its modules, and the page with the answer."""
    files, modules, answers = BOOKS[request.param]
    folder = write_book(tmp_path / request.param, files)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder, modules, answers


@pytest.mark.slow
def test_init_ingest_and_a_question_are_all_it_takes(
    newcomer: tuple[Path, dict[str, int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, modules, answers = newcomer
    assert document(run("init", "--dry-run", "--json"))["modules"] == modules
    made = run("init", "--yes")
    assert made.exit_code == 0 and f"The book's id is {folder.name}" in made.stdout
    assert "Next: `bookwise check`" in made.stdout
    assert run("check").exit_code in (ExitCode.DONE, ExitCode.LESSONS_FAILED)
    first = run("ingest")
    assert first.exit_code == 0, first.output
    assert f"{folder.name}: {sum(modules.values())} new" in first.stdout
    assert "WARNING" not in first.stderr and "no book id set" not in first.stderr
    assert "Nothing to do" in run("ingest").stdout
    answer = document(run("ask", *QUESTION.split(), "--json"))
    assert ANSWER in answer["answer"]
    assert answer["citations"][0]["source_file"] == answers
    below = next(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    monkeypatch.chdir(below)
    assert "1. " in run("search", "gripper").stdout
    command = ["git", "ls-files", "--others", "--exclude-standard"]
    unknown = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert sorted(unknown.split()) == [".gitignore", "bookwise.toml"]


@pytest.mark.slow
def test_every_source_that_is_shown_can_be_read_with_lesson(newcomer: tuple[Path, dict[str, int], str]) -> None:
    run("init", "--yes")
    run("ingest")
    for place in document(run("search", "gripper", "--json"))["results"]:
        shown = run("lesson", place["source_file"])
        assert shown.exit_code == 0, shown.output

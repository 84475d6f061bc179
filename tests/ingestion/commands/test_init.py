"""`bookwise init` shows what a folder holds, and writes a configuration that makes a book of exactly that."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ingestion.books import slug
from ingestion.operations.init_text import toml_string
from ingestion.settings.loader import load_settings
from tests.support.books import page, write_book
from tests.support.command_line import PAGES, document, run

DOCUSAURUS = """export default {
  title: 'Robots "for" all',
  url: 'https://robots.example',
  baseUrl: '/course/',
  i18n: { defaultLocale: 'en', locales: ['en', 'ur'] },
  presets: [['classic', { docs: { routeBasePath: '/' } }]],
};
"""


@pytest.fixture
def course(clean_surroundings: Path) -> Path:
    """A Docusaurus site with a translation and an older version."""
    folder = clean_surroundings / "robot-course"
    write_book(folder / "docs", PAGES)
    (folder / "docusaurus.config.js").write_text(DOCUSAURUS, encoding="utf-8")
    write_book(folder / "i18n/ur/docusaurus-plugin-content-docs/current", {"intro.md": page("Taaruf", "Matn.")})
    write_book(folder / "versioned_docs/version-1.0", {"intro.md": page("Intro", "Old.")})
    (folder / "versions.json").write_text('["1.0"]', encoding="utf-8")
    return folder


def config_of(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "bookwise.toml").read_text(encoding="utf-8"))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_shows_lessons_modules_editions_and_addresses_and_writes_nothing_unasked(course: Path) -> None:
    before = tree(course)
    result = run("init", "robot-course", "--dry-run")
    assert result.exit_code == 0
    assert "docusaurus site (docusaurus.config.js), pages at https://robots.example/course" in result.stdout
    assert "https://robots.example/course/next/module-1-ros2/chapter-1-basics/nodes" in result.stdout
    assert 'id = "robot-course"' in result.stdout
    found = document(run("init", "robot-course", "--dry-run", "--json"))
    assert found["modules"] == {"isaac": 1, "ros2": 2} and found["written"] == []
    assert {(each["language"], each["version"], each["pages"], each["indexed"]) for each in found["editions"]} == {
        ("en", "", 3, 3),
        ("en", "1.0", 1, 0),
        ("ur", "", 1, 0),
    }
    assert tree(course) == before


def test_what_it_writes_makes_the_book_that_it_showed(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = document(run("init", "robot-course", "--yes", "--json"))
    assert shown["written"] == [str(Path("robot-course", name)) for name in ("bookwise.toml", ".gitignore")]
    config = config_of(course)
    assert config["book"]["id"] == "robot-course" and config["book"]["docs"] == "docs"
    assert config["book"]["title"] == 'Robots "for" all'
    monkeypatch.chdir(course / "docs")
    crawled = document(run("crawl", "--json"))
    assert crawled["files"] == shown["files"] and crawled["skipped"] == shown["skipped"]


def test_the_commented_choices_are_settings_that_load(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("init", "robot-course", "--yes").exit_code == 0
    path = course / "bookwise.toml"
    text = path.read_text(encoding="utf-8")
    choices = [line for line in text.splitlines() if line.startswith("# ") and ("=" in line or "[[" in line)]
    assert len(choices) >= 6
    for line in choices:
        text = text.replace(line, line.removeprefix("# "))
    path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(course)
    crawled = document(run("crawl", "--json"))
    assert {file["language"] for file in crawled["files"]} == {None, "ur"}


def test_git_sees_neither_index_nor_records(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (course / ".gitignore").write_bytes(b"node_modules/\r\nbuild")
    assert run("init", "robot-course", "--yes").exit_code == 0
    assert (
        course / ".gitignore"
    ).read_bytes() == b"node_modules/\r\nbuild\r\n.bookwise/\r\n.ingestion_state.json\r\n"
    monkeypatch.chdir(course)
    assert run("ingest").exit_code == 0
    assert (course / ".bookwise" / ".gitignore").read_text(encoding="utf-8") == "*\n"
    (course / ".gitignore").unlink()
    subprocess.run(["git", "init", "-q"], check=True)
    status = subprocess.run(["git", "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True)
    assert ".bookwise/" not in status.stdout and ".ingestion_state.json" in status.stdout


def test_a_folder_that_was_there_is_not_hidden_from_git(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    (clean_surroundings / "kept").mkdir()
    monkeypatch.setenv("BOOKWISE_DIRECTORY", "kept")
    assert run("ingest").exit_code == 0
    assert not (clean_surroundings / "kept" / ".gitignore").exists()


@pytest.mark.parametrize("text", ['[book]\nid = "mine"\ndocs = "docs"\n', ""])
def test_a_configuration_that_is_there_stays_as_it_is(course: Path, text: str) -> None:
    (course / "bookwise.toml").write_text(text, encoding="utf-8")
    result = run("init", "robot-course", "--yes")
    assert result.exit_code == 0 and "is not changed" in result.stdout
    assert (course / "bookwise.toml").read_text(encoding="utf-8") == text
    again = tree(course)
    assert run("init", "robot-course", "--yes").exit_code == 0
    assert tree(course) == again
    assert run("init", "robot-course", "--yes", "--book", "other").exit_code == 2


def test_a_link_in_place_of_a_file_is_never_written_through(course: Path, tmp_path: Path) -> None:
    (tmp_path / "decoy").write_text("kept\n", encoding="utf-8")
    (course / ".gitignore").symlink_to(tmp_path / "decoy")
    assert run("init", "robot-course", "--yes").exit_code == 4
    assert (tmp_path / "decoy").read_text(encoding="utf-8") == "kept\n"


def test_it_asks_and_no_is_no(course: Path) -> None:
    before = tree(course)
    assert run("init", "robot-course", stdin="n\n").exit_code == 2
    assert tree(course) == before
    assert run("init", "robot-course", stdin="y\n").exit_code == 0
    assert (course / "bookwise.toml").exists()


def test_a_book_within_a_book_gets_a_configuration_of_its_own(course: Path) -> None:
    (course.parent / "bookwise.toml").write_text('[book]\nid = "outer"\n[crawl]\nexclude = ["*"]\n', encoding="utf-8")
    assert document(run("init", "robot-course", "--yes", "--json"))["modules"] == {"isaac": 1, "ros2": 2}


@pytest.mark.parametrize(
    ("pages", "docs"),
    [
        ({"docs/a.md": "# A", "docs/b/c.md": "# C"}, "docs"),
        ({"README.md": "# R", "src/a.md": "# A", "src/b.md": "# B", "src/c.md": "# C", "src/d.md": "# D"}, "src"),
        ({"docs/a.md": "# A", "1-start/a.md": "# A", "2-next/b.md": "# B"}, "."),
        ({"a.md": "# A"}, "."),
        ({"week-1/a.md": "# A"}, "."),
    ],
)
def test_without_a_site_the_folder_of_the_lessons_is_where_nearly_all_of_them_lie(
    clean_surroundings: Path, pages: dict[str, str], docs: str
) -> None:
    write_book(clean_surroundings, pages)
    assert document(run("init", "--dry-run", "--json"))["docs"] == docs


def test_a_site_in_a_folder_below_is_found_and_of_several_none_is_guessed(clean_surroundings: Path) -> None:
    for name in ("website", "other"):
        write_book(clean_surroundings / name / "docs", PAGES)
        (clean_surroundings / name / "mkdocs.yml").write_text("site_name: Robots\n", encoding="utf-8")
        if name == "website":
            assert document(run("init", "--dry-run", "--json"))["docs"] == "website/docs"
    result = run("init", "--dry-run", "--json")
    assert result.exit_code == 2
    assert "several sites: other, website" in json.loads(result.stdout)["error"]["message"]
    assert document(run("init", "--docs", "other/docs", "--dry-run", "--json"))["docs"] == "other/docs"


def test_where_no_site_is_known_no_empty_column_of_addresses_is_shown(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    shown = run("init", "--dry-run").stdout
    assert "No site generator recognised" in shown
    assert "path  " in shown and "address\n" not in shown


def test_a_folder_without_lessons_is_exit_5_and_written_to_by_nobody(clean_surroundings: Path) -> None:
    for name in (".", "nowhere"):
        assert run("init", name, "--yes").exit_code == 5
    assert list(clean_surroundings.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [("My Book (2nd)", "my-book-2nd"), ("Física", "fisica"), ("ロボット", ""), ("a" * 60, "a" * 48), ("--x--", "x")],
)
def test_an_id_is_made_of_a_name(name: str, expected: str) -> None:
    assert slug(name) == expected


@pytest.mark.parametrize("text", ['a"b', "a\\b", "tab\tnew\nline", "\x7f", "é 😀", "\x00\x1b"])
def test_any_title_is_a_toml_string(text: str) -> None:
    assert tomllib.loads(f"x = {toml_string(text)}") == {"x": text}


def test_a_folder_that_is_ones_own_is_written_down_as_trusted(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    own = tmp_path / "own" / "bookwise" / "config.toml"
    assert run("init", str(course), "--yes").exit_code == 0 and not own.exists()
    for _ in range(2):
        assert run("init", str(course), "--yes", "--trust").exit_code == 0
        assert tomllib.loads(own.read_text(encoding="utf-8")) == {"trust": {"folders": [str(course.resolve())]}}
    (course / "bookwise.toml").write_text("[index]\nwait = 3\n", encoding="utf-8")
    assert load_settings({}, config=course / "bookwise.toml").index.wait == 3


def test_init_tells_why_none_of_the_pages_is_a_lesson(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", {"old.md": "---\nnoindex: true\n---\n# Old\n"})
    (clean_surroundings / "mkdocs.yml").write_text("site_name: B\n")
    told = run("init").stderr
    assert "none of its 1 page is indexed, such as old.md: left out of the site's search" in told
    assert "crawl.unsearched" in told

"""Files of a checkout that are no files, never end or are nested without end: told by name, and soon."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ingestion.book_files import MAX_CONFIG_BYTES, MAX_LESSON_BYTES
from ingestion.errors import BookwiseError, ConfigurationError, StateError, UsageError
from ingestion.file_owner import Owner
from ingestion.operations.git_ignore import add_lines
from ingestion.settings.loader import load
from ingestion.settings.places import find_config, is_planted
from ingestion.source.book_folder import crawl_book
from ingestion.source.crawler import MAX_DEPTH, crawl
from ingestion.source.linter import check_book
from ingestion.state.state_file import StateFile
from rag.commands.evaluate import _read_run
from rag.evaluation.questions import load_questions
from tests.support.read_lesson import settings_of

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs"),
]

DOCUSAURUS = ("docusaurus.config.js", "module.exports = {title: 'A'}")
CONFIGURATIONS = {
    "bookwise.toml": ("bookwise.toml", None),
    ".env": (".env", None),
    "mkdocs.yml": ("mkdocs.yml", None),
    "book.toml": ("book.toml", None),
    "hugo.json": ("hugo.json", None),
    "docusaurus.config.js": ("docusaurus.config.js", None),
    "versions.json": ("versions.json", DOCUSAURUS),
    "sidebars.js": ("sidebars.js", DOCUSAURUS),
    "_category_.json": ("docs/_category_.json", DOCUSAURUS),
    "_category_.yml": ("docs/part/_category_.yml", DOCUSAURUS),
    "SUMMARY.md": ("docs/SUMMARY.md", ("book.toml", "[book]\nsrc = 'docs'\n")),
    "Gemfile": ("Gemfile", ("_config.yml", "source: docs\n")),
    ".bookwiseignore": ("docs/.bookwiseignore", None),
    "include": ("inc.md", ("mkdocs.yml", "markdown_extensions: [pymdownx.snippets]\n")),
    "lesson": ("docs/b.md", None),
}
LISTED = "- [A](a.md)\n- [C](part/c.md)\n"


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_LESSON_BYTES + 1)


def nested(path: Path) -> None:
    brackets = "[" * 100_000
    written = {".toml": f"a = {brackets}", ".json": brackets, ".md": f"{brackets}\n{LISTED}"}
    path.write_text(written.get(path.suffix, f"a: {brackets}"))


def dotted(path: Path) -> None:
    path.write_text("a." * 100_000 + f"b = 1\n{LISTED if path.suffix == '.md' else ''}")


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("make", [fifo, endless, sparse, nested, dotted, folder])
def test_a_file_of_a_book_that_cannot_be_read_is_left_out_or_told_by_name(
    name: str, make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, beside = CONFIGURATIONS[name]
    (tmp_path / "docs/part").mkdir(parents=True)
    (tmp_path / "docs/a.md").write_text('# A\n\nWords of robots.\n\n--8<-- "inc.md"\n')
    (tmp_path / "docs/part/c.md").write_text("# C\n\nWords of arms.\n")
    if beside:
        (tmp_path / beside[0]).write_text(beside[1])
    make(tmp_path / path)
    monkeypatch.chdir(tmp_path)
    try:
        settings = load({}, config=find_config(Path()), environ={}, folder=Path()).settings
        report = check_book(Path("docs"), settings)
    except BookwiseError as error:
        assert Path(path).name in str(error)
    else:
        assert {failure.path for failure in report.failures} <= {"b.md"}
        assert report.files >= 2


@pytest.mark.parametrize("make", [fifo, sparse])
def test_a_gitignore_that_cannot_be_read_is_told(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / ".gitignore")
    with pytest.raises(ConfigurationError, match=r"not a regular file|larger than"):
        add_lines(tmp_path / ".gitignore", ["a"])


@pytest.mark.parametrize("make", [fifo, endless, folder])
def test_a_state_file_that_is_no_file_is_told(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "state.json")
    with pytest.raises(StateError, match="not a regular file"):
        StateFile(tmp_path / "state.json").books()


def test_folders_deeper_than_any_book_has_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for depth in range(MAX_DEPTH + 20):
        os.mkdir("a")
        os.chdir("a")
        if depth in (0, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 19):
            Path("x.md").write_text("# X\n\nWords.\n")
    found = crawl_book(tmp_path, settings_of())
    assert [file.path.count("/") for file in found.files] == [MAX_DEPTH, 1]
    assert [skipped.reason for skipped in found.skipped] == [f"more than {MAX_DEPTH} folders deep"]


def test_names_of_files_may_hold_anything(tmp_path: Path) -> None:
    odd = [
        b"new\nline.md",
        b"esc\x1b[31m.md",
        b"-rf.md",
        b"tab\t.md",
        "\u202e.md".encode(),
        b"a'\"$(x).md",
        b"\xff.md",
    ]
    for name in odd:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("# A\n\nWords of robots.\n")
    found = crawl(tmp_path)
    assert len(found.files) == len(odd) - 1
    assert [skipped.reason for skipped in found.skipped] == ["the name is not UTF-8"]
    assert not check_book(tmp_path, settings_of()).failures


BAD_QUESTIONS = [
    "[" * 100_000,
    "1",
    "null",
    '{"question": 1, "answerable": false}',
    '{"question": "", "answerable": false}',
    '{"question": "\\ud800", "answerable": false}',
    '{"question": "a", "answerable": true, "source_dir": 5}',
    '{"question": "a", "answerable": true, "source_file": ["a"]}',
    '{"question": "a", "answerable": true, "source_file": "a", "also_ok": 3}',
    '{"question": "a", "answerable": false, "answer_contains": "text"}',
    '{"question": "a", "answerable": false, "tier": 1e400}',
    '{"question": "a", "answerable": false, "history": [{}]}',
]


@pytest.mark.parametrize("line", BAD_QUESTIONS)
def test_a_question_that_is_none_is_told_by_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(f'{{"question": "What is a node?", "answerable": false}}\n{line}\n')
    with pytest.raises(UsageError, match=r"questions\.jsonl:2: this line cannot be read"):
        load_questions(path)


@pytest.mark.parametrize("document", ["[" * 100_000, "1", "null", '{"outcomes": [1]}', '{"outcomes": [{}]}'])
def test_an_earlier_run_that_is_none_is_told(document: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(document)
    with pytest.raises(UsageError, match=r"run\.json"):
        _read_run(path)


def test_a_file_that_git_tracks_puts_no_secret_into_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("QDRANT_URL=https://example.org/${OPENAI_API_KEY}\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    for owner, address in ((Owner.BOOK, None), (Owner.USER, "https://example.org/sk-secret")):
        monkeypatch.setattr("ingestion.settings.loader.owner_of_file", lambda path, owner=owner: owner)
        assert load({}, environ={}, folder=tmp_path).settings.qdrant.url == address


class Owned:
    """What `stat` tells of a file or folder."""

    def __init__(self, owner: int, mode: int) -> None:
        self.st_uid, self.st_mode = owner, mode


@pytest.mark.parametrize(
    ("folder_owner", "mode", "file_owner", "expected"),
    [(0, 0o1777, 4242, True), (0, 0o1777, 0, False), (4242, 0o777, 4242, False), (0, 0o775, 4242, False)],
)
def test_a_configuration_that_someone_else_laid_into_a_folder_for_all_is_refused(
    folder_owner: int, mode: int, file_owner: int, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "bookwise.toml"
    config.write_text('qdrant.url = "https://example.org"\n')
    known = {tmp_path: Owned(folder_owner, stat.S_IFDIR | mode), config: Owned(file_owner, stat.S_IFREG | 0o644)}
    real = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **how: known.get(path) or real(path, **how))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert is_planted(config) == expected
    if expected:
        with pytest.raises(ConfigurationError, match="belongs to another user"):
            find_config(tmp_path)
    else:
        assert find_config(tmp_path) == config


def test_a_configuration_may_be_as_large_as_is_told(tmp_path: Path) -> None:
    config = tmp_path / "bookwise.toml"
    config.write_text('book.title = "A"\n#' + "x" * (MAX_CONFIG_BYTES - 18))
    assert load({}, config=config, environ={}).settings.book.title == "A"
    config.write_text(config.read_text() + "x")
    with pytest.raises(ConfigurationError, match="larger than"):
        load({}, config=config, environ={})

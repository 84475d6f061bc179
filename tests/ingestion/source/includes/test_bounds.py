"""What is not included: files out of the book, loops, and more than a page may hold. Each is a finding."""

import os
import time
from pathlib import Path

import pytest

from ingestion.settings import Settings, override
from ingestion.source.book_folder import crawl_book
from ingestion.source.includes import expansion, files
from ingestion.source.linter import check_book
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import read_source
from tests.support.books import write_book

MDBOOK = {"book/book.toml": '[book]\nsrc = "src"\n', "book/src/SUMMARY.md": "- [P](page.md)\n"}


def lesson_of(folder: Path, texts: dict[str, str], settings: Settings | None = None) -> Lesson:
    write_book(folder, MDBOOK | {f"book/{name}": text for name, text in texts.items()})
    settings = settings or Settings()
    found = crawl_book(folder / "book/src", settings)
    return parse_lesson(read_source(found.files[0]), settings)


def reason(lesson: Lesson) -> str:
    (finding,) = lesson.findings
    assert finding.rule == "unresolved-include"
    return f"{finding.line}: {finding.message}"


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("gone.md", "does not exist"),
        ("../../secret.txt", "outside the book's folder"),
        ("../../../../../../etc/passwd", "outside the book's folder"),
        ("/etc/passwd", "outside the book's folder"),
        ("link.txt", "outside the book's folder"),
        ("linked/secret.txt", "outside the book's folder"),
        ("../.env", "is a hidden file"),
        ("env.txt", "is a hidden file"),
        ("../.git/config", "is a hidden file"),
        ("folder", "cannot be read"),
        ("pipe", "is not a regular file"),
        ("big.txt", "is larger than"),
        ("binary.txt", "is binary"),
        ("latin.txt", "is not UTF-8"),
        ("page.md", "includes itself"),
        ("loop.md", "includes itself"),
        ("x.md:nowhere", "has no anchor `nowhere`"),
        ("x.md:70", "has no line 70"),
        ("x\0y.md", "is no path"),
    ],
)
def test_what_cannot_be_included_is_a_finding_and_stays_in_the_text(tmp_path: Path, target: str, why: str) -> None:
    source = tmp_path / "book/src"
    (source / "folder").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("the password")
    (source / "link.txt").symlink_to(tmp_path / "secret.txt")
    (source / "linked").symlink_to(tmp_path)
    (source / "env.txt").symlink_to(tmp_path / "book/.env")
    os.mkfifo(source / "pipe")
    (source / "big.txt").write_bytes(b"x" * (files.MAX_BYTES + 1))
    (source / "binary.txt").write_bytes(b"a\0b")
    (source / "latin.txt").write_bytes(b"caf\xe9")
    texts = {".env": "KEY=1", ".git/config": "url", "src/loop.md": "{{#include page.md}}", "src/x.md": "X\n"}
    if "\0" in target:
        with pytest.raises(files.CannotInclude, match=why):
            files.BookFiles(source, None, Settings()).read(source / target)
        return
    page = f"# P\n\nText.\n\n{{{{#include {target}}}}}\n"
    lesson = lesson_of(tmp_path, texts | {"src/page.md": page})
    assert reason(lesson).startswith("5: ") and why in reason(lesson)
    assert "password" not in lesson.body and "KEY" not in lesson.body
    assert lesson.body.startswith("# P\n\nText.\n\n{{#include")


def test_a_user_who_trusts_the_book_may_include_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "shared.txt").write_text("From elsewhere.")
    page = {"src/page.md": "# P\n\n{{#include ../../shared.txt}}\n"}
    for trust in ({"trust.config": True}, {"trust.folders": (str(tmp_path),)}):
        lesson = lesson_of(tmp_path, page, override(Settings(), trust))
        assert "From elsewhere." in lesson.body and not lesson.findings
    assert lesson_of(tmp_path, page, override(Settings(), {"trust.folders": (str(tmp_path / "other"),)})).findings


def test_the_folder_of_bookwise_toml_is_the_book(tmp_path: Path) -> None:
    write_book(
        tmp_path, {"bookwise.toml": "", "shared/s.md": "Shared.\n", "docs/page.md": "{{#include ../shared/s.md}}\n"}
    )

    def body(folder: Path) -> str:
        from dataclasses import replace

        settings = replace(Settings(), folder=folder)
        return parse_lesson(read_source(crawl_book(tmp_path / "docs", settings).files[0]), settings).body

    assert body(tmp_path) == "Shared.\n"
    assert body(tmp_path.parent) == "{{#include ../shared/s.md}}\n", "the current folder alone makes no book"


def test_files_that_double_at_each_level_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MAX_CHARACTERS", 100_000)
    nested = {f"src/{n}.md": f"{{{{#include {n + 1}.md}}}}\n" * 10 for n in range(9)} | {"src/9.md": "end " * 100}
    began = time.process_time()
    lesson = lesson_of(tmp_path, nested | {"src/page.md": "{{#include 0.md}}\n"})
    assert time.process_time() - began < 20
    assert len(lesson.body) < 400_000
    assert any("is too much" in each.message for each in lesson.findings)
    assert len(lesson.findings) <= expansion.MAX_PROBLEMS


def test_a_chain_deeper_than_the_bound_is_a_finding(tmp_path: Path) -> None:
    chain = {f"src/{n}.md": f"{n}\n{{{{#include {n + 1}.md}}}}\n" for n in range(20)}
    assert "files deep" in reason(lesson_of(tmp_path, chain | {"src/page.md": "{{#include 0.md}}\n"}))


@pytest.mark.parametrize(
    "text",
    ["{{#include " + " " * 50_000, "{{#include x " * 20_000, "-" * 100_000, "`" * 100_000, "--8<-- \"" * 20_000,
     "{{< include " * 20_000, "import A from './a.md'\n\n" + "<A " * 30_000, "--8<--\n" * 20_000],
)  # fmt: skip
def test_the_search_for_includes_is_linear(tmp_path: Path, text: str) -> None:
    write_book(tmp_path, {"docs/page.md": text})
    source = read_source(crawl_book(tmp_path / "docs", Settings()).files[0])
    from ingestion.source.includes.pages import expand_page

    began = time.process_time()
    expand_page(source, text, Settings())
    assert time.process_time() - began < 20


def test_check_shows_an_unresolved_include(tmp_path: Path) -> None:
    write_book(tmp_path, {"docs/page.md": "---\ntitle: P\n---\n\n" + "Words. " * 30 + "\n\n{{#include gone.rs}}\n"})
    found = [each for each in check_book(tmp_path / "docs", Settings()).findings if each.rule == "unresolved-include"]
    assert [(each.path, each.line) for each in found] == [("page.md", 7)]

"""What an incomplete checkout leaves: told from lessons, and read from git's own index."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ingestion.source.checkout import left_out, stand_in

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"6f" * 32 + b"\nsize 9041\n"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (POINTER, "git lfs pull"),
        (POINTER.replace(b"oid", b"ext-0-foo sha256:" + b"ab" * 32 + b"\noid"), "git lfs pull"),
        (b"../other/intro.md", "core.symlinks"),
        (b"beside/note", "core.symlinks"),
        (b"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "page of HTML"),
        (b"\xef\xbb\xbf\n <HTML lang='en'>", "page of HTML"),
    ],
)
def test_a_stand_in_is_told_with_its_remedy(tmp_path: Path, data: bytes, told: str) -> None:
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside/note").touch()
    assert told in (stand_in(data, tmp_path / "page.md") or "")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# Page\n",
        b"A word",
        b"and/or",
        b"See other.md",
        b"other.md\n",
        b"<div>\n<html>\n</div>\n",
        b"<h1>Title</h1>",
        b"version https://git-lfs.github.com/spec/v1\nis what a pointer of Git LFS begins with.\n",
        b"# LFS\n\n" + POINTER,
        POINTER + b"x" * 2000,
        b"caf\xe9",
    ],
)
def test_a_lesson_is_none(tmp_path: Path, data: bytes) -> None:
    assert stand_in(data, tmp_path / "page.md") is None


def git(folder: Path, *arguments: str) -> None:
    own = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(folder), *own, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with two folders of lessons and a submodule, whose name is not ASCII."""
    inner, book = tmp_path / "inner", tmp_path / "book"
    for folder in (inner, book):
        folder.mkdir()
        git(folder, "init", "-q")
    (inner / "a.md").write_text("# A\n")
    for name in ("docs/one/a.md", "docs/one/ä b.md", "docs/two/c.md", f"docs/two/{'long' * 50}.md"):
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        (book / name).write_text("# Page\n")
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "inner")
    git(book, "submodule", "add", "-q", str(inner), "docs/sub")
    git(book, "add", ".")
    git(book, "commit", "-qm", "book")
    return book


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("sparse_index", ["--no-sparse-index", "--sparse-index"])
def test_what_a_sparse_checkout_leaves_out_is_known(checkout: Path, version: str, sparse_index: str) -> None:
    git(checkout, "update-index", "--index-version", version)
    git(checkout, "sparse-checkout", "set", "--cone", sparse_index, "docs/one")
    docs = checkout / "docs"
    assert not (docs / "two").exists()
    gone = ["two/c.md", f"two/{'long' * 50}.md", "one/deleted.md", "other/x.md"]
    found = left_out(docs, gone)
    assert found.keys() == set(gone[:2]) and "sparse-checkout disable" in found["two/c.md"].reason


@pytest.mark.parametrize("file", [".git/index", ".gitmodules"])
def test_an_empty_submodule_is_known_by_the_index_or_by_its_file(checkout: Path, file: str) -> None:
    git(checkout, "submodule", "deinit", "-q", "--all", "-f")
    (checkout / file).unlink()
    found = left_out(checkout / "docs", ["sub/a.md", "one/deleted.md"])
    assert found.keys() == {"sub/a.md"} and found["sub/a.md"].path == "sub/"
    assert "git submodule update --init" in found["sub/a.md"].reason


def test_a_filled_submodule_lost_what_it_lost(checkout: Path) -> None:
    assert left_out(checkout / "docs", ["sub/gone.md", "one/deleted.md"]) == {}


@pytest.mark.parametrize(
    "damage", [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff", b"DIRC\0\0\0\x63\0\0\0\1" + b"x" * 90]
)
def test_a_damaged_index_of_git_tells_nothing(checkout: Path, damage: bytes) -> None:
    (checkout / ".git/index").write_bytes(damage)
    assert left_out(checkout / "docs", ["one/deleted.md"]) == {}


def test_outside_of_a_repository_nothing_is_left_out(tmp_path: Path) -> None:
    assert left_out(tmp_path, ["a.md"]) == {}

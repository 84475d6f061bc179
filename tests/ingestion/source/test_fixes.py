"""`check --fix` corrects what has one safe remedy and leaves every other byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.settings.loader import load_settings
from ingestion.source import fixes
from ingestion.source.fixes import Fix, fix_book


def fix(folder: Path, data: bytes, **flags: object) -> tuple[bytes, list[Fix]]:
    (folder / "a.md").write_bytes(data)
    done = fix_book(folder, load_settings(flags, environ={}))
    return (folder / "a.md").read_bytes(), done


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"---\nhardware_teir: 2 # keep\n---\n# A\n", b"---\nhardware_tier: 2 # keep\n---\n# A\n"),
        (b"---\r\n'hardwareTier' : 2\r\n---\r\n# A  \r\n", b"---\r\n'hardware_tier' : 2\r\n---\r\n# A  \r\n"),
        (b"+++\nhardware_teir = 2\n+++\n# A\n", b"+++\nhardware_tier = 2\n+++\n# A\n"),
        (b"\xef\xbb\xbf---\nhardware_teir: 2\n---\n# A", b"\xef\xbb\xbf---\nhardware_tier: 2\n---\n# A"),
        (b"# A\r\n\nhardware_teir: 2\n", b"# A\r\n\r\nhardware_teir: 2\r\n"),
        (b"# A\n\r\ntext\n", b"# A\n\ntext\n"),
    ],
)
def test_misspelt_keys_and_mixed_line_ends_are_mended_and_told(tmp_path: Path, before: bytes, after: bytes) -> None:
    data, done = fix(tmp_path, before)
    assert data == after
    assert len(done) == 1 and done[0].path == "a.md" and done[0].what
    assert fix(tmp_path, data) == (after, [])


@pytest.mark.parametrize(
    "data",
    [
        b"---\ntitle: A\nmy_own_key: 2\n---\n# A  \n\n\n",
        b"---\nhardware_tier: 1\nhardware_teir: 2\n---\n# A\n",
        b"---\nhardware_teir: 1\nhardwareTier: 2\n---\n# A\n",
        b"---\nextra:\n  hardware_teir: 2\n---\n# A\n",
        b"---\ntitle: [\nhardware_teir: 2\n---\n# A\n",
        b"# A\r\n\xff\n",
        "---\nhardware_teir: 2\n---\n".encode("utf-16"),
        b"# A\r\rlone carriage returns\r",
    ],
)
def test_everything_else_stays_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    assert fix(tmp_path, data) == (data, [])


def test_a_rule_that_is_turned_off_is_not_fixed(tmp_path: Path) -> None:
    data = b"---\nhardware_teir: 2\n---\n# A\n"
    assert fix(tmp_path, data, **{"check.disable": ["unknown-key"]}) == (data, [])


def test_a_lesson_that_needs_nothing_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixes, "write_atomically", lambda *_: pytest.fail("was written"))
    fix(tmp_path, b"---\ntitle: A\n---\n# A\n")


def test_only_the_named_lessons_are_mended(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(b"---\nhardware_teir: 2\n---\n# A\n")
    assert [each.path for each in fix_book(tmp_path, load_settings({}, environ={}), {"b.md"})] == ["b.md"]
    assert b"teir" in (tmp_path / "a.md").read_bytes()

"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ingestion.atomic_file import write_atomically


def test_a_file_is_replaced_with_its_permissions_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "bookwise.toml"
    file.write_text("old")
    file.chmod(0o640)
    write_atomically(file, "new\né")
    assert file.read_bytes() == "new\né".encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_no_new_one(
    tmp_path: Path, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "state.json"
    file.write_text("old")
    monkeypatch.setattr(os, fails, full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(file, "new")
    assert file.read_text() == "old" and list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(os.name != "posix", reason="links need privileges elsewhere")
def test_a_link_in_its_place_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    decoy = tmp_path / "decoy"
    decoy.write_text("precious")
    link = tmp_path / "CURRENT"
    link.symlink_to(decoy)
    write_atomically(link, "g2")
    assert decoy.read_text() == "precious"
    assert not link.is_symlink() and link.read_text() == "g2"

"""What is told of a file that cannot be used."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from ingestion.commands.parsing.program import exit_code_of
from ingestion.errors import ExitCode, StateError
from ingestion.own_files import explain
from ingestion.state.state_folder import StateFolder


def refused(path: object) -> PermissionError:
    return PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def test_a_reason_repeats_neither_the_number_of_an_error_nor_the_name_of_the_file() -> None:
    assert explain(OSError(errno.EIO, "Input/output error", "a.md")) == "Input/output error"
    assert explain(ValueError("not JSON")) == "not JSON"
    assert explain(OSError("odd")) == "odd"


def test_where_a_right_is_missing_the_reason_says_who_has_it() -> None:
    assert explain(refused("a.md")) == "Permission denied; run this as its owner, or get the right to read it"


def test_a_right_that_is_missing_anywhere_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    def run() -> None:
        raise refused("/closed/book")

    assert exit_code_of(run, []) == ExitCode.USAGE
    assert "error: /closed/book: Permission denied; run this as its owner" in capsys.readouterr().err


def test_a_folder_of_records_that_cannot_be_listed_is_an_error_of_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(folder: Path, pattern: str) -> None:
        raise refused(folder)

    monkeypatch.setattr(Path, "glob", closed)
    with pytest.raises(StateError, match="state: cannot be listed: Permission denied; run this as its owner"):
        StateFolder.below(tmp_path, many=False)

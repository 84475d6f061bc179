"""One writer at a time, across processes; a lock dies with its holder (case C34)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingestion.errors import IndexLocked, StateError
from ingestion.state.writer_lock import writer_lock
from tests.support.paths import ROOT

HOLD = """
import sys
from pathlib import Path
from ingestion.state.writer_lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def other_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_is_refused_and_told_who_holds_the_lock_until_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "writer.lock"
    with other_process(path) as holder:
        with pytest.raises(IndexLocked, match=rf"pid {holder.pid} on .*, since 20\d\d-") as caught, writer_lock(path):
            pytest.fail("two writers")
        assert caught.value.exit_code == 8
        holder.kill()
        holder.wait()
        with writer_lock(path):
            assert str(os.getpid()) in path.read_text(encoding="utf-8")


def test_a_lock_is_free_again_after_its_block(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    for _ in range(2):
        with writer_lock(path):
            pass


def test_a_lock_is_free_again_after_an_error_in_its_block(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with pytest.raises(KeyError), writer_lock(path):
        raise KeyError
    with writer_lock(path):
        pass


def test_the_same_process_cannot_take_it_twice(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with (
        writer_lock(path),
        pytest.raises(IndexLocked, match=f"pid {os.getpid()} on "),
        writer_lock(path),
    ):
        pytest.fail("two writers")


def test_a_holder_that_has_not_signed_yet_is_not_an_error_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with writer_lock(path):
        path.write_text("")
        with pytest.raises(IndexLocked, match="just started"), writer_lock(path):
            pytest.fail("two writers")


def test_a_lock_that_cannot_be_opened_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="cannot be opened"), writer_lock(tmp_path / "file" / "writer.lock"):
        pytest.fail("no lock")

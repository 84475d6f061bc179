"""One writer at a time, across processes; a lock dies with its holder (case C34)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingestion.errors import IndexLocked, StateError
from ingestion.state.writer_lock import writer_lock
from tests.support.paths import ROOT
from tests.support.waits import LONGEST

HOLD = """
import sys
import threading
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


def test_a_link_under_the_name_of_the_lock_is_refused_and_what_it_points_to_stays(tmp_path: Path) -> None:
    decoy = tmp_path / "decoy"
    decoy.write_text("precious")
    (tmp_path / "writer.lock").symlink_to(decoy)
    with (
        pytest.raises(StateError, match=r"writer\.lock: the lock of the index cannot be opened"),
        writer_lock(tmp_path / "writer.lock"),
    ):
        pytest.fail("it was opened")
    assert decoy.read_text() == "precious"


def test_a_lock_is_waited_for_as_long_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    release = threading.Event()

    def hold() -> None:
        with writer_lock(path):
            held.set()
            release.wait(LONGEST)

    held = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(LONGEST)
    with pytest.raises(IndexLocked, match="--wait SECONDS"), writer_lock(path, 0.15):
        pytest.fail("two writers")
    threading.Timer(0.2, release.set).start()
    with writer_lock(path, 10):
        pass
    holder.join()

"""Every file of an embedded index, damaged in every way: opened or refused by name, and a new index can be built."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ingestion.errors import VectorStoreError
from ingestion.vector_stores.edge.generations import EdgeGenerations
from tests.support.vector_points import SCHEMA, build_index, index_directory, open_in_child

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs"),
]

TOO_LARGE = 1 << 20
"""Files of the engine that are sparse and mapped; what is lost at their ends is not read."""


def flip(path: Path) -> None:
    damaged = bytearray(path.read_bytes()[:TOO_LARGE])
    for at in range(0, len(damaged), max(1, len(damaged) // 8)):
        damaged[at] ^= 0xFF
    with path.open("r+b") as file:
        file.write(damaged)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replace_by_link(path: Path) -> None:
    decoy = path.with_name(f"{path.name}.decoy")
    path.rename(decoy)
    path.symlink_to(decoy)


@pytest.mark.parametrize("damage", [flip, cut, replace_by_folder, replace_by_fifo, replace_by_link])
def test_a_damaged_file_is_opened_without_it_or_refused_by_name_and_a_new_index_is_built(
    damage: Callable[[Path], None],
) -> None:
    with index_directory() as directory:
        build_index(directory)
        names = sorted({path.name for path in directory.rglob("*") if path.is_file() and path.stat().st_size})
        wrong: list[str] = []
        for name in names:
            shutil.rmtree(directory)
            directory.mkdir()
            build_index(directory)
            for path in [path for path in directory.rglob(name) if path.is_file() and path.stat().st_size]:
                damage(path)
            child = open_in_child(directory)
            told = child.stdout.startswith("opened") or str(directory) in child.stdout
            if child.returncode or not told:
                wrong.append(f"{name}: {child.returncode} {child.stdout[-200:]} {child.stderr[-200:]}")
            try:
                build_index(directory)
                assert EdgeGenerations(directory).active().schema == SCHEMA
            except VectorStoreError as error:
                # What is no file of ours is never written through, and the message says which to remove.
                if "remove it" not in str(error) or str(directory) not in str(error):
                    wrong.append(f"{name}: {error}")
            except Exception as error:
                wrong.append(f"{name}: no new build: {type(error).__name__}: {error}")
        assert names and wrong == []

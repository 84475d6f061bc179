"""Files of the index are never followed out of it: a decoy under each of their names stays as it was."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ingestion.errors import VectorStoreError
from ingestion.own_files import read_own
from ingestion.vector_stores.edge.compaction import has_grown
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
from tests.support.vector_points import SCHEMA, build_index, index_directory, make_point

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and FIFOs as POSIX has them")

PRECIOUS = '{"pid": 1, "precious": true}'
NAMES = ["CURRENT", "*/lock", "*/lock.next", "*/schema.json", "*/counts.json", "*/runs.json", "*/compact-bytes"]
"""Every file that is ours, below the collection's folder."""


@pytest.fixture
def index() -> Iterator[Path]:
    with index_directory() as directory:
        build_index(directory / "book")
        yield directory / "book"


def path_of(index: Path, name: str) -> Path:
    generation = next(path for path in index.iterdir() if path.is_dir())
    return index / name.replace("*", generation.name)


def symbolic(path: Path, decoy: Path) -> None:
    path.symlink_to(decoy)


def hard(path: Path, decoy: Path) -> None:
    os.link(decoy, path)


def fifo(path: Path, decoy: Path) -> None:
    os.mkfifo(path)


def use_everything(index: Path) -> list[str]:
    """Do what commands do with an index; returns the errors, each of which must be one of ours."""
    errors = []

    def write() -> None:
        store = EdgeGenerations(index).open_active()
        assert store is not None
        with closing(store):
            store.upsert([make_point(99)])

    def recreate() -> None:
        generations = EdgeGenerations(index)
        with closing(generations.create(SCHEMA)) as store:
            store.upsert([make_point(1)])
            generations.activate(store)

    steps: list[Callable[[], object]] = [
        lambda: EdgeGenerations(index).active(),
        lambda: EdgeGenerations(index).known_count("robots"),
        lambda: EdgeGenerations(index).kept(),
        write,
        lambda: has_grown(path_of(index, "*")),
        recreate,
        lambda: EdgeGenerations(index).rollback(),
        lambda: EdgeGenerations(index).drop_former(),
        recreate,
    ]
    for step in steps:
        try:
            step()
        except VectorStoreError as error:
            errors.append(str(error))
    return errors


@pytest.mark.parametrize("place", [symbolic, hard, fifo])
@pytest.mark.parametrize("name", NAMES)
def test_a_decoy_under_the_name_of_a_file_of_ours_stays_as_it_is(
    index: Path, tmp_path: Path, name: str, place: Callable[[Path, Path], None]
) -> None:
    decoy = (tmp_path if place is not hard else index.parent) / "decoy"
    decoy.write_text(PRECIOUS)
    path = path_of(index, name)
    with suppress(FileNotFoundError):
        path.unlink()
    place(path, decoy)
    use_everything(index)
    assert decoy.read_text() == PRECIOUS


@pytest.mark.parametrize("place", [symbolic, fifo])
@pytest.mark.parametrize("name", ["CURRENT", "*/lock", "*/schema.json"])
def test_what_cannot_be_done_without_says_which_file_is_to_blame(
    index: Path, tmp_path: Path, name: str, place: Callable[[Path, Path], None]
) -> None:
    decoy = tmp_path / "decoy"
    decoy.write_text(PRECIOUS)
    path = path_of(index, name)
    path.unlink()
    place(path, decoy)
    with pytest.raises(VectorStoreError, match=rf"{path.name}.*remove it|remove it.*{path.name}"):
        EdgeGenerations(index).open_active()


@pytest.mark.parametrize("name", ["", "*", "*/shard", "*/shard/edge_config.json", "*/shard/wal"])
def test_a_folder_or_an_engine_file_that_is_a_link_is_refused(index: Path, tmp_path: Path, name: str) -> None:
    path = path_of(index, name) if name else index
    elsewhere = tmp_path / "elsewhere"
    shutil.move(path, elsewhere)
    path.symlink_to(elsewhere)
    before = sorted((str(each), each.stat().st_mtime_ns) for each in elsewhere.rglob("*") if each.is_file())
    with pytest.raises(VectorStoreError, match="link"):
        EdgeGenerations(index).open_active()
    assert before == sorted((str(each), each.stat().st_mtime_ns) for each in elsewhere.rglob("*") if each.is_file())


@pytest.mark.parametrize("name", ["../../elsewhere", "/etc", "shard", "", 7, ["x"]])
@pytest.mark.parametrize("role", ["active", "former"])
def test_a_pointer_that_names_no_generation_of_this_collection_is_an_error(
    index: Path, name: object, role: str
) -> None:
    pointer = json.loads((index / "CURRENT").read_text()) | {role: name}
    (index / "CURRENT").write_text(json.dumps(pointer))
    with pytest.raises(VectorStoreError, match="which is not a generation; `bookwise verify --repair`"):
        EdgeGenerations(index).open_active()
    generations = EdgeGenerations(index)
    with closing(generations.create(SCHEMA)) as store:
        generations.activate(store)
    opened = generations.open_active()
    assert opened is not None
    with closing(opened):
        assert opened.count(Where()) == 0


def test_a_left_over_that_is_a_link_is_removed_and_not_what_it_points_to(index: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text(PRECIOUS)
    left_over = index / "20200101T000000-abcdef"
    left_over.symlink_to(elsewhere)
    EdgeGenerations(index).create(SCHEMA).close()
    assert not left_over.is_symlink() and (elsewhere / "precious").read_text() == PRECIOUS


def test_a_device_is_refused() -> None:
    with pytest.raises(OSError, match="not a regular file"):
        read_own(Path("/dev/zero"))


def test_a_file_that_is_far_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "CURRENT"
    with large.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="larger than 64 MiB"):
        read_own(large)

"""A generation that cannot be written is read in a private copy, made once, and again when the index changed."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ingestion.errors import IndexInUse, IndexNotWritable, VectorStoreError
from ingestion.vector_stores.edge import private_copy
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.edge.index_files import bytes_taken, copy_folder, files_below
from ingestion.vector_stores.edge.lock import LOCK, acquire
from ingestion.vector_stores.edge.pointer import read_pointer
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.lease import LocalLease
from tests.support.read_only import refuse_writes
from tests.support.vector_points import make_point, opened

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    return tmp_path / "bookwise" / "indexes"


@pytest.fixture
def unwritable(own: EdgeGenerations, own_directory: Path, cache: Path) -> Iterator[EdgeGenerations]:
    """The small index on a disk that this process cannot write; the copies go to `cache`."""
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        yield own


def points_in(generations: EdgeGenerations) -> int:
    with closing(opened(generations)) as store:
        return store.count(Where())


def copies_in(cache: Path) -> list[Path]:
    return [path for path in cache.glob("*/*") if path.is_dir()]


def write_more(directory: Path) -> None:
    """Write as the owner of the index would."""
    with closing(opened(EdgeGenerations(directory))) as store:
        store.upsert([make_point(500)])


def fail(*_: object) -> None:
    raise OSError("the disk is full")


def test_an_index_that_cannot_be_written_is_read_and_says_once_what_that_takes(
    unwritable: EdgeGenerations, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert points_in(unwritable) == 30
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "cannot be written" in said[0] and "MiB go to" in said[0] and "must be free" in said[0]
    assert str(cache) in said[0]
    assert said[1].startswith("copied in ")
    caplog.clear()
    assert points_in(unwritable) == 30
    assert not caplog.records


def test_the_copy_has_the_same_files_and_their_holes(
    unwritable: EdgeGenerations, own_directory: Path, cache: Path
) -> None:
    generation = own_directory / str(read_pointer(own_directory).active)
    copy = cache / "copy"
    cache.mkdir(parents=True)
    copy_folder(generation / "shard", copy)
    there = {path: (stat.st_size, stat.st_mtime_ns) for path, stat in files_below(generation / "shard")}
    assert {path: (stat.st_size, stat.st_mtime_ns) for path, stat in files_below(copy)} == there
    for path in there:
        assert Path(f"{copy}{path}").read_bytes() == Path(f"{generation / 'shard'}{path}").read_bytes()
    assert bytes_taken(copy) < sum(size for size, _ in there.values()) / 5


def test_a_file_without_holes_is_copied_with_holes_where_it_is_zero(tmp_path: Path) -> None:
    (tmp_path / "layer").mkdir()
    contents = b"head" + bytes(8 << 20) + b"tail"
    (tmp_path / "layer" / "dense").write_bytes(contents)
    copy_folder(tmp_path / "layer", tmp_path / "copy")
    assert (tmp_path / "copy" / "dense").read_bytes() == contents
    assert bytes_taken(tmp_path / "copy") < 2 << 20


def test_a_changed_index_is_copied_anew_and_the_old_copy_is_removed(
    own: EdgeGenerations, own_directory: Path, cache: Path
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        assert points_in(own) == 30
        first = copies_in(cache)
    write_more(own_directory)
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        assert points_in(own) == 31
        second = copies_in(cache)
    assert len(first) == len(second) == 1
    assert first != second


def test_another_active_generation_is_copied_anew_and_the_old_copy_is_removed(
    own: EdgeGenerations, own_directory: Path, cache: Path
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        points_in(own)
    with closing(opened(own)) as store, closing(own.create(store.schema)) as new:
        own.activate(new)
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        assert points_in(own) == 0
    (copy,) = copies_in(cache)
    assert [path.name for path in copy.iterdir()] == [read_pointer(own_directory).active]


def test_who_has_a_copy_open_is_told_that_the_index_changed(own: EdgeGenerations, own_directory: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        store = opened(own)
    with closing(store):
        assert not own.should_close(store)
        write_more(own_directory)
        assert own.should_close(store)


def test_a_copy_that_is_open_stays_until_it_is_closed(own: EdgeGenerations, own_directory: Path, cache: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        store = opened(own)
    with closing(store):
        write_more(own_directory)
        with pytest.MonkeyPatch.context() as patched:
            refuse_writes(patched, own_directory)
            assert points_in(own) == 31
        assert store.count(Where()) == 30
        assert len(copies_in(cache)) == 2


def test_two_that_open_at_once_make_one_copy(
    unwritable: EdgeGenerations, own_directory: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    readers = [EdgeGenerations(own_directory, 30) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(points_in, readers)) == [30, 30, 30]
    assert sum("copied in" in record.getMessage() for record in caplog.records) == 1
    assert len(copies_in(cache)) == 1


def test_half_a_copy_is_never_taken_for_a_whole_one(
    unwritable: EdgeGenerations, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(private_copy, "copy_file", fail)
        with pytest.raises(VectorStoreError, match="cannot be copied"):
            points_in(unwritable)
    assert copies_in(cache) == []
    (folder,) = cache.iterdir()
    (folder / ".killed.tmp" / "20260101T000000-aaaaaa").mkdir(parents=True)
    assert points_in(unwritable) == 30
    assert [path.name.startswith(".") for path in copies_in(cache)] == [False]


def test_too_little_space_is_an_error_that_says_how_much_is_needed(
    unwritable: EdgeGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, 5 << 20))
    with pytest.raises(VectorStoreError, match=r"needs \d{3}\.\d MiB in .*, where 5\.0 MiB are free.*XDG_CACHE_HOME"):
        points_in(unwritable)


def test_without_a_cache_folder_the_error_says_how_to_name_one(
    unwritable: EdgeGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(VectorStoreError, match="no cache folder for a private copy; set "):
        points_in(unwritable)


def test_a_cache_folder_that_cannot_be_written_is_named(
    unwritable: EdgeGenerations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "file"))
    with pytest.raises(VectorStoreError, match=f"cannot be copied to {tmp_path / 'file'}"):
        points_in(unwritable)


def test_a_link_in_the_index_is_not_followed(
    unwritable: EdgeGenerations, own_directory: Path, tmp_path: Path, cache: Path
) -> None:
    shard = own_directory / str(read_pointer(own_directory).active) / "shard"
    (shard / "secret").symlink_to("/etc/passwd")
    with pytest.raises(VectorStoreError, match="not followed"):
        points_in(unwritable)
    assert copies_in(cache) == []


@pytest.mark.usefixtures("cache")
def test_an_index_that_its_owner_has_open_is_waited_for(own: EdgeGenerations, own_directory: Path) -> None:
    release = acquire(own_directory / str(read_pointer(own_directory).active) / LOCK, 0)
    with pytest.MonkeyPatch.context() as patched:
        refuse_writes(patched, own_directory)
        with pytest.raises(IndexInUse, match=f"in use by process {os.getpid()}"):
            points_in(own)
        release()
        assert points_in(own) == 30


def test_who_writes_is_told_that_the_index_cannot_be_written(
    unwritable: EdgeGenerations, own_directory: Path, cache: Path
) -> None:
    with pytest.raises(IndexNotWritable, match=f"the index in {own_directory} cannot be written"):
        unwritable.open_active(LocalLease())
    assert not cache.exists()


def test_a_run_that_shares_a_reader_s_copy_does_not_write_it(unwritable: EdgeGenerations) -> None:
    with closing(opened(unwritable)) as store, pytest.raises(IndexNotWritable):
        unwritable.sharing(store).open_active(LocalLease())


def test_copies_of_an_index_that_is_gone_are_removed_with_the_next_copy(
    own: EdgeGenerations, own_directory: Path, cache: Path
) -> None:
    gone = own_directory.with_name("gone")
    shutil.copytree(own_directory, gone)
    for directory in (gone, own_directory):
        with pytest.MonkeyPatch.context() as patched:
            refuse_writes(patched, directory)
            assert points_in(EdgeGenerations(directory)) == 30
        shutil.rmtree(gone, ignore_errors=True)
    (folder,) = cache.iterdir()
    assert (folder / "source").read_text() == str(own_directory.resolve())

"""What only the embedded store promises: crashes, full disks and other processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from ingestion.errors import IndexInUse, VectorStoreError
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.edge.store import EdgeStore
from ingestion.vector_stores.filters import AnyOf, Condition, Equals, HasId, Where
from ingestion.vector_stores.types import Schema
from tests.support.paths import ROOT
from tests.support.vector_points import SCHEMA, make_point, opened, point_id, unit_vector
from tests.support.waits import LONGEST


@contextmanager
def child(code: str, directory: Path) -> Iterator[IO[str]]:
    """Runs code in another process, gives its output, and kills it in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(directory)], cwd=ROOT, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(LONGEST)
        process.stdout.close()


HOLD = """
import sys, time
from pathlib import Path
from ingestion.vector_stores.edge.generations import EdgeGenerations
store = EdgeGenerations(Path(sys.argv[1])).open_active()
print("open", flush=True)
time.sleep({seconds})
store.close()
time.sleep(60)
"""

WRITE = """
import sys
from pathlib import Path
from ingestion.vector_stores.filters import HasId, Where
from ingestion.vector_stores.edge.generations import EdgeGenerations
from tests.support.vector_points import make_point
store = EdgeGenerations(Path(sys.argv[1])).open_active()
for batch in range(10_000):
    points = [make_point(batch * 10 + number, book="loop") for number in range(10)]
    store.upsert(points)
    store.set_payloads({points[1].id: {"book_id": "patched"}})
    store.delete(Where((HasId((points[0].id,)),)))
    if batch % 7 == 0:
        store.checkpoint()
    print(batch, flush=True)
"""


def test_what_was_acknowledged_survives_kill_9(own: EdgeGenerations, own_directory: Path) -> None:
    with child(WRITE, own_directory) as output:
        acknowledged = [int(output.readline()) for _ in range(20)]
    with closing(opened(own)) as store:
        for batch in acknowledged:
            ids = [point_id(f"loop:{batch * 10 + number}") for number in range(10)]
            there = store.retrieve(ids, vectors=True)
            assert set(there) == set(ids[1:])
            assert there[ids[1]].payload == {"book_id": "patched"}
            assert all(point.dense is not None for point in there.values())
        assert {point_id(f"robots:{number}") for number in range(30)} <= {
            point.id for point in store.scroll(Where(), fields=[])
        }


def test_a_creation_killed_by_kill_9_leaves_the_old_serving_and_is_cleaned_up(
    own: EdgeGenerations, own_directory: Path
) -> None:
    code = HOLD.format(seconds=60).replace(
        "open_active()", "create(__import__('tests.support.vector_points').support.vector_points.SCHEMA)"
    )
    with child("import tests.support.vector_points\n" + code, own_directory) as output:
        assert output.readline() == "open\n"
        with pytest.raises(IndexInUse):
            own.create(SCHEMA)
    assert len(list(own_directory.glob("*/shard"))) == 2
    with closing(opened(own)) as store:
        assert store.count(Where()) == 30
    with closing(own.create(SCHEMA)):
        assert len(list(own_directory.glob("*/shard"))) == 2


def test_a_second_opener_is_told_which_process_holds_the_index(generations: EdgeGenerations, directory: Path) -> None:
    with child(HOLD.format(seconds=60), directory) as output:
        assert output.readline() == "open\n"
        with pytest.raises(IndexInUse, match=r"in use by process \d+; .* --wait SECONDS") as caught:
            generations.open_active()
        assert str(os.getpid()) not in str(caught.value)
    with closing(opened(generations)) as store, pytest.raises(IndexInUse, match=f"process {os.getpid()}"):
        assert store.count(Where()) == 30
        generations.open_active()


def test_a_second_opener_waits_as_long_as_it_is_told(generations: EdgeGenerations, directory: Path) -> None:
    with child(HOLD.format(seconds=0.2), directory) as output:
        assert output.readline() == "open\n"
        with closing(opened(EdgeGenerations(directory, wait=30))) as store:
            assert store.count(Where()) == 30


def test_an_index_that_was_opened_before_a_fork_is_refused_instead_of_hanging(
    generations: EdgeGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(opened(generations)) as store:
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: 1)
            with pytest.raises(VectorStoreError, match="before a fork"):
                store.count(Where())
        assert store.count(Where()) == 30


@pytest.mark.parametrize("condition", [HasId(("no-uuid",)), Equals("chapter", 2**64), AnyOf("chapter", (1, 2**64))])
def test_a_filter_that_the_engine_cannot_take_is_an_error_of_the_store(
    generations: EdgeGenerations, condition: Condition
) -> None:
    with closing(opened(generations)) as store, pytest.raises(VectorStoreError, match="this filter cannot be used"):
        store.count(Where((condition,)))


def test_nothing_is_written_to_a_disk_that_is_almost_full(
    own: EdgeGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(opened(own)) as store:
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(100, 0, 100 << 20))
            with pytest.raises(VectorStoreError, match=r"100 MiB are free in .*, 256 MiB are needed"):
                store.upsert([make_point(99)])
            assert store.count(Where()) == 30
        store.upsert([make_point(99)])
        assert store.count(Where()) == 31


class FlushedShard:
    """An engine that notes whether readers already saw the generation when it was made safe."""

    def __init__(self, pointer: Path) -> None:
        self.pointer = pointer
        self.seen: list[bool] = []

    def flush(self) -> None:
        self.seen.append(self.pointer.exists())


def test_a_generation_is_safe_on_the_disk_before_readers_see_it(tmp_path: Path) -> None:
    shard = FlushedShard(tmp_path / "CURRENT")
    store = EdgeStore(tmp_path / "new", SCHEMA, shard, lambda: None)  # type: ignore[arg-type]
    EdgeGenerations(tmp_path).activate(store)
    assert shard.seen == [False]
    assert shard.pointer.exists()


class PanicException(BaseException):
    """Stands for the engine's class of this name, which cannot be imported."""


class BrokenShard:
    """An engine whose updates fail."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.updates = 0

    def update(self, operation: object) -> None:
        self.updates += 1
        raise self.error

    def close(self) -> None:
        pass


@pytest.mark.parametrize("error", [PanicException("index out of bounds"), Exception("Service runtime error")])
def test_after_a_failed_write_the_store_takes_no_other(error: BaseException, tmp_path: Path) -> None:
    shard, released = BrokenShard(error), []
    store = EdgeStore(tmp_path, SCHEMA, shard, lambda: released.append(1))  # type: ignore[arg-type]
    with pytest.raises(VectorStoreError, match=str(error)):
        store.upsert([make_point(0)])
    with pytest.raises(VectorStoreError, match="earlier write"):
        store.upsert([make_point(1)])
    assert shard.updates == 1
    store.close()
    store.close()
    assert released == [1]


def test_the_nearest_of_many_are_those_of_a_scan_in_full(tmp_path: Path) -> None:
    dimensions, limit = 64, 100
    points = [replace(make_point(number), dense=unit_vector(number, dimensions)) for number in range(800)]
    with closing(EdgeGenerations(tmp_path / "many").create(Schema("fake/1", dimensions))) as store:
        store.upsert(points)
        for seed in range(5_000, 5_003):
            query = unit_vector(seed, dimensions)
            cosines = {point.id: float(point.dense @ query) for point in points}
            hits, _ = store.search(dense=query, sparse=None, where=Where(), limit=limit)
            best = sorted(cosines.values(), reverse=True)[:limit]
            assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-5)
            assert [hit.score for hit in hits] == pytest.approx([cosines[hit.id] for hit in hits], abs=1e-5)


def test_an_interrupt_is_not_taken_for_a_failure_of_the_engine(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path, SCHEMA, BrokenShard(KeyboardInterrupt()), lambda: None)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        store.upsert([make_point(0)])


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(VectorStoreError, match=r"cannot use .*file"):
        EdgeGenerations(tmp_path / "file" / "book").create(SCHEMA)


def test_a_run_with_nothing_to_do_loads_neither_numpy_nor_the_server_client(
    generations: EdgeGenerations, directory: Path
) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from ingestion.vector_stores.factory import open_generations\n"
        "from ingestion.vector_stores.filters import Equals, Where\n"
        "folder = Path(sys.argv[1])\n"
        "place = {'collection': folder.name, 'directory': folder.parent}\n"
        "generations = open_generations(url=None, api_key=None, wait=0, **place)\n"
        "print(generations.open_active().count(Where((Equals('book_id', 'robots'),))))\n"
        "assert not {'qdrant_client', 'numpy', 'pydantic'} & set(sys.modules)\n"
    )
    command = [sys.executable, "-c", code, str(directory)]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60).stdout == "30\n"


def test_after_a_failed_write_there_is_no_checkpoint_that_would_end_the_log(
    own: EdgeGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(opened(own)) as store:
        monkeypatch.setattr(store, "_failed", True)
        with pytest.raises(VectorStoreError, match="failed an earlier write"):
            store.checkpoint()


def test_a_store_that_is_shared_is_closed_by_the_last_who_uses_it(own: EdgeGenerations, own_directory: Path) -> None:
    store = opened(own)
    shared = own.sharing(store).open_active()
    assert shared is store
    shared.close()
    assert store.count(Where()) == 30
    with pytest.raises(IndexInUse):
        EdgeGenerations(own_directory).open_active()
    store.close()
    store.close()
    opened(EdgeGenerations(own_directory)).close()
    with pytest.raises(VectorStoreError, match="is closed"):
        store.share()


def test_a_run_that_shares_a_store_sees_another_generation_once_it_is_active(own: EdgeGenerations) -> None:
    with closing(opened(own)) as store:
        with closing(own.create(SCHEMA)) as created:
            own.activate(created)
        active = own.sharing(store).open_active()
        assert active is not None and active is not store
        with closing(active):
            assert active.count(Where()) == 0

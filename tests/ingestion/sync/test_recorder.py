"""What the state says is committed is safe in the store, at every moment at which the state is written."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import EmbeddingError, VectorStoreError
from ingestion.models import IngestionState
from ingestion.state.state_file import StateFile
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.edge.shard import load_shard
from ingestion.vector_stores.edge.store import EdgeStore
from ingestion.vector_stores.filters import Where
from tests.support.books import Library, long_text, page
from tests.support.fakes import FakeEmbedder

FOUR = {
    f"module-1-ros2/chapter-1-basics/{number:02}-{word}.md": page(word.title(), long_text(word))
    for number, word in enumerate(("alpha", "beta", "gamma", "delta"), 1)
}


@pytest.fixture(autouse=True)
def a_group_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.sync.file_groups.FILES_PER_GROUP", 1)


def save_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.sync.recorder.SAVE_INTERVAL_SECONDS", 0.0)


class PowerLoss(StateFile):
    """At each save, looks what an index would hold that lost its log and all its memory just then."""

    def __init__(self, path: Path, index: Path) -> None:
        super().__init__(path)
        self.index = index
        self.recorded: list[int] = []

    def save(self, state: IngestionState) -> None:
        super().save(state)
        (shard,) = self.index.glob("*/shard")
        copy = self.index.with_name(f"lost-{len(self.recorded)}")
        shutil.copytree(shard, copy / "shard")
        for log in (copy / "shard" / "wal").iterdir():
            log.unlink()
        store = EdgeStore(copy, schema=None, shard=load_shard(copy / "shard"), release=lambda: None)  # type: ignore[arg-type]
        wanted = {each for record in state.records.values() for each in record.chunk_ids}
        assert {point.id for point in store.scroll(Where())} >= wanted
        self.recorded.append(len(wanted))


def test_an_index_that_loses_its_log_holds_all_that_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_always(monkeypatch)
    states = PowerLoss(tmp_path / "state.json", tmp_path / "index")
    library = Library(tmp_path, EdgeGenerations(tmp_path / "index"), states=states)
    library.write(FOUR)
    library.run()
    assert sorted(set(states.recorded)) == [1, 2, 3, 4]


class CountingStates(StateFile):
    """Counts saves."""

    saves = 0

    def save(self, state: IngestionState) -> None:
        self.saves += 1
        super().save(state)


def checkpoints(library: Library) -> int:
    return sum(store.checkpoints for _, store in library.generations.stores)


def test_a_short_run_is_made_safe_and_recorded_once(tmp_path: Path) -> None:
    states = CountingStates(tmp_path / "state.json")
    library = Library(tmp_path, states=states)
    library.write(FOUR)
    library.run()
    assert (checkpoints(library), states.saves) == (1, 1)


def test_a_new_generation_is_made_safe_while_it_grows_and_recorded_only_once_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_always(monkeypatch)
    states = CountingStates(tmp_path / "state.json")
    library = Library(tmp_path, states=states)
    library.write(FOUR)
    library.run("recreate")
    assert (checkpoints(library), states.saves) == (len(FOUR) + 1, 1)


class FailsAt(FakeEmbedder):
    """The service is gone once it comes to this word."""

    word = "gamma"

    def embed_documents(self, texts: Sequence[str]) -> Any:
        if any(self.word in text for text in texts):
            raise EmbeddingError("the service is gone")
        return super().embed_documents(texts)


def recorded(library: Library) -> int:
    if not library.state_path.exists():
        return 0
    return len(json.loads(library.state_path.read_text())["books"]["test-book"]["records"])


def test_a_run_that_fails_records_what_it_wrote(tmp_path: Path) -> None:
    library = Library(tmp_path, embedder=FailsAt())
    library.write(FOUR)
    with pytest.raises(EmbeddingError, match="gone"):
        library.run()
    assert recorded(library) == 2
    library.embedder = FakeEmbedder()
    library.run()
    assert recorded(library) == len(FOUR) and len(library.embedder.texts) == 2


def test_what_cannot_be_made_safe_is_not_recorded_and_hides_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    library = Library(tmp_path, embedder=FailsAt())
    library.write(FOUR)

    def no_disk(_: object) -> None:
        raise VectorStoreError("the disk is full")

    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING):
        broken.setattr("tests.support.fakes.MemoryStore.checkpoint", no_disk)
        with pytest.raises(EmbeddingError, match="gone"):
            library.run()
    assert recorded(library) == 0
    assert "not recorded; the next run finds them: the disk is full" in caplog.text
    library.embedder = FakeEmbedder()
    library.run()
    assert recorded(library) == len(FOUR) and len(library.embedder.texts) == 2

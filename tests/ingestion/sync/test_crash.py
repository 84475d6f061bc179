"""Die at the n-th outside call, for every n; one clean run later the index equals one made from nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ingestion.errors import EmbeddingError, Interrupted, VectorStoreError
from ingestion.models import IngestionMode
from tests.support.books import Library, long_text, page
from tests.support.fakes import Crash, Faults

ROS = "module-1-ros2/chapter-1-basics"
BEFORE = {
    f"{ROS}/01-nodes.md": page("Nodes", *(long_text(word) for word in ("alpha", "beta", "gamma"))),
    f"{ROS}/02-topics.md": page("Topics", long_text("delta")),
    f"{ROS}/03-services.md": page("Services", long_text("epsilon"), long_text("zeta")),
}
AFTER = {
    f"{ROS}/01-nodes.md": page("Nodes", long_text("alpha"), long_text("beta new")),
    f"{ROS}/04-topics.md": BEFORE[f"{ROS}/02-topics.md"],
    f"{ROS}/05-actions.md": page("Actions", long_text("eta"), hardware_tier=3),
    f"{ROS}/03-services.md": BEFORE[f"{ROS}/03-services.md"].replace("title: Services", "title: Services\nlayer: L2"),
}


def one_file_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.sync.file_groups.FILES_PER_GROUP", 1)
    monkeypatch.setattr("ingestion.sync.recorder.SAVE_INTERVAL_SECONDS", 0.0)


def survives(
    folder: Path, mode: IngestionMode, call: int, error: type[BaseException], check: Callable[[Library], None]
) -> bool:
    """Crash the second run at this call and check what is left; False when there is no such call."""
    library = Library(folder)
    library.write(BEFORE)
    library.run()
    library.write(AFTER)
    faults = Faults(call, error)
    library.generations.faults = library.embedder.faults = faults
    try:
        library.run(mode)
        return False
    except (error, Interrupted):
        check(library)
    finally:
        library.fail_at(None)
    library.run(mode if mode == "recreate" else "incremental")
    expected = Library(folder / "expected")
    expected.write(AFTER)
    expected.run()
    assert library.contents() == expected.contents()
    library.embedder.texts.clear()
    assert not library.run().pending and library.embedder.texts == []
    return True


def every_lesson_answers(library: Library) -> None:
    """A lesson that stayed has its old chunks or its new ones, never none."""
    for path in BEFORE.keys() & AFTER.keys():
        text = library.texts_of(path)
        assert text, path


@pytest.mark.parametrize("mode", ["incremental", "full", "recreate"])
@pytest.mark.parametrize("error", [Crash, KeyboardInterrupt, EmbeddingError, VectorStoreError])
def test_a_crash_at_any_outside_call_is_healed_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: IngestionMode, error: type[BaseException]
) -> None:
    one_file_a_group(monkeypatch)
    call = 1
    while survives(tmp_path / str(call), mode, call, error, every_lesson_answers):
        shutil.rmtree(tmp_path / str(call))
        call += 1
    assert call > 8


def test_a_crash_of_the_first_run_loses_nothing_that_was_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_file_a_group(monkeypatch)
    for call in range(1, 15):
        library = Library(tmp_path / str(call))
        library.write(BEFORE)
        library.fail_at(call)
        with pytest.raises(Crash):
            library.run()
        library.fail_at(None)
        stored = {point.payload["embed_key"] for point in library.generations.points.values()}
        before = len(library.embedder.texts)
        library.run()
        assert len(library.embedder.texts) - before == 6 - len(stored)
        if len(stored) == 6:
            return
    pytest.fail("never got as far as the last write")

"""Kill a real `bookwise ingest` anywhere; one clean run later, all is as if nothing had happened.

20 points by default; BOOKWISE_KILL_POINTS=200 is the long version.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ingestion.models import IngestionMode
from tests.support.books import page, write_book
from tests.support.command_line import copy_index
from tests.support.fakes import FakeEmbedder
from tests.support.processes import EIGHT_LESSONS, Desk, lesson
from tests.support.waits import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

POINTS = int(os.environ.get("BOOKWISE_KILL_POINTS", "20"))
PATHS = list(EIGHT_LESSONS)
EDITED = EIGHT_LESSONS | {
    PATHS[0]: page("Lesson 1", "The arm turns on its axis.", "Oil the arm twice a day.", layer="L2"),
    PATHS[3]: EIGHT_LESSONS[PATHS[3]].replace("layer: L2", "layer: L4"),
    PATHS[5]: lesson(6, "hook"),
    PATHS[7]: page("Lesson 8", "A new first part.", "The lever turns on its axis.", "Oil the lever once a year."),
}
MOVED = {path.replace("/0", "/1") if path in PATHS[:4] else path: text for path, text in EIGHT_LESSONS.items()}
THINNED = {path: text for path, text in EIGHT_LESSONS.items() if path not in PATHS[1:4]}

SCENES: dict[str, tuple[dict[str, str], IngestionMode]] = {
    "first": (EIGHT_LESSONS, "incremental"),
    "edit": (EDITED, "incremental"),
    "move": (MOVED, "incremental"),
    "delete": (THINNED, "incremental"),
    "recreate": (EDITED, "recreate"),
}
CALLS = {"first": 4, "edit": 3, "recreate": 3}
"""Calls of the embedder in a whole run, one a group that has new texts; the other scenes have none."""


class Bench:
    """An indexed book to copy, and what each scene must lead to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.indexed = self.desk("indexed", EIGHT_LESSONS)
        self.indexed.ingest()
        self._expected: dict[str, tuple[Any, Any]] = {}

    def desk(self, name: str, pages: dict[str, str]) -> Desk:
        write_book(self.folder / name / "docs", pages)
        return Desk(self.folder / name)

    def expected(self, scene: str) -> tuple[Any, Any]:
        """Index and records of a run from nothing."""
        if scene not in self._expected:
            desk = self.desk(f"expected-{scene}", SCENES[scene][0])
            desk.ingest()
            self._expected[scene] = desk.index(), desk.records()
        return self._expected[scene]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"))


def kill_somewhere(desk: Desk, scene: str, chance: random.Random) -> bool:
    """Start a run of the scene and kill it within its writing; False if it had ended."""
    wanted = chance.randint(0, CALLS.get(scene, 0))
    process = desk.fork("ingest", "--mode", SCENES[scene][1])
    begun = (lambda: desk.calls() >= wanted) if wanted else desk.is_locked
    wait_until(begun, lambda: not process.is_alive())
    time.sleep(chance.uniform(0, 0.05 if wanted else 0.3))
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


@pytest.mark.timeout(60 + 3 * POINTS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_killed_run_is_healed_by_the_next_one(bench: Bench, tmp_path: Path, scene: str) -> None:
    chance = random.Random(scene)
    killed = 0
    for point in range(max(1, POINTS // len(SCENES))):
        embedder = FakeEmbedder()
        desk = Desk(tmp_path / str(point), embedder)
        desk.folder.mkdir()
        if scene != "first":
            copy_index(bench.indexed.folder, desk.folder)
        write_book(desk.folder / "docs", SCENES[scene][0])
        killed += kill_somewhere(desk, scene, chance)
        desk.ingest()
        embedder.texts.clear()
        assert not desk.ingest().pending and embedder.texts == []
        assert (desk.index(), desk.records()) == bench.expected(scene)
    assert killed

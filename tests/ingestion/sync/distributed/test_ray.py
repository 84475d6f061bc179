"""A real Ray cluster of two workers on this machine, one of which is killed in the middle."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ingestion.factory import RayChoice, build_parts, open_index
from ingestion.settings import Settings
from ingestion.settings.loader import load_settings
from ingestion.sync.pipeline import ingest
from ingestion.vector_stores.filters import Where
from tests.support.clusters import kept_actors
from tests.support.paths import ROOT

pytest.importorskip("ray")

BOOK = "physical-ai"
DOCS = ROOT / "examples" / "physical-ai" / "docs"


def settings_of(folder: Path) -> Settings:
    place = {"index.directory": str(folder / ".bookwise"), "index.state": str(folder / "state.json")}
    return load_settings(place | {"embedding.embedder": "local", "embedding.threads": 1}, environ={})


def points_of(settings: Settings) -> dict[str, tuple[Any, ...]]:
    """Every point: its dense vector, its sparse one, and its payload without times."""
    with closing(open_index(settings)) as store:
        return {
            point.id: (
                point.dense.tolist() if point.dense is not None else None,
                point.sparse,
                {name: value for name, value in point.payload.items() if not name.endswith("ed_at")},
            )
            for point in store.scroll(Where(), vectors=True)
        }


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("default")
def test_points_equal_those_of_one_machine_when_a_worker_is_killed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ray = pytest.importorskip("ray")

    def kill_in_the_middle(done: int, files: int, report: Any) -> None:
        if actors and report.chunks.embedded:
            pid = ray.get(actors.pop().__ray_call__.remote(lambda _: os.getpid()))
            actors.clear()
            os.kill(pid, signal.SIGKILL)

    # Larger than the example, so that there is a middle.
    for copy in range(3):
        shutil.copytree(DOCS, tmp_path / "docs" / f"volume-{copy}")
    for page in (tmp_path / "docs").rglob("*.md"):
        volume = page.relative_to(tmp_path / "docs").parts[0]
        page.write_text(page.read_text(encoding="utf-8").replace("robot", f"robot of {volume}"), encoding="utf-8")

    alone, spread = settings_of(tmp_path / "alone"), settings_of(tmp_path / "spread")
    with closing(build_parts(alone)) as parts:
        ingest(parts, tmp_path / "docs", book_id=BOOK)
    with kept_actors() as actors, closing(build_parts(spread, ray=RayChoice("local", 2))) as parts:
        report = ingest(parts, tmp_path / "docs", book_id=BOOK, progress=kill_in_the_middle)

    assert not report.failures
    assert "its work is retried" in caplog.text
    assert points_of(spread) == points_of(alone)
    assert not ray.is_initialized()

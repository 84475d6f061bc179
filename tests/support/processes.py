"""Real `bookwise` processes over a small book, for tests that stop them."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np

import ingestion.factory
import ingestion.sync.file_groups
import ingestion.sync.recorder
from ingestion.embedding.protocol import Embedder
from ingestion.factory import build_parts, open_index
from ingestion.models import IngestionMode
from ingestion.report import IngestReport
from ingestion.settings import Settings
from ingestion.settings.loader import load_settings
from ingestion.sync.pipeline import ingest
from ingestion.vector_stores.filters import Where
from tests.support.books import BOOK, TIMES, page
from tests.support.fakes import FakeEmbedder
from tests.support.paths import ROOT

SMALL_STEPS = """
import signal
import ingestion.sync.file_groups, ingestion.sync.recorder, cli
# A shell that starts jobs in the background lets them ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
ingestion.sync.file_groups.FILES_PER_GROUP = 2
ingestion.sync.recorder.SAVE_INTERVAL_SECONDS = 0.0
cli.app()
"""
"""The command, with two files a group and a save after each, which makes a run over eight lessons a long one."""

WARM = (
    "tests.support.processes",
    "cli",
    "ingestion.commands.ingest",
    "ingestion.factory",
    "ingestion.sync.writer",
    "ingestion.commands.views",
)
WARM_LIBRARIES = ("numpy", "qdrant_edge", "sqlalchemy", "sqlalchemy.dialects.sqlite", "typer._adapters")


class LoudEmbedder(FakeEmbedder):
    """Leaves a byte in a file at each call, which another process can count."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._calls = calls_file(Path(settings.index.directory))

    def embed_documents(self, texts: Sequence[str]) -> Any:
        with self._calls.open("a") as file:
            file.write(".")
        return super().embed_documents(texts)


def calls_file(directory: Path) -> Path:
    """Where a LoudEmbedder's calls are counted."""
    return directory / "calls"


def lesson(number: int, word: str) -> str:
    """A short page that no other word's page shares a text with."""
    return page(f"Lesson {number}", f"The {word} turns on its axis.", f"Oil the {word} once a year.", layer="L2")


EIGHT_LESSONS = {
    f"module-1-ros2/chapter-1-basics/{number:02}-{word}.md": lesson(number, word)
    for number, word in enumerate(("arm", "bolt", "cam", "disc", "gear", "hinge", "joint", "lever"), 1)
}


@dataclass
class Desk:
    """A folder with `docs`, index and state, in which processes run."""

    folder: Path
    embedder: Embedder = field(default_factory=FakeEmbedder)

    @property
    def state(self) -> Path:
        return self.folder / ".ingestion_state.json"

    @property
    def directory(self) -> Path:
        return self.folder / ".bookwise"

    def start(self, *arguments: str, program: str = SMALL_STEPS, **settings: str) -> subprocess.Popen[str]:
        """A process that runs one command; `settings` are variables of its environment."""
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "BOOKWISE_BOOK": BOOK} | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def fork(self, *arguments: str) -> BaseProcess:
        """The same from a process that has all imports behind it, with a LoudEmbedder.

        Importing the SDK or loading the model takes longer than all that is worth stopping.
        """
        starter = multiprocessing.get_context("forkserver")
        starter.set_forkserver_preload([*WARM, *WARM_LIBRARIES])
        process = starter.Process(target=_run_command, args=(self.folder, arguments))
        process.start()
        return process

    def ingest(self, mode: IngestionMode = "incremental") -> IngestReport:
        """The same run in this process, which spares the imports."""
        with closing(replace(build_parts(self._settings()), embedder=self.embedder)) as parts:
            return ingest(parts, self.folder / "docs", book_id=BOOK, mode=mode)

    def index(self) -> dict[str, tuple[dict[str, Any], list[float]]]:
        """Payload without times, and vector, by id."""
        with closing(open_index(self._settings())) as store:
            return {
                point.id: (
                    {name: value for name, value in point.payload.items() if name not in TIMES},
                    np.round(np.asarray(point.dense), 5).tolist(),
                )
                for point in store.scroll(Where(), vectors=True)
            }

    def records(self) -> dict[str, Any]:
        """The recorded files without times."""
        records = json.loads(self.state.read_text(encoding="utf-8"))["books"][BOOK]["records"]
        return {path: record | {"ingested_at": None} for path, record in records.items()}

    def is_locked(self) -> bool:
        """Whether a run has begun and not ended."""
        lock = self.directory / "writer.lock"
        return lock.exists() and lock.stat().st_size > 0

    def calls(self) -> int:
        """How often processes called their LoudEmbedder."""
        file = calls_file(self.directory)
        return file.stat().st_size if file.exists() else 0

    def _settings(self) -> Settings:
        return load_settings({"index.directory": str(self.directory), "index.state": str(self.state)}, environ={})


def _run_command(folder: Path, arguments: Sequence[str]) -> None:
    import cli

    os.chdir(folder)
    os.environ["BOOKWISE_BOOK"] = BOOK
    sys.argv = ["bookwise", *arguments]
    sys.stdout = sys.stderr = (folder / "output").open("w")
    ingestion.factory.embedder_of = LoudEmbedder
    ingestion.sync.file_groups.FILES_PER_GROUP = 2
    ingestion.sync.recorder.SAVE_INTERVAL_SECONDS = 0.0
    cli.app()

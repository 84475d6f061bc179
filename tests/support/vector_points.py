"""Points and indexes for the vector store tests: small, and the same at every run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ingestion.vector_stores.bm25 import document_vector
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.edge.store import EdgeStore
from ingestion.vector_stores.types import Payload, Point, Schema
from tests.support.paths import ROOT

SCHEMA = Schema(embedding="fake/1", dimensions=8)


@contextmanager
def index_directory() -> Iterator[Path]:
    """A folder for embedded indexes, in memory where there is room: the engine syncs hundreds of files."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    with TemporaryDirectory(dir=memory if roomy else None, prefix="bookwise-test-") as directory:
        yield Path(directory)


def point_id(name: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, str(name)))


def unit_vector(seed: int, dimensions: int = SCHEMA.dimensions) -> Any:
    row = np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)
    return row / np.linalg.norm(row)


def make_point(number: int, *, book: str = "robots", text: str | None = None, **payload: Any) -> Point:
    """The `number`-th chunk of a book; three chunks a lesson, four lessons a chapter."""
    text = text or f"Chunk {number} tells how a node publishes topic{number % 7} to the robot."
    return Point(
        id=point_id(f"{book}:{number}"),
        dense=unit_vector(number),
        sparse=document_vector(text),
        payload=make_payload(number, book, text) | payload,
    )


def make_payload(number: int, book: str, text: str) -> Payload:
    lesson = number // 3
    return {
        "book_id": book,
        "module": ("ros2", "gazebo", "isaac")[lesson % 3],
        "chapter": lesson // 4 if lesson % 5 else None,
        "lesson": lesson % 4,
        "hardware_tier": lesson % 4 + 1,
        "proficiency_levels": ["A2", "B1"] if lesson % 2 else ["B1"],
        "source_file": f"docs/module/{lesson:02}.md",
        "parent_doc_id": point_id(f"{book}:{lesson}:parent"),
        "chunk_index": number % 3,
        "text": text,
    }


def build_index(directory: Path) -> None:
    """An embedded index of 30 points, closed."""
    generations = EdgeGenerations(directory)
    with closing(generations.create(SCHEMA)) as store:
        store.upsert([make_point(number) for number in range(30)])
        generations.activate(store)


def opened(generations: EdgeGenerations) -> EdgeStore:
    """The active generation, which is there."""
    store = generations.open_active()
    assert store is not None
    return store


def shard_of(directory: Path) -> Path:
    """Where the engine keeps the files of the only generation."""
    return next(directory.glob("*/shard"))


_OPEN = """
import sys
from contextlib import closing
from pathlib import Path
from ingestion.errors import BookwiseError
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
try:
    with closing(EdgeGenerations(Path(sys.argv[1])).open_active()) as store:
        print("opened", store.count(Where()))
except BookwiseError as error:
    print("refused", error)
"""


def open_in_child(directory: Path) -> subprocess.CompletedProcess[str]:
    """Open an index in a process of its own, which a damaged file may end; it prints what came of it."""
    command = [sys.executable, "-c", _OPEN, str(directory)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

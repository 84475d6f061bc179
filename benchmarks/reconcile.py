"""How a run scales with the book: 10,000 small files through the real pipeline and the real embedded engine.

    python -m benchmarks.reconcile [FILES]
    python -m benchmarks.reconcile FILES FILES ...    # the first run alone, and how it grows

Vectors come from a hash, so that what is measured is everything but the embedding. The run without work is a whole
process, and so is `git status` on the same tree, the yardstick. The first run has a process of its own: the system
counts the memory of whoever starts a process as that process's.
"""

from __future__ import annotations

import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from benchmarks.processes import BOOKWISE, cost_of, growth, print_row
from ingestion.embedding.batching import Limits
from ingestion.factory import build_parts
from ingestion.report import IngestReport
from ingestion.settings.loader import load_settings
from ingestion.source.parser import parse_lesson
from ingestion.state.state_file import StateFile
from ingestion.sync.pipeline import ingest

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors
    from ingestion.settings import Settings

FILES = 10_000
LESSONS_PER_CHAPTER = 15
WORDS = [
    "robot",
    "arm",
    "joint",
    "sensor",
    "topic",
    "node",
    "planner",
    "camera",
    "wheel",
    "torque",
    "frame",
    "map",
    "goal",
    "path",
    "lidar",
    "gripper",
]


class HashEmbedder:
    """Passes for the local model, so that a `bookwise` process finds the index as its own."""

    limits = Limits(inputs=256)

    def __init__(self, model: str, dimensions: int) -> None:
        self.model, self.dimensions = model, dimensions

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Equal texts get equal vectors."""
        import numpy as np

        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """A vector of unit length."""
        import numpy as np

        row = np.random.default_rng(abs(hash(text))).standard_normal(self.dimensions).astype(np.float32)
        vector: Vector = row / np.linalg.norm(row)
        return vector


def write_book(docs: Path, files: int) -> None:
    """A generated book: each file has two sections of about 300 tokens that no other file has."""
    for number in range(files):
        module, rest = divmod(number, 20 * LESSONS_PER_CHAPTER)
        chapter, lesson = divmod(rest, LESSONS_PER_CHAPTER)
        page = docs / f"module-{module}-m{module}" / f"chapter-{chapter}-c" / f"{lesson:02}-page-{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        sections = "\n".join(f"## Part {part}\n\n{paragraph(number, part)}\n" for part in (1, 2))
        page.write_text(f"---\ntitle: Page {number}\n---\n\n# Page {number}\n\n{sections}", encoding="utf-8")


def paragraph(number: int, part: int) -> str:
    """25 sentences that name their page."""
    words = [WORDS[(number * 7 + part * 5 + step * step) % len(WORDS)] for step in range(26)]
    return " ".join(f"On page {number} the {a} moves before the {b} of {part}." for a, b in pairwise(words))


def timed(act: Callable[[], object]) -> float:
    """Seconds it takes."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def run(settings: Settings, docs: Path) -> IngestReport:
    """One run in this process."""
    parts = build_parts(settings)
    embedder = HashEmbedder(parts.embedder.model, parts.embedder.dimensions)
    with closing(replace(parts, embedder=embedder)) as ready:
        return ingest(ready, docs, book_id="book")


def measure_edit(settings: Settings, docs: Path) -> str:
    """Change one paragraph of one file, and count what that costs."""
    files = sorted(docs.rglob("*.md"))
    file = files[len(files) // 2]
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("moves before", "waits for", 1), encoding="utf-8")
    with mock.patch("ingestion.sync.chunked_files.parse_lesson", wraps=parse_lesson) as parse:
        report = run(settings, docs)
    return f"{report.seconds:.2f} s, {parse.call_count} parsed, {report.chunks.embedded} chunks embedded"


def measure_state(settings: Settings) -> str:
    """Load and save what is recorded."""
    states = StateFile(Path(settings.index.state))
    state = states.load("book", settings.qdrant.collection)
    load = min(timed(lambda: states.load("book", settings.qdrant.collection)) for _ in range(3))
    save = min(timed(lambda: states.save(state)) for _ in range(3))
    return f"load {load:.2f} s, save {save:.2f} s, {states.path.stat().st_size / 1e6:.1f} MB"


def settings_of(folder: Path) -> Settings:
    """Index and state inside the folder, as a process in it has them."""
    flags = {"index.directory": str(folder / ".bookwise"), "index.state": str(folder / ".ingestion_state.json")}
    return load_settings(flags, environ={})


@dataclass(frozen=True, slots=True)
class FirstRun:
    """What a first run cost its process; `anonymous` memory leaves out the mapped files of the index."""

    files: int
    chunks: int
    seconds: float
    processor: float
    resident: float
    anonymous: float

    def __str__(self) -> str:
        return (
            f"{self.seconds:.1f} s, {self.processor:.1f} s on a core, {self.files} files, {self.chunks} chunks, "
            f"{self.resident:.0f} MB, {self.anonymous:.0f} MB of them its own"
        )


def first_run(folder: Path) -> FirstRun:
    """Index the whole book."""
    from benchmarks.embedding import highest_memory

    began = time.process_time()
    with highest_memory() as peak:
        report = run(settings_of(folder), folder / "docs")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return FirstRun(
        files=report.total_files,
        chunks=report.total_chunks,
        seconds=report.seconds,
        processor=time.process_time() - began,
        resident=usage.ru_maxrss / (1 << 10),
        anonymous=peak[0] / (1 << 10),
    )


def first_run_apart(folder: Path) -> FirstRun:
    """Index the whole book in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        return other.submit(first_run, folder).result()


def measure_growth(numbers: Sequence[int]) -> None:
    """Print what first runs of these numbers of files cost, and how that grows."""
    runs = []
    print("| files | chunks | s | s on a core | resident MB | its own MB |\n|" + " ---: |" * 6)
    for files in numbers:
        with tempfile.TemporaryDirectory() as name:
            write_book(Path(name) / "docs", files)
            runs.append(first_run_apart(Path(name)))
        one = runs[-1]
        print(
            f"| {one.files} | {one.chunks} | {one.seconds:.1f} | {one.processor:.1f} | {one.resident:.0f} "
            f"| {one.anonymous:.0f} |",
            flush=True,
        )
    least, most = runs[0], runs[-1]
    sizes = least.files, most.files
    by_time = growth(sizes, (least.seconds, most.seconds))
    by_core = growth(sizes, (least.processor, most.processor))
    by_memory = growth(sizes, (least.anonymous, most.anonymous))
    print(f"growth: {by_time:.2f} by time, {by_core:.2f} by processor time, {by_memory:.2f} by memory of its own")


def commit(folder: Path) -> None:
    """Make the book a git repository with nothing to do."""
    me = ["-c", "user.name=x", "-c", "user.email=x"]
    for command in (["init", "-q"], ["add", "docs"], [*me, "commit", "-qm", "x"], ["status"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)


def main() -> None:
    """Measure and print."""
    numbers = [int(argument) for argument in sys.argv[1:]] or [FILES]
    if len(numbers) > 1:
        measure_growth(numbers)
        return
    [files] = numbers
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_book(folder / "docs", files)
        commit(folder)
        print(f"first run: {first_run_apart(folder)}")
        no_op = cost_of([BOOKWISE, "ingest"], folder)
        git = cost_of(["git", "status", "--", "docs"], folder)
        print_row("ingest, nothing to do", no_op, f"{no_op.seconds / git.seconds:.0f} × git status")
        print_row("git status", git)
        print(f"one paragraph edited: {measure_edit(settings_of(folder), folder / 'docs')}")
        print(f"state: {measure_state(settings_of(folder))}")


if __name__ == "__main__":
    main()

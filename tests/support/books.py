"""Small books on disk, and runs over them with fakes."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingestion.models import IngestionMode
from ingestion.report import IngestReport
from ingestion.settings.loader import load_settings
from ingestion.state.state_file import StateFile, StateStore
from ingestion.sync.parts import Parts
from ingestion.sync.pipeline import ingest
from tests.support.fakes import FakeEmbedder, Faults, MemoryGenerations

BOOK = "test-book"
TIMES = ("created_at", "updated_at", "embedded_at", "version")


def write_book(root: Path, pages: Mapping[str, str]) -> Path:
    """Make `root` hold exactly these pages."""
    for old in sorted(root.rglob("*.md")):
        if old.relative_to(root).as_posix() not in pages:
            old.unlink()
    for path, text in pages.items():
        page = root / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    return root


def plant(root: Path, *paths: str) -> Path:
    """Add pages of which only the names matter."""
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# Page\n", encoding="utf-8")
    return root


def page(title: str, *paragraphs: str, **front_matter: Any) -> str:
    """A page with front matter, one section a paragraph."""
    front = "".join(f"{key}: {value}\n" for key, value in ({"title": title} | front_matter).items())
    sections = "\n".join(f"## Part {number}\n\n{text}\n" for number, text in enumerate(paragraphs, 1))
    return f"---\n{front}---\n\n# {title}\n\n{sections}"


def long_text(word: str, sentences: int = 40) -> str:
    """A paragraph of about 400 tokens that no other word's paragraph equals."""
    return " ".join(f"The {word} number {number} turns slowly on its axis." for number in range(sentences))


@dataclass
class Library:
    """One folder with an index of fakes; `run` is one `bookwise ingest`."""

    folder: Path
    generations: Any = field(default_factory=MemoryGenerations)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    flags: dict[str, Any] = field(default_factory=dict)
    states: StateStore | None = None

    @property
    def docs(self) -> Path:
        return self.folder / "docs"

    @property
    def state_path(self) -> Path:
        return self.folder / "state.json"

    def parts(self) -> Parts:
        settings = load_settings({"index.state": str(self.state_path), **self.flags}, environ={})
        return Parts(
            settings=settings,
            embedder=self.embedder,
            generations=self.generations,
            states=self.states or StateFile(self.state_path),
            cache=None,
            lock=self.folder / "writer.lock",
        )

    def run(self, mode: IngestionMode = "incremental", *, book: str = BOOK, **options: bool) -> IngestReport:
        return ingest(self.parts(), self.docs, book_id=book, mode=mode, **options)

    def write(self, pages: Mapping[str, str]) -> None:
        write_book(self.docs, pages)

    def fail_at(self, call: int | None) -> Faults:
        """Let the n-th outside call of the next run die."""
        faults = Faults(call)
        self.generations.faults = self.embedder.faults = faults
        return faults

    def contents(self, book: str = BOOK) -> dict[str, dict[str, Any]]:
        """What readers see of a book: payloads by id, without times."""
        return {
            point_id: {name: value for name, value in point.payload.items() if name not in TIMES}
            for point_id, point in self.generations.points.items()
            if point.payload["book_id"] == book
        }

    def texts_of(self, path: str) -> str:
        chunks = [each for each in self.contents().values() if each["source_file"] == path]
        return "\n".join(each["text"] for each in sorted(chunks, key=lambda each: each["chunk_index"]))


def indexed_library(folder: Path, pages: Mapping[str, str]) -> Library:
    """A library whose pages are indexed, and whose embedder has forgotten what it was asked for."""
    library = Library(folder)
    library.write(pages)
    library.run()
    library.embedder.texts.clear()
    return library


def delete_move_and_lose_state(library: Library, cases: Path) -> None:
    """Index the book of case C04, then delete one of its pages, move another and lose the state file."""
    shutil.copytree(cases / "c04/docs", library.docs)
    library.run()
    library.embedder.texts.clear()
    one, two = library.docs / "chapter-1-one", library.docs / "chapter-2-two"
    (one / "02-b.md").unlink()
    two.mkdir()
    (one / "03-c.md").rename(two / "01-c.md")
    library.state_path.unlink()

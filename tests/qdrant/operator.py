"""Somebody who runs `bookwise` on a folder of lessons and a Qdrant server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qdrant_client import models as rest

from tests.support.paths import ROOT
from tests.support.real_qdrant import Target

EXAMPLE = ROOT / "examples" / "physical-ai"
COMMAND = [sys.executable, "-c", "from bookwise.command_line import app; app()"]


@dataclass
class Operator:
    """A folder `home` with the example book in `docs`, and a collection of its own."""

    target: Target
    home: Path
    collection: str = field(init=False)

    def __post_init__(self) -> None:
        self.collection = f"{self.target.prefix}-{self.home.name}"
        shutil.copytree(EXAMPLE, self.home, dirs_exist_ok=True)

    def environment(self, **settings: str) -> dict[str, str]:
        """What a command finds in its environment: the server, and records that are kept there."""
        fixed = {
            "PYTHONPATH": str(ROOT),
            "NO_COLOR": "1",
            "PYTHONWARNINGS": "ignore",
            "QDRANT_COLLECTION_NAME": self.collection,
            "BOOKWISE_STATE": "qdrant",
        }
        return os.environ | self.target.environment | fixed | settings

    def start(self, *arguments: str, home: Path | None = None, **settings: str) -> subprocess.Popen[str]:
        """A process that runs one command."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=home or self.home,
            env=self.environment(**settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, code: int = 0, home: Path | None = None, **settings: str) -> str:
        """What one command prints; fails unless it ends with this code."""
        process = self.start(*arguments, home=home, **settings)
        out, err = process.communicate(timeout=300)
        assert process.returncode == code, f"bookwise {' '.join(arguments)}: {process.returncode}\n{out}\n{err}"
        return out + err

    def report(self, *arguments: str, home: Path | None = None, **settings: str) -> Any:
        """The JSON document that one command prints."""
        process = self.start(*arguments, "--json", home=home, **settings)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, f"bookwise {' '.join(arguments)}: {process.returncode}\n{out}\n{err}"
        return json.loads(out)

    def lessons(self) -> list[Path]:
        """The files of the book."""
        return sorted(path for path in (self.home / "docs").rglob("*.md*") if path.is_file())

    def append(self, lesson: Path, text: str) -> None:
        """Write a paragraph at the end of a lesson."""
        lesson.write_text(f"{lesson.read_text(encoding='utf-8')}\n\n{text}\n", encoding="utf-8")

    def points(self, collection: str | None = None) -> dict[str, tuple[Any, ...]]:
        """What readers see: each point with what says which chunk of which file it is."""
        fields = ["book_id", "source_file", "content_hash", "chunk_index", "total_chunks"]
        client = self.target.server().client
        found: dict[str, tuple[Any, ...]] = {}
        offset: Any = None
        while True:
            records, offset = client.scroll(
                collection or self.collection, limit=1000, offset=offset, with_payload=fields
            )
            for record in records:
                found[str(record.id)] = tuple((record.payload or {}).get(name) for name in fields)
            if offset is None:
                return found

    def generations(self) -> list[str]:
        """The physical collections of the index."""
        names = (each.name for each in self.target.server().client.get_collections().collections)
        return sorted(name for name in names if name.startswith(f"{self.collection}__"))

    def damage(self) -> None:
        """Delete five points behind the back of the records, and spoil two."""
        client = self.target.server().client
        ids: list[Any] = sorted(self.points())
        client.delete(self.collection, rest.PointIdsList(points=ids[:5]), wait=True)
        client.set_payload(self.collection, {"chunk_index": 999}, points=ids[10:12], wait=True)

    def equals_an_index_from_nothing(self) -> bool:
        """Whether readers see exactly what a run into an empty collection makes."""
        fresh = f"{self.collection}-fresh"
        self.run("ingest", "docs", QDRANT_COLLECTION_NAME=fresh, BOOKWISE_STATE="fresh-state.json")
        (self.home / "fresh-state.json").unlink()
        expected = self.points(fresh)
        client = self.target.server().client
        for each in client.get_collections().collections:
            if each.name.startswith(fresh):
                client.delete_collection(each.name)
        return self.points() == expected

"""bookwise: `bookwise ingest`, with the embedded engine in a folder."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from pathlib import Path


def settings(work: Path) -> dict[str, str]:
    """The environment of a run."""
    return {
        "BOOKWISE_DIRECTORY": str(work / "index"),
        "BOOKWISE_STATE": str(work / "state.json"),
        "BOOKWISE_BOOK": "book",
        "BOOKWISE_EMBEDDER": "openai",
        "OPENAI_EMBEDDING_MODEL": "m",
        "OPENAI_EMBEDDING_DIMENSIONS": "256",
    }


def sync(docs: Path, work: Path, url: str) -> None:
    from bookwise.command_line import app

    work.mkdir(parents=True, exist_ok=True)
    os.environ |= settings(work) | {"OPENAI_BASE_URL": url}
    sys.argv = ["bookwise", "ingest", str(docs)]
    app()


def dump(work: Path) -> None:
    from ingestion.factory import open_index
    from ingestion.settings.loader import load_settings
    from ingestion.vector_stores.filters import Where

    environ = settings(work) | {"OPENAI_BASE_URL": "http://127.0.0.1:1"}
    with closing(open_index(load_settings({}, environ=environ))) as store:
        for point in store.scroll(Where(), fields=("source_file", "text")):
            print(json.dumps([point.payload["source_file"], point.payload["text"]]))


if __name__ == "__main__":
    if sys.argv[1] == "sync":
        sync(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
    else:
        dump(Path(sys.argv[2]))

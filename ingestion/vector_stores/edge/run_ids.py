"""Which run last wrote each book of an embedded generation.

<generation>/runs.json   {"my-book": "1f0c5a…"}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.own_files import read_own

_NAME = "runs.json"


def read_runs(generation: Path) -> dict[str, str]:
    """Return the id of each book's last run; none from a file that is missing or damaged: all is compared then."""
    try:
        return {str(book): str(run) for book, run in json.loads(read_own(generation / _NAME)).items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def write_runs(generation: Path, runs: Mapping[str, str]) -> None:
    """Add the ids of runs to those of other books, safe against power loss; raises OSError."""
    write_atomically(generation / _NAME, json.dumps(read_runs(generation) | dict(runs), sort_keys=True))

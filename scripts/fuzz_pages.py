"""Let Atheris look for a page that is neither chunked nor refused: `python -m scripts.fuzz_pages -runs=10000`.

Its coverage leads it to what generated pages do not reach. Atheris is for Linux and macOS, and no part of the lock.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["ingestion"]):
    from tests.support.read_lesson import chunks_of

PAGE = Path(tempfile.mkdtemp()) / "page.mdx"


def read(contents: bytes) -> Any:
    """Read a page, with metadata or without, from its bytes to its chunks."""
    PAGE.write_bytes(contents)
    assert all(chunk.text.strip() for chunk in chunks_of(PAGE, may_fail=True))


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()

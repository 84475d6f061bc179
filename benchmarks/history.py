"""Replay a real history commit by commit, by each peer: `python -m benchmarks.history FOLDER [PEER …]`.

FOLDER holds `base.tar.gz`, the lessons at the first commit, and `changes/*.diff`, one for `git apply` per commit. The
sums of texts embedded, requests and wall time are printed, and whether the index at the end equals one from nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from benchmarks.peers.__main__ import PEERS, content, run
from benchmarks.peers.counting_service import Counts, counting_service


def replay(peer: str, history: Path, place: Path, counts: Counts, *, most: int | None = None) -> str:
    """One row of the table."""
    docs, work = place / "docs", place / "work"
    docs.mkdir(parents=True)
    with tarfile.open(history / "base.tar.gz") as base:
        base.extractall(docs, filter="data")
    first = run(peer, docs, work, counts)
    first_texts, sum_texts, sum_requests, wall, cpu = counts.texts, 0, 0, 0.0, 0.0
    changes = sorted((history / "changes").glob("*.diff"))[:most]
    for change in changes:
        subprocess.run(["git", "apply", "--unsafe-paths", f"--directory={docs}", str(change)], cwd=docs, check=True)
        used = run(peer, docs, work, counts)
        wall, cpu = wall + used["wall"], cpu + used["cpu"]
        sum_texts, sum_requests = sum_texts + counts.texts, sum_requests + counts.requests
    run(peer, docs, place / "fresh", counts)
    right = "yes" if content(peer, work) == content(peer, place / "fresh") else "**no**"
    begin = f"| {peer} | {first_texts} | {first['wall']:.1f} | {len(changes)} "
    return f"{begin}| {sum_texts} | {sum_requests} | {wall:.1f} | {cpu:.1f} | {right} |"


def main() -> None:
    """Print the table."""
    history, *peers = sys.argv[1:]
    print("| peer | first index: texts | s | changes | texts embedded | requests | wall s | CPU s | right |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    with counting_service() as counts:
        for peer in peers or PEERS:
            with tempfile.TemporaryDirectory() as place:
                print(replay(peer, Path(history), Path(place), counts), flush=True)


if __name__ == "__main__":
    main()

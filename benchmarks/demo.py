"""What `make demo` costs a newcomer, in a fresh checkout without an environment, against an earlier commit.

    python -m benchmarks.demo [COMMIT...]

Commits are by default HEAD and c3f187a. Each is unpacked into a folder of its own, the downloads of pip are fetched
before (a first run is thrown away), and the commits take turns. Printed are the medians of 3 runs: the seconds until
the second answer, the seconds of processor time, which other work distorts less, and what `.venv` takes.
"""

from __future__ import annotations

import io
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import processor_of_children

ROOT = Path(__file__).parents[1]
EARLIER = "c3f187a"
RUNS = 3
PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")
"""Not that of an environment: a newcomer has none."""


@dataclass(frozen=True, slots=True)
class DemoCost:
    """One `make demo`, or the medians of several."""

    seconds: float
    processor_seconds: float
    megabytes: float


def demo_cost(commit: str, folder: Path) -> DemoCost:
    """Run `make demo` of a commit in a new folder; raises CalledProcessError where it fails."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    command = ["make", "demo", f"PYTHON={PYTHON}"]
    before, began = processor_of_children(), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    seconds, used = time.perf_counter() - began, processor_of_children() - before
    return DemoCost(seconds, used, _megabytes(folder / ".venv"))


def median_cost(costs: Sequence[DemoCost]) -> DemoCost:
    """Return the median of each figure."""
    return DemoCost(
        statistics.median(cost.seconds for cost in costs),
        statistics.median(cost.processor_seconds for cost in costs),
        statistics.median(cost.megabytes for cost in costs),
    )


def _megabytes(folder: Path) -> float:
    """Return what the files take on the disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*")) / 1_000_000


def main() -> None:
    """Measure and print."""
    commits = sys.argv[1:] or ["HEAD", EARLIER]
    costs: dict[str, list[DemoCost]] = {commit: [] for commit in commits}
    for number in range(RUNS + 1):
        for commit in commits:
            folder = Path(tempfile.mkdtemp(prefix="bookwise-demo-"))
            try:
                cost = demo_cost(commit, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            if number:
                costs[commit].append(cost)
    for commit in commits:
        found = median_cost(costs[commit])
        print(
            f"{commit:<10} {found.seconds:6.1f} s  {found.processor_seconds:6.1f} s of processor time  "
            f"{found.megabytes:6.0f} MB"
        )


if __name__ == "__main__":
    main()

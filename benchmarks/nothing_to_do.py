"""What a run with nothing to do costs for each file, beside a walk that looks at each, and beside another version.

    python -m benchmarks.nothing_to_do [FILES] [FOLDER OF ANOTHER CHECKOUT WITH ITS OWN .venv]

Processor time of whole processes that take turns; the part that grows is the difference between a book of FILES small
files and one of a tenth of them. Shown are the least over all runs, and the median and quartiles of the runs.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.processes import processor_of_children

FILES = 10_000
RUNS = 7
HERE = Path(__file__).parents[1]
INDEX = (
    "import sys; from pathlib import Path; from benchmarks.reconcile import first_run; first_run(Path(sys.argv[1]))"
)


def write_small_files(docs: Path, files: int) -> None:
    """Write pages of one sentence, fifteen a folder."""
    for number in range(files):
        folder = docs / f"part-{number // 300}" / f"chapter-{number // 15 % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        page = f"# Page {number}\n\nOn page {number} the arm moves before the wheel.\n"
        (folder / f"{number % 15:02}-page-{number}.md").write_text(page, encoding="utf-8")


def look(folder: Path) -> None:
    """Walk a folder and ask the status of each file, which is all that any tool must do."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            look(Path(entry.path))
        else:
            entry.stat(follow_symlinks=False)


def walk_cost(folder: Path) -> float:
    """Return the processor seconds of a walk."""
    began = time.process_time()
    look(folder)
    return time.process_time() - began


def run_cost(checkout: Path, folder: Path) -> float:
    """Return the processor seconds of one run of a checkout's own command."""
    began = processor_of_children()
    command = [str(checkout / ".venv/bin/bookwise"), "ingest"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return processor_of_children() - began


def spread(values: list[float]) -> str:
    """Return the median with its quartiles."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.1f} ({low:.1f}–{high:.1f})"


def main() -> None:
    """Measure and print microseconds for each file."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    checkouts = [HERE, *(Path(each).resolve() for each in sys.argv[2:3])]
    with tempfile.TemporaryDirectory() as name:
        costs: dict[tuple[str, int], list[float]] = {}
        books = {}
        for checkout in checkouts:
            for size in (files // 10, files):
                folder = books[checkout, size] = Path(name) / str(checkouts.index(checkout)) / str(size)
                write_small_files(folder / "docs", size)
                command = [str(checkout / ".venv/bin/python"), "-c", INDEX, str(folder)]
                subprocess.run(command, cwd=checkout, check=True, capture_output=True)
        for _ in range(RUNS):
            for (checkout, size), folder in books.items():
                costs.setdefault((str(checkout), size), []).append(run_cost(checkout, folder))
                costs.setdefault(("a bare walk", size), []).append(walk_cost(folder / "docs"))
    print("| | microseconds per file: least | median (quartiles) | start, ms: median (quartiles) |")
    print("| --- | ---: | ---: | ---: |")
    for what in dict.fromkeys(each for each, _ in costs):
        many, few = costs[what, files], costs[what, files // 10]
        per_file = [(more - less) / (files - files // 10) * 1e6 for more, less in zip(many, few, strict=True)]
        least = (min(many) - min(few)) / (files - files // 10) * 1e6
        start = [(10 * less - more) / 9 * 1e3 for more, less in zip(many, few, strict=True)]
        print(f"| {what} | {least:.1f} | {spread(per_file)} | {spread(start)} |")


if __name__ == "__main__":
    main()

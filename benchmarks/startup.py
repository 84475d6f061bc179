"""Whole-process times of the commands a user waits for, and where the time of a run without work goes.

    python -m benchmarks.startup [FOLDER]

FOLDER holds lessons, by default the sample book; it is repeated up to 52 and to 505 files, whose texts are then
embedded once. Medians of 5 runs. The memory of `ingest` is mostly the engine's mapped files, which are mostly holes.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.processes import BOOKWISE, cost_of, print_row

SAMPLE = Path(__file__).parents[1] / "examples" / "physical-ai" / "docs"
QUESTION = "Why does a subscriber that starts late miss the last message?"
NO_OP = "import sys, cli; sys.argv = ['bookwise', 'ingest', 'docs']; cli.app()"
LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)")
MOST_LINES = 14


def repeat_book(source: Path, docs: Path, count: int) -> None:
    """Make `docs` hold `count` files: those of the source, again and again in folders of their own."""
    files = sorted(file for file in source.rglob("*.md*") if file.is_file())
    for number in range(count):
        file = files[number % len(files)]
        copy = docs / f"copy-{number // len(files):03}" / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())


def import_times(folder: Path) -> Counter[str]:
    """Milliseconds that a run without work spends importing, by top-level package."""
    command = [sys.executable, "-X", "importtime", "-c", NO_OP]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stderr
    times: Counter[str] = Counter()
    for line in told.splitlines():
        if match := LINE.match(line):
            times[match[2].split(".")[0]] += int(match[1])
    return times


def main() -> None:
    """Measure and print."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        print_row("python -c pass", cost_of([sys.executable, "-c", "pass"], root))
        print_row("bookwise --help", cost_of([BOOKWISE, "--help"], root))
        for count in (52, 505):
            folder = root / str(count)
            repeat_book(source, folder / "docs", count)
            subprocess.run([BOOKWISE, "ingest"], cwd=folder, check=True, capture_output=True)
            print_row(f"ingest, nothing to do, {count} files", cost_of([BOOKWISE, "ingest"], folder))
        print_row(f"ask, {count} files", cost_of([BOOKWISE, "ask", QUESTION], folder))
        print("\nimports of a run without work, in ms (measuring makes them slower)")
        for package, microseconds in import_times(folder).most_common(MOST_LINES):
            print(f"  {package:<20} {microseconds / 1000:6.1f}")


if __name__ == "__main__":
    main()

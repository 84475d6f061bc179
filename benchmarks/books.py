"""How the time of `ingest --books` grows with the books: `python -m benchmarks.books [BOOKS …]`.

Embeds by a loopback service that answers at once. For each number of books it prints the processor seconds of the
first run, of a run with nothing to do and of one edit, then the exponents of growth from the least to the most.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.peers.counting_service import Counts, counting_service
from benchmarks.processes import growth, processor_of_children

LESSONS = 5
CODE = "import sys; from bookwise.command_line import app; sys.argv[0] = 'bookwise'; app()"


def write(folder: Path, books: int) -> None:
    """Write `books` folders of lessons, no text twice."""
    for book in range(books):
        for lesson in range(LESSONS):
            page = folder / f"book-{book:05}" / "docs" / "1-start" / f"{lesson}-lesson.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            text = f"The lesson {lesson} of book {book} tells how part {book * LESSONS + lesson} is built. " * 20
            page.write_text(f"# Lesson {lesson}\n\n{text}\n\n## More\n\n{text}\n", encoding="utf-8")


def run(place: Path, counts: Counts) -> float:
    """Index all books below `place`; returns the seconds that the process took on the cores."""
    environ = os.environ | {
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "OPENAI_BASE_URL": counts.url,
        "OPENAI_API_KEY": "",
        "BOOKWISE_EMBEDDER": "openai",
        "OPENAI_EMBEDDING_MODEL": "m",
        "OPENAI_EMBEDDING_DIMENSIONS": "256",
    }
    began = processor_of_children()
    done = subprocess.run(
        [sys.executable, "-c", CODE, "ingest", "--books", "books", "--json"],
        cwd=place,
        env=environ,
        capture_output=True,
        text=True,
    )
    seconds = processor_of_children() - began
    assert done.returncode == 0, done.stderr[-2000:]
    assert not json.loads(done.stdout)["failures"]
    return seconds


def main() -> None:
    """Measure and print the table."""
    numbers = [int(each) for each in sys.argv[1:]] or [10, 100, 1000]
    rows = []
    print("| books | first run s | nothing to do s | one edit s |\n| ---: | ---: | ---: | ---: |")
    with counting_service() as counts:
        for books in numbers:
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder)
                write(place / "books", books)
                first, nothing = run(place, counts), run(place, counts)
                page = place / "books" / "book-00000" / "docs" / "1-start" / "0-lesson.md"
                page.write_text(page.read_text(encoding="utf-8") + "\nOne sentence more.\n", encoding="utf-8")
                rows.append((books, first, nothing, run(place, counts)))
            print(f"| {books} | {first:.1f} | {nothing:.2f} | {rows[-1][3]:.2f} |", flush=True)
    least, most = rows[0], rows[-1]
    if most[0] > least[0]:
        exponents = [growth((least[0], most[0]), (least[at], most[at])) for at in (1, 2, 3)]
        print("growth: " + ", ".join(f"{exponent:.2f}" for exponent in exponents))


if __name__ == "__main__":
    main()

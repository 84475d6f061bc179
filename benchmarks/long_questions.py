"""What a long question costs beside a short one, in processor time.

    python -m benchmarks.long_questions FOLDER [FILTER…]

Asks the book of FOLDER, which is indexed, questions of 200 and of 4,000 characters made of random words of its
lessons, in turn, as one sentence and as a story of many, and prints the median seconds and their ratio.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import bookwise

SHORT, LONG = 200, 4_000
QUESTIONS = 7
SENTENCE = 12
"""After how many words a sentence of a story ends."""


def question(words: Sequence[str], chars: int, source: random.Random, *, is_story: bool) -> str:
    """Random words, cut at this length."""
    chosen = [source.choice(words) for _ in range(chars)]
    if is_story:
        chosen = [f"{word.rstrip('.:?!')}." if at % SENTENCE == 0 else word for at, word in enumerate(chosen, 1)]
    return " ".join(chosen)[:chars]


def measure(book: bookwise.Book, words: Sequence[str], *, is_story: bool) -> dict[int, float]:
    """The median processor seconds of a question of each length."""
    source = random.Random(36)
    spent: dict[int, list[float]] = {SHORT: [], LONG: []}
    for _ in range(QUESTIONS):
        for chars, seconds in spent.items():
            asked = question(words, chars, source, is_story=is_story)
            began = time.process_time()
            book.ask(asked)
            seconds.append(time.process_time() - began)
    return {chars: statistics.median(seconds) for chars, seconds in spent.items()}


def main() -> None:
    """Measure and print."""
    folder = Path(sys.argv[1])
    lessons = sorted(folder.rglob("*.md"))
    words = [word for page in lessons for word in page.read_text(encoding="utf-8").split() if word.isalpha()]
    with bookwise.open_book(folder) as book:
        book.ask("What is this book about?")
        for name, is_story in (("one sentence", False), ("a story", True)):
            spent = measure(book, words, is_story=is_story)
            ratio = spent[LONG] / spent[SHORT]
            print(f"{name}: {spent[SHORT]:.3f} s for {SHORT}, {spent[LONG]:.3f} s for {LONG}, {ratio:.2f} times")


if __name__ == "__main__":
    main()

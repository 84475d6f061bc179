"""Random histories of a book: whatever happened, one run makes the index equal to one made from nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.support.books import Library, long_text, page
from tests.support.fakes import Crash, Faults

FOLDER = "module-1-ros2/chapter-1-basics"
PATHS = st.sampled_from(
    [f"{FOLDER}/{number:02}-{name}.md" for number in (1, 2, 3) for name in ("a", "b")] + ["notes.md"]
)
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])


class History(RuleBasedStateMachine):
    """A book under edits, crashes and losses; each step ends with a clean run."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.library = Library(self.folder / "library", flags={"index.max_delete": 100})
        self.pages = {f"{FOLDER}/01-a.md": page("Title", long_text("alpha"))}
        self.settle()

    @rule(path=PATHS, words=st.lists(WORDS, max_size=3), tier=st.integers(1, 4))
    def write(self, path: str, words: list[str], tier: int) -> None:
        self.pages[path] = page("Title", *(long_text(word, 25) for word in words), hardware_tier=tier)

    @rule(path=PATHS, word=WORDS)
    def insert_at_the_top(self, path: str, word: str) -> None:
        if path in self.pages:
            head, line, rest = self.pages[path].partition("## Part 1")
            self.pages[path] = f"{head}## New\n\n{long_text(word, 30)}\n\n{line}{rest}"

    @rule(source=PATHS, to=PATHS)
    def move(self, source: str, to: str) -> None:
        if source in self.pages:
            self.pages[to] = self.pages.pop(source)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        if len(self.pages) > 1:
            self.pages.pop(path, None)

    @rule(path=PATHS)
    def flip_line_ends(self, path: str) -> None:
        if path in self.pages:
            swapped = self.pages[path].replace("\r\n", "\n")
            self.pages[path] = swapped if "\r\n" in self.pages[path] else swapped.replace("\n", "\r\n")

    @rule(call=st.integers(1, 12))
    def crash(self, call: int) -> None:
        self.library.write(self.pages)
        self.library.generations.faults = self.library.embedder.faults = Faults(call)
        try:
            self.library.run()
        except Crash:
            pass
        finally:
            self.library.fail_at(None)

    @rule()
    def lose_the_state(self) -> None:
        self.library.state_path.unlink()

    @rule(keep=st.integers(0, 5))
    def lose_points(self, keep: int) -> None:
        points = self.library.generations.points
        for point_id in sorted(points)[keep:]:
            del points[point_id]

    @invariant()
    def settle(self) -> None:
        library = self.library
        library.write(self.pages)
        stored = {point.payload["embed_key"] for point in library.generations.points.values()}
        before = len(library.embedder.texts)
        library.run()
        expected = Library(self.folder / "expected", flags=library.flags)
        expected.write(self.pages)
        expected.run()
        assert library.contents() == expected.contents()
        wanted = {each["embed_key"] for each in expected.contents().values()}
        assert len(library.embedder.texts) - before == len(wanted - stored)
        assert not library.run().pending
        shutil.rmtree(expected.folder)

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)

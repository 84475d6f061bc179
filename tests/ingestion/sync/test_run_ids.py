"""Records are believed beside the points that their run wrote, and beside no others."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from ingestion.state.state_file import StateFile
from tests.support.books import BOOK, Library, long_text, page
from tests.support.fakes import Crash

PUMPS, GEARS = "01-pumps.md", "02-gears.md"
PAGES = {
    PUMPS: page("Pumps", "The red valve opens at three bar.", long_text("pump")),
    GEARS: page("Gears", long_text("gear")),
}
EDITED = PAGES | {PUMPS: PAGES[PUMPS].replace("three bar", "nine bar")}


def healed(library: Library, pages: Mapping[str, str], folder: Path) -> None:
    """One run makes the index equal to one made from nothing, and the next has nothing to do."""
    library.write(pages)
    library.run()
    expected = Library(folder)
    expected.write(pages)
    expected.run()
    assert library.contents() == expected.contents()
    writes = library.generations.writes
    assert not library.run().pending and not library.run("full").pending
    assert library.generations.writes == writes + 1  # a run that compares in full makes it safe, and writes nothing


def die_before_recording(library: Library, pages: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The points are written and safe, and the process dies before it records them."""

    def die(*_: object) -> None:
        raise Crash

    library.write(pages)
    with monkeypatch.context() as patched:
        patched.setattr(StateFile, "save", die)
        with pytest.raises(Crash):
            library.run()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path / "library", flags={"index.max_delete": 100})
    library.write(PAGES)
    library.run()
    return library


def test_an_edit_that_was_written_and_taken_back_before_it_was_recorded_is_undone(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(library.contents())
    die_before_recording(library, EDITED, monkeypatch)
    assert len(library.contents()) == count and "nine bar" in library.texts_of(PUMPS)
    healed(library, PAGES, tmp_path / "expected")


def test_a_move_after_a_killed_run_leaves_no_chunk_of_the_path_that_is_gone(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = {"03-new.md": page("New", long_text("new"))}
    die_before_recording(library, PAGES | new, monkeypatch)
    healed(library, {PUMPS: PAGES[PUMPS], "04-moved.md": PAGES[GEARS]}, tmp_path / "expected")


def test_an_older_state_file_beside_a_newer_index_is_not_believed(library: Library, tmp_path: Path) -> None:
    shutil.copy(library.state_path, tmp_path / "older")
    library.write(EDITED)
    library.run()
    shutil.copy(tmp_path / "older", library.state_path)
    healed(library, PAGES, tmp_path / "expected")


def test_two_machines_with_a_state_file_each_heal_what_the_other_wrote(library: Library, tmp_path: Path) -> None:
    other = Library(tmp_path / "other", generations=library.generations, flags=library.flags)
    healed(other, EDITED, tmp_path / "edited")
    healed(library, PAGES, tmp_path / "expected")


def test_a_run_that_compared_in_full_adopts_the_points_id(library: Library) -> None:
    [marked] = library.generations.active().runs.values()
    library.state_path.unlink()
    assert library.run().chunks.written == 0
    assert library.generations.active().runs == {BOOK: marked}
    assert StateFile(library.state_path).load(BOOK, "bookwise").run_id == marked


def test_points_of_a_version_that_wrote_no_id_get_one_and_are_compared_once(library: Library, tmp_path: Path) -> None:
    library.generations.generations[library.generations.active_name][2].clear()
    healed(library, PAGES, tmp_path / "expected")
    assert library.generations.active().runs.keys() == {BOOK}


def test_after_an_interruption_only_what_it_had_not_done_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.sync.file_groups.FILES_PER_GROUP", 1)
    monkeypatch.setattr("ingestion.sync.recorder.SAVE_INTERVAL_SECONDS", 0.0)
    library = Library(tmp_path / "library")
    library.write({f"{number}.md": page("Page", long_text(str(number))) for number in range(9)})
    library.generations.faults.error = KeyboardInterrupt
    library.fail_at(18).error = KeyboardInterrupt
    with pytest.raises(BaseException, match="interrupted"):
        library.run()
    library.fail_at(None)
    state = StateFile(library.state_path).load(BOOK, "bookwise")
    done = state.records.keys() - state.in_doubt
    assert done and state.in_doubt and not state.records.keys() & state.in_doubt
    report = library.run()
    assert report.files["unchanged"] == len(done) and report.files["new"] == 9 - len(done)


def test_a_book_carried_into_a_new_generation_stays_believed(library: Library) -> None:
    other = Library(library.folder.parent / "other", generations=library.generations)
    other.write({"a.md": page("Other", "Text of another book.")})
    other.run(book="other")
    library.run("recreate")
    writes = library.generations.writes
    assert not other.run(book="other").pending and not library.run().pending
    assert library.generations.writes == writes

"""An incomplete checkout is not an edit: lessons that were not fetched fail with the remedy and keep their points."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ingestion.errors import DeletionRefused
from ingestion.models import IngestionMode
from tests.ingestion.source.test_checkout import POINTER, git
from tests.support.books import Library, long_text, page

PAGES = {
    f"{folder}/{number}.md": page("Page", long_text(f"{folder}{number}", 5)) for folder in "ab" for number in (1, 2)
}
MODES: tuple[IngestionMode, ...] = ("incremental", "full", "recreate")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(PAGES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "book")
    library.run()
    return library


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("stand_in", [POINTER.decode(), "../real/page.md", "<!DOCTYPE html>\n<p>Sign in.</p>\n"])
def test_what_stands_in_place_of_lessons_replaces_none(
    library: Library, mode: IngestionMode, stand_in: str, lost: bool
) -> None:
    before = library.contents()
    if lost:
        library.state_path.unlink()
    library.write(dict.fromkeys(PAGES, stand_in))
    report = library.run(mode)
    assert {failure.path for failure in report.failures} == PAGES.keys()
    assert library.contents() == before and library.embedder.texts
    library.write(PAGES)
    library.run()
    assert library.contents() == before and not library.run().pending


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_a_sparse_checkout_deletes_nothing_and_is_said(library: Library, mode: IngestionMode, lost: bool) -> None:
    before = library.contents()
    if lost:
        library.state_path.unlink()
    git(library.folder, "sparse-checkout", "set", "--cone", "docs/a")
    assert not (library.docs / "b").exists()
    [failure] = library.run(mode).failures
    assert failure.path == "b/" and "sparse" in failure.reason and library.contents() == before
    git(library.folder, "sparse-checkout", "disable")
    assert not library.run().failures and library.contents() == before


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_submodule_deletes_nothing_and_is_said(library: Library, mode: IngestionMode) -> None:
    before = library.contents()
    (library.folder / ".gitmodules").write_text(
        '[submodule "b"]\n\tpath = docs/b\n\turl = https://example.org/b.git\n'
    )
    shutil.rmtree(library.docs / "b")
    for there in (False, True):
        if there:
            (library.docs / "b").mkdir()
        [failure] = library.run(mode).failures
        assert failure.path == "b/" and "submodule" in failure.reason and library.contents() == before


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_lessons_that_keep_less_than_a_tenth_of_their_words_count_as_gone(
    library: Library, mode: IngestionMode, lost: bool
) -> None:
    before = library.contents()
    if lost:
        library.state_path.unlink()
    library.write({"a/1.md": PAGES["a/1.md"], **dict.fromkeys(list(PAGES)[1:], "# Page\n\nMoved.\n")})
    with pytest.raises(DeletionRefused, match="3 keep less than a tenth of their words"):
        library.run(mode)
    assert library.contents() == before
    library.run(mode, allow_delete=True)
    assert library.texts_of("b/2.md") == "# Page\n\nMoved." and "turns slowly" in library.texts_of("a/1.md")


def test_a_few_short_edits_are_edits(library: Library) -> None:
    library.write(PAGES | {"a/1.md": "# Page\n\nShort.\n", "a/2.md": PAGES["a/2.md"].replace("turns", "stands")})
    assert library.run().files["modified"] == 2

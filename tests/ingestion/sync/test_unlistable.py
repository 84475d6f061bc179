"""What cannot be read is not gone: in no mode, with records or without."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import DeletionRefused, SourceError
from ingestion.models import IngestionMode
from ingestion.source import crawler
from tests.support.books import Library, long_text, page

PAGES = {
    f"{folder}/0{number}-p.md": page(f"P {folder} {number}", long_text(f"w{folder}{number}", 5))
    for folder in "abc"
    for number in (1, 2)
}
MODES: tuple[IngestionMode, ...] = ("incremental", "full", "recreate")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(PAGES)
    library.run()
    return library


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    real: Any = os.scandir

    def begin(name: str) -> None:
        def scandir(path: Any) -> Any:
            if Path(path).name == name:
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return real(path)

        monkeypatch.setattr(crawler.os, "scandir", scandir)

    yield begin


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_lessons_of_a_folder_that_cannot_be_listed_stay(
    library: Library, refuse: Callable[[str], None], mode: IngestionMode, lost: bool
) -> None:
    before = library.contents()
    if lost:
        library.state_path.unlink()
    refuse("b")
    report = library.run(mode)
    assert [failure.path for failure in report.failures] == ["b/"] and library.contents() == before
    assert library.run().failures and library.contents() == before


@pytest.mark.parametrize("mode", MODES)
def test_a_root_that_cannot_be_listed_is_refused(
    library: Library, refuse: Callable[[str], None], mode: IngestionMode
) -> None:
    before = library.contents()
    refuse("docs")
    with pytest.raises(SourceError, match=r"docs: cannot be listed"):
        library.run(mode)
    assert library.contents() == before


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_refuses_to_lose_most_of_a_book(library: Library, mode: IngestionMode, lost: bool) -> None:
    before = library.contents()
    if lost:
        library.state_path.unlink()
    library.write({"a/01-p.md": PAGES["a/01-p.md"]})
    with pytest.raises(DeletionRefused, match="5 of 6"):
        library.run(mode)
    assert library.contents() == before


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_moves_are_no_loss_in_any_mode(library: Library, mode: IngestionMode, lost: bool) -> None:
    if lost:
        library.state_path.unlink()
    library.write({path.replace("/", "/9-"): text for path, text in PAGES.items()})
    report = library.run(mode)
    assert report.files["moved"] == 6 and report.files["deleted"] == 0
    assert {each["source_file"] for each in library.contents().values()} == {
        path.replace("/", "/9-") for path in PAGES
    }


@pytest.mark.parametrize("lost", [False, True])
def test_a_lesson_that_cannot_be_read_is_carried_into_a_new_generation(library: Library, lost: bool) -> None:
    before = library.contents()
    if lost:
        library.state_path.unlink()
    (library.docs / "b/01-p.md").write_bytes(b"caf\xe9")
    assert library.run("recreate").failures
    assert library.contents() == before
    library.write(PAGES)
    library.run()
    assert library.contents() == before and not library.run().pending

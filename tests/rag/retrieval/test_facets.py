"""What a reader can choose among, over a small book in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.settings.validators import Module
from rag.retrieval.facets import choices_of
from tests.support.books import BOOK, Library, page

PAGES = {
    "module-1-ros2/chapter-1-basics/01-nodes.md": page(
        "Nodes", "A node does one job.", hardware_tier=1, proficiency_level="A2"
    ),
    "module-3-isaac/chapter-5-sim/01-gpu.md": page(
        "Graphics cards", "A card with memory.", hardware_tier=3, proficiency_level="B2"
    ),
    "module-3-isaac/chapter-5-sim/02-cloud.md": page(
        "The cloud", "Rent it.", hardware_tier=1, proficiency_level="B1", lang="ur"
    ).replace("## Part 1", "## Who should rent a computer?"),
}
MODULES = (Module(name="isaac", title="The Robot Brain", path="module-3-isaac"), Module(name="vla", path="module-4"))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path, flags={"book.base_url": "https://example.org/book"})
    library.write(PAGES)
    library.run()
    return library


def test_choices_are_what_the_book_has_in_its_own_order(library: Library) -> None:
    store = library.generations.open_active()
    choices = choices_of(store, BOOK, highest_tier=4, modules=MODULES)
    assert choices is not None
    assert [(each.name, each.title) for each in choices.modules] == [("isaac", "The Robot Brain"), ("ros2", None)]
    assert (choices.tiers, choices.levels, choices.languages) == ((1, 3), ("A2", "B1", "B2"), ("en", "ur"))


def test_a_limit_of_tier_hides_what_lies_above_it(library: Library) -> None:
    choices = choices_of(library.generations.open_active(), BOOK, highest_tier=1)
    assert choices is not None
    assert choices.tiers == (1,) and "B2" not in choices.levels


def test_a_heading_that_asks_is_the_first_choice_of_a_subject(library: Library) -> None:
    choices = choices_of(library.generations.open_active(), BOOK, highest_tier=4)
    assert choices is not None
    subjects = {each.module: each.title for each in choices.subjects}
    assert subjects == {"isaac": "Who should rent a computer?", "ros2": "Nodes"}


def test_a_book_that_is_not_there_has_no_choices(library: Library) -> None:
    assert choices_of(library.generations.open_active(), "another", highest_tier=4) is None

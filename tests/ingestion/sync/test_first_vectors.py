"""An index without a point has no model: it is made with the first vectors, and an empty one binds nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.errors import EmbeddingError
from tests.support.books import Library, page
from tests.support.fakes import FakeEmbedder, Faults


def test_a_first_run_whose_embedder_fails_leaves_no_index(tmp_path: Path) -> None:
    library = Library(tmp_path, embedder=FakeEmbedder("service/1", 16, Faults(1, EmbeddingError)))
    library.write({"p.md": page("Page", "The text of the page.")})
    with pytest.raises(EmbeddingError):
        library.run()
    assert library.generations.active() is None
    library.embedder = FakeEmbedder("local/1", 4)
    assert library.run().chunks.embedded == 1


def test_a_book_without_text_makes_no_index_and_the_second_run_does_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.write({"p.md": ""})
    assert library.run().empty == ["p.md"]
    assert library.generations.active() is None and not library.run().pending


def test_an_index_that_lost_its_last_point_takes_another_model(tmp_path: Path) -> None:
    library = Library(tmp_path, flags={"index.max_delete": 100})
    library.write({"p.md": page("Page", "The text of the page.")})
    library.run()
    library.write({"p.md": ""})
    library.run()
    library.embedder = FakeEmbedder("other/1", 4)
    library.write({"p.md": page("Page", "The text of the page.")})
    assert library.run().chunks.embedded == 1
    assert library.generations.active().schema.embedding == "other/1" and not library.run().pending

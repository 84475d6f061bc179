"""The folders of generators are the registry: what they hold, and what is told of a style that none has."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.generators import known, styles


def test_the_search_ends_with_the_file_that_may_lie_beside_that_of_another_generator() -> None:
    assert list(known())[-1] == "jekyll"


def test_each_style_belongs_to_one_generator() -> None:
    named = [style for folder in known().values() for style in folder.STYLES]
    assert sorted(named) == sorted(styles())


def test_an_unknown_style_is_refused_with_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    with pytest.raises(ConfigurationError, match=r"did you mean 'mkdocs'.*Choose auto, \w+"):
        crawl_book(tmp_path, load_settings({"book.style": "mkdoc"}, environ={}))

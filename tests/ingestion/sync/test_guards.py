"""How much of a book one run may take away."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import DeletionRefused, SourceError
from ingestion.sync.guards import refuse_deletion

PATHS = st.sets(st.sampled_from([f"{name}.md" for name in "abcdefgh"]))


def check(present: set[str], known: set[str], **given: Any) -> None:
    defaults: dict[str, Any] = {"moved": set(), "root": "docs", "last_root": "docs", "max_percent": 50}
    refuse_deletion(book_id="a-book", present=present, known=known, **defaults | given)


def named(count: int, start: int = 0) -> set[str]:
    return {f"{number}.md" for number in range(start, start + count)}


def test_a_folder_without_lessons_is_no_book_at_first_and_a_lost_one_later() -> None:
    with pytest.raises(SourceError, match=r"no \.md or \.mdx files below docs"):
        check(set(), set())
    with pytest.raises(DeletionRefused, match=r"3 are indexed for a-book; nothing was deleted.*bookwise delete-book"):
        check(set(), named(3), max_percent=100)


@pytest.mark.parametrize(
    ("gone", "percent", "refused"), [(5, 50, False), (6, 50, True), (1, 0, True), (10, 100, False)]
)
def test_more_than_the_allowed_share_is_refused_and_the_message_says_how_to_allow_it(
    gone: int, percent: int, refused: bool
) -> None:
    present = named(10 - gone) | {"new.md"}
    if not refused:
        return check(present, named(10), max_percent=percent)
    with pytest.raises(DeletionRefused, match=rf"{gone} of 10 .* --allow-delete .*max_delete is {percent} %"):
        check(present, named(10), max_percent=percent)


def test_a_file_that_moved_is_not_gone() -> None:
    check(named(10, start=100), named(10), moved=named(10), max_percent=0)


def test_another_root_may_add_but_not_take_away() -> None:
    check(named(10), named(9), root="other", last_root="docs")
    check(named(9), named(10), root="other", last_root=None)
    with pytest.raises(DeletionRefused, match="last indexed from docs, now from other, where 1 lessons are missing"):
        check(named(9), named(10), root="other", last_root="docs")


@given(PATHS, PATHS, PATHS, st.integers(0, 100))
def test_what_passes_takes_no_more_than_the_share(
    present: set[str], known: set[str], moved: set[str], percent: int
) -> None:
    try:
        check(present, known, moved=moved, max_percent=percent)
    except (DeletionRefused, SourceError):
        assert not present or known - present
    else:
        assert present and len(known - present - moved) <= len(known) * percent / 100

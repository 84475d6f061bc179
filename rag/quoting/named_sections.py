"""A question that quotes a heading of the book asks for the section under it, however its words are weighed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag.models import SearchResult
from rag.quoting.rendering import plain_title

_QUOTED = re.compile(r"[“„«\"”]\s?([^“”„«»\"\n]{2,200})[”“»\"]")


def quoted_title(question: str) -> str | None:
    """Return what a question has in quotation marks, None where that is nothing or several things."""
    quoted = [each.strip() for each in _QUOTED.findall(question)]
    return quoted[0] if len(quoted) == 1 else None


def is_title(text: str, title: str | None) -> bool:
    """Return whether a text is this title, marks and case aside."""
    return title is not None and _plain(text) == _plain(title)


def section_among(passages: Iterable[SearchResult], title: str) -> SearchResult | None:
    """Return the first passage that a section of this title begins in, or that stands in it."""
    return next((each for each in passages if _holds(each, title)), None)


def _holds(passage: SearchResult, title: str) -> bool:
    return any(is_title(title, each) for each in (passage.section_title, *passage.section_titles))


def _plain(text: str) -> str:
    return " ".join((plain_title(text) or text).casefold().split())

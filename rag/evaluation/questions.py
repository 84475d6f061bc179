"""Questions with known answers: one JSON object per line, and which page of the index each means."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.errors import UsageError
from ingestion.own_files import explain
from ingestion.vector_stores.filters import of_book
from ingestion.vector_stores.protocol import PointReader
from rag.quoting.rendering import plain_title

logger = logging.getLogger(__name__)

ALL_TIERS = 4

KEYS = frozenset(
    ("id", "kind", "corpus", "lang", "nearest", "question", "source_file", "source_dir", "section", "answerable",
     "answer_contains", "also_ok", "tier", "history")
)  # fmt: skip
"""Keys that a question may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalQuestion:
    """A question with its right pages and expected answer.

    `book` is None if the question is for every book. `pages` are the paths of the pages that answer, or the folder
    they lie in (which ends in `/`); the first is the one the question was written for, `section` a heading on it.
    Each of `expected` must occur in a right answer, `a|b` means either. `kind` groups questions, such as `typo`;
    `history` are the earlier questions of the conversation.
    """

    id: str
    text: str
    language: str
    book: str | None
    pages: tuple[str, ...]
    section: str | None
    answerable: bool
    expected: tuple[str, ...]
    tier: int
    kind: str = ""
    history: tuple[str, ...] = ()


def load_questions(path: Path) -> list[EvalQuestion]:
    """Return the questions of a JSONL file; raises UsageError naming the first invalid line.

    An unknown key is logged with its line: it may be misspelt, or a note by the author of the file.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {explain(error)}") from error
    questions = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                raw = json.loads(line)
                questions.append(_question(raw, number))
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
                raise UsageError(f"{path}:{number}: this line cannot be read as a question: {_why(error)}") from error
            if unknown := sorted(set(raw) - KEYS):
                known = ", ".join(sorted(KEYS))
                logger.warning(
                    "%s:%d: unknown key %s is ignored; known keys are %s", path, number, ", ".join(unknown), known
                )
    if not questions:
        raise UsageError(f"{path}: contains no questions")
    return questions


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]!r}"
    return "not a JSON object" if isinstance(error, TypeError) else str(error)


def _question(raw: Mapping[str, Any], number: int) -> EvalQuestion:
    answerable = bool(raw["answerable"])
    pages = [page] if (page := _text(raw, "source_file")) else []
    if folder := _text(raw, "source_dir"):
        pages.append(folder.rstrip("/") + "/")
    if answerable and not pages:
        raise ValueError("an answerable question needs `source_file` or `source_dir`")
    text = _text(raw, "question")
    if not text:
        raise ValueError("`question` is missing")
    return EvalQuestion(
        id=str(raw.get("id", number)),
        text=text,
        language=_text(raw, "lang") or "en",
        book=_text(raw, "corpus"),
        pages=(*pages, *_texts(raw, "also_ok")),
        section=_text(raw, "section"),
        answerable=answerable,
        expected=_texts(raw, "answer_contains"),
        tier=int(raw.get("tier", ALL_TIERS)),
        kind=_text(raw, "kind") or "",
        history=_texts(raw, "history"),
    )


def _text(raw: Mapping[str, Any], key: str) -> str | None:
    value = raw.get(key)
    if not isinstance(value, str | None):
        raise TypeError(f"{key} must be text")
    if value:
        value.encode()  # half a character is not text: no search could find it
    return value


def _texts(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = raw.get(key) or ()
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{key} must be a list of texts")
    return tuple(values)


def folder_of(questions: Iterable[EvalQuestion], indexed: Sequence[str]) -> str:
    """Return the prefix that the questions' paths have and the index's do not, as they may start at another folder.

    Raises UsageError if no page of the questions is indexed.
    """
    known = set(indexed)
    folders: Counter[str] = Counter()
    for question in questions:
        for page in question.pages[:1]:
            parts = page.split("/")
            ends = ("/".join(parts[at:]) for at in range(len(parts)))
            folders.update(page.removesuffix(end) for end in ends if end and _is_indexed(end, known))
    if not folders:
        raise UsageError("none of the pages named in the questions is indexed in this book")
    return max(folders.items(), key=lambda each: (each[1], -len(each[0])))[0]


def check_pages(questions: Iterable[EvalQuestion], folder: str, indexed: Sequence[str]) -> None:
    """Raise UsageError naming the questions whose page is not in the index."""
    known = set(indexed)
    lost = [
        question
        for question in questions
        if question.answerable and not _is_indexed(question.pages[0].removeprefix(folder), known)
    ]
    if lost:
        named = "; ".join(f"{target.id}: {target.pages[0]}" for target in lost[:5])
        more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
        raise UsageError(f"these pages named in the questions are not indexed: {named}{more}")


def as_title(title: str) -> str:
    """Return a heading in the form used to compare: without markup, trailing id and letter case."""
    return " ".join(re.sub(r"[`*_]", "", plain_title(title) or "").split()).casefold()


def titles_of(store: PointReader, book_id: str) -> dict[str, set[str]]:
    """Return each page's headings by path, in the form used to compare."""
    titles: dict[str, set[str]] = {}
    fields = ("source_file", "page_title", "heading_path", "section_titles")
    for point in store.scroll(of_book(book_id), fields=fields):
        chunk = point.payload
        found = (chunk["page_title"], *(chunk.get("heading_path") or ()), *(chunk.get("section_titles") or ()))
        titles.setdefault(chunk["source_file"], set()).update(map(as_title, found))
    return titles


def check_sections(questions: Iterable[EvalQuestion], folder: str, titles: Mapping[str, set[str]]) -> None:
    """Raise UsageError naming the questions whose section is on none of their pages."""
    lost = [
        question
        for question in questions
        if question.section is not None
        and not any(
            as_title(question.section) in titles[path] for path in titles if is_right_page(question, path, folder)
        )
    ]
    if lost:
        named = "; ".join(f"{target.id}: {target.section}" for target in lost[:5])
        more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
        raise UsageError(f"these sections named in the questions are not on their pages: {named}{more}")


def _is_indexed(end: str, known: set[str]) -> bool:
    return any(path.startswith(end) for path in known) if end.endswith("/") else end in known


def is_right_page(question: EvalQuestion, source_file: str, folder: str) -> bool:
    """Return whether a page answers the question."""
    path = folder + source_file
    return any(path.startswith(page) if page.endswith("/") else path == page for page in question.pages)

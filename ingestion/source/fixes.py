"""`bookwise check --fix`: correct what has one safe remedy, and leave every other byte of a lesson as it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.errors import LessonError, OutputError
from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.crawler import SourceFile
from ingestion.source.metadata.front_matter import FrontMatter
from ingestion.source.metadata.keys import meant_key
from ingestion.source.metadata.page import UnpublishedPage, read_metadata
from ingestion.source.reader import read_source

_KEY = r"^(?P<before>[ \t]*[\"']?){key}(?P<after>[\"']?[ \t]*[:=])"


@dataclass(frozen=True, slots=True, order=True)
class Fix:
    """What was corrected in a lesson; `line` counts from 1, None where it is the whole file."""

    path: str
    line: int | None
    what: str


def fix_book(root: Path, settings: Settings, paths: Collection[str] = ()) -> list[Fix]:
    """Mend the lessons below `root`, or only those at `paths`, and return what was done.

    Misspelt metadata keys are corrected, unless the right one is there too, and line ends that are mixed become
    those of the file's first line. A lesson is replaced as a whole or not at all. What cannot be read, or is not
    UTF-8, stays. Raises OutputError where a lesson cannot be written.
    """
    done: list[Fix] = []
    for file in crawl_book(root, settings).files:
        if not paths or file.path in paths:
            done += _fix_lesson(file, settings)
    return done


def _fix_lesson(file: SourceFile, settings: Settings) -> list[Fix]:
    try:
        source = read_source(file)
        front = read_metadata(source, settings)
        text = source.data.decode("utf-8")
    except (LessonError, UnpublishedPage, UnicodeDecodeError):
        return []
    lines = re.split(r"(?<=\n)", text)
    off = settings.check.disable
    fixes = [] if "unknown-key" in off else list(_fix_keys(file.path, front, lines))
    fixed = "".join(lines)
    if (even := _even_line_ends(fixed)) != fixed:
        fixed = even
        fixes.append(Fix(file.path, None, "mixed line ends"))
    if fixes:
        try:
            write_atomically(file.location, fixed)
        except OSError as error:
            raise OutputError(f"{file.location}: cannot be written: {error.strerror}") from error
    return fixes


def _fix_keys(path: str, front: FrontMatter, lines: list[str]) -> Iterator[Fix]:
    for key, number in front.lines.items():
        meant = meant_key(key)
        if not meant or meant in front.values or _others_mean(meant, key, list(front.lines)):
            continue
        pattern = _KEY.format(key=re.escape(key))
        changed, count = re.subn(pattern, rf"\g<before>{meant}\g<after>", lines[number - 1], count=1)
        if count:
            lines[number - 1] = changed
            yield Fix(path, number, f"`{key}` is now `{meant}`")


def _others_mean(meant: str, key: str, keys: Sequence[str]) -> bool:
    """Return whether another key is a spelling of the same one, so that nobody can tell which of them counts."""
    return any(other != key and meant_key(other) == meant for other in keys)


def _even_line_ends(text: str) -> str:
    """Return the text with the line ends of its first line; a lone carriage return is left alone."""
    pairs = text.count("\r\n")
    if not pairs or pairs == text.count("\n"):
        return text
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if text[: text.index("\n") + 1].endswith("\r\n") else plain

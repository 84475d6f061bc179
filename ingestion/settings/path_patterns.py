"""Path patterns: those of `book.paths`, which locate module, chapter and lesson, and those of Hugo.

Patterns come from strangers' books. A regular expression with a dozen stars can backtrack without end; here no place
of the pattern is tried twice at the same place of the path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal["text", "one", "most", "fewest", "mark", "maybe"]
"""What a step does: take a text, one character, as many as possible, as few as possible; mark where a name begins or
ends; take the two steps that follow or neither."""

Step = tuple[Kind, str]
"""A kind, and the text, the kind of characters or the name that it is about."""

ANY, WITHIN, DIGIT = "any", "within a folder", "digit"
MAX_LENGTH = 1000
"""Characters of a pattern; paths of file systems have 4,096 at most."""

_IN_FOLDER: tuple[Step, ...] = (("most", WITHIN),)
_ANYTHING: tuple[Step, ...] = (("most", ANY),)
_PIECES: Mapping[str, tuple[Step, ...]] = {
    "{module}": (("mark", "module"), ("one", WITHIN), ("fewest", WITHIN), ("mark", "module")),
    "{chapter}": (("mark", "chapter"), ("one", DIGIT), ("most", DIGIT), ("mark", "chapter")),
    "{lesson}": (("mark", "lesson"), ("one", DIGIT), ("most", DIGIT), ("mark", "lesson")),
    "**/": (("maybe", ""), *_ANYTHING, ("text", "/")),
    "**": _ANYTHING,
    "*": _IN_FOLDER,
}


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A pattern of a whole path, as the steps that it takes through the path."""

    steps: tuple[Step, ...]

    def match(self, path: str) -> dict[str, str] | None:
        """Return the named parts of a matching path, or None. Earlier wildcards match as much as they can.

        Takes at most as many tries as the pattern has steps, times the length of the path.
        """
        tried: set[tuple[int, int]] = set()
        ways: list[_Way] = [(0, 0, ())]
        while ways:
            at, here, marks = ways.pop()
            if (at, here) in tried:
                continue
            tried.add((at, here))
            if at < len(self.steps):
                ways += _onwards(self.steps[at], path, at, here, marks)
            elif here == len(path):
                return _named(marks, path)
        return None


_Way = tuple[int, int, tuple[tuple[str, int], ...]]
"""The step to take next, where in the path it begins, and the marks that were set until there."""


def _onwards(step: Step, path: str, at: int, here: int, marks: tuple[tuple[str, int], ...]) -> list[_Way]:
    """Return the ways that a step leads, the one to try first as the last."""
    kind, what = step
    if kind == "text":
        return [(at + 1, here + len(what), marks)] if path.startswith(what, here) else []
    if kind == "mark":
        return [(at + 1, here, (*marks, (what, here)))]
    if kind == "maybe":
        return [(at + 3, here, marks), (at + 1, here, marks)]
    takes = here < len(path) and _is_meant(path[here], what)
    if kind == "one":
        return [(at + 1, here + 1, marks)] if takes else []
    leave, take = (at + 1, here, marks), (at, here + 1, marks)
    if not takes:
        return [leave]
    return [leave, take] if kind == "most" else [take, leave]


def _is_meant(character: str, what: str) -> bool:
    if what == DIGIT:
        return character.isdecimal()
    return what == ANY or character != "/"


def _named(marks: tuple[tuple[str, int], ...], path: str) -> dict[str, str]:
    starts = dict(reversed(marks))
    return {name: path[starts[name] : end] for name, end in marks}


def _check_length(pattern: str) -> None:
    if len(pattern) > MAX_LENGTH:
        shown = f"{pattern[:40]}…"
        raise ValueError(f"path pattern {shown!r}: has {len(pattern)} characters, of at most {MAX_LENGTH}")


@cache
def compile_pattern(pattern: str) -> PathPattern:
    """Compile a path pattern; `*` stays within a folder, `**` crosses folders.

    Raises ValueError where a name is unknown or repeated, or the pattern too long.
    """
    _check_length(pattern)
    parts = re.split(r"(\{\w*\}|(?:\*\*/)+|\*\*|\*)", re.sub(r"\.(?:mdx?|markdown)$", "", pattern))
    names = parts[1::2]
    known = "{module} {chapter} {lesson}"
    if unknown := [name for name in names if name.startswith("{") and name not in _PIECES]:
        raise ValueError(f"path pattern {pattern!r}: unknown {unknown[0]}; known are {known}")
    if repeated := [name for name in known.split() if names.count(name) > 1]:
        raise ValueError(f"path pattern {pattern!r}: {repeated[0]} occurs more than once")
    steps: list[Step] = []
    for at, part in enumerate(parts):
        if at % 2 == 0:
            steps += [("text", part)] if part else []
        else:
            steps += _PIECES["**/" if part.endswith("/") else part]
    return PathPattern(tuple(steps))


@cache
def compile_glob(pattern: str) -> PathPattern:
    """Compile a pattern of Hugo: `*` and `?` stay within a folder, `**` stands for any text.

    Raises ValueError for a pattern that is too long.
    """
    _check_length(pattern)
    steps: list[Step] = []
    for part in re.findall(r"\*{2,}|[*?]|[^*?]+", pattern):
        if part.startswith("*"):
            steps += _IN_FOLDER if part == "*" else _ANYTHING
        else:
            steps.append(("one", WITHIN) if part == "?" else ("text", part))
    return PathPattern(tuple(steps))

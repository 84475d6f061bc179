"""Patterns in gitignore syntax, matched without backtracking: they come from books of strangers.

What git's documentation says holds. A character of a path is one character, not one byte of it; and the stars of
`a**/b` are those of `a*/b`, also where git's own code takes them for folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_BRACKET = re.compile(r"\[([!^]?)(\]?(?:\\.|\[:[^\]:]*+:\]|[^\]\\])*+)\]", re.S)
_MEMBER = re.compile(r"\[:(?P<named>[^\]:]*+):\]|\\?(?P<first>.)(?:-(?!\Z)\\?(?P<last>.))?", re.S)
_PIECE = re.compile(r"(?P<stars>\*+)|(?P<any>\?)|(?P<bracket>\[)|\\?(?P<text>.)", re.S)
_NEVER = r"(?!)"


class IgnoreRules:
    """Patterns of which the last that fits decides: those that fit a path itself before those of its folders."""

    def __init__(self, patterns: Sequence[str]) -> None:
        """Compile the patterns; raises ValueError, which names the first that is not gitignore syntax."""
        compiled = (_compile(pattern, number) for number, pattern in enumerate(patterns))
        rules = [rule for rule in compiled if rule][::-1]
        self._of_kind = {True: rules, False: [rule for rule in rules if not rule.is_for_folders]}
        self._above: dict[str, _Rule | None] = {"": None}

    def match(self, path: str) -> int | None:
        """Return the number of the pattern that takes the path in, or None; a folder's path ends in `/`."""
        folder = path.removesuffix("/").rpartition("/")[0]
        rule = self._own(path) or (self._above[folder] if folder in self._above else self._of_folders(folder))
        return None if rule is None or rule.is_negated else rule.number

    def _own(self, path: str) -> _Rule | None:
        whole = path.removesuffix("/")
        name = whole.rpartition("/")[2]
        for rule in self._of_kind[whole != path]:
            if rule.fits(name if rule.is_for_names else whole):
                return rule
        return None

    def _of_folders(self, folder: str) -> _Rule | None:
        """Return the last rule that fits a folder or one above it."""
        last = None
        for part in re.finditer(r"[^/]+", folder):
            above = folder[: part.end()]
            if above not in self._above:
                rules = filter(None, (last, self._own(f"{above}/")))
                self._above[above] = max(rules, key=lambda rule: rule.number, default=None)
            last = self._above[above]
        return last


@dataclass(frozen=True, slots=True)
class _Rule:
    """One pattern: what it fits, a name or a path from the root, and whether it is for folders only."""

    number: int
    fits: Callable[[str], object]
    is_negated: bool
    is_for_folders: bool
    is_for_names: bool


def _compile(pattern: str, number: int) -> _Rule | None:
    text = _without_blanks(pattern)
    if not text or text.startswith("#"):
        return None
    body = text.removeprefix("!")
    if not body:
        raise ValueError(f"{pattern!r}: names nothing")
    is_negated = body != text
    path = body.removesuffix("/")
    parts = path.removeprefix("/").split("/")
    try:
        fits = re.compile(_regex(parts), re.S).fullmatch
    except ValueError as error:
        raise ValueError(f"{pattern!r}: {error}") from error
    return _Rule(number, fits, is_negated, is_for_folders=path != body, is_for_names="/" not in path)


def _without_blanks(pattern: str) -> str:
    """Return the pattern without blanks at its end, but for one that a backslash keeps."""
    text = pattern.rstrip()
    escapes = len(text) - len(text.rstrip("\\"))
    return pattern[: len(text) + 1] if escapes % 2 else text


def _regex(parts: Sequence[str]) -> str:
    """Return the regular expression of a path's parts; folders between two `**` are the nearest that fit."""
    runs: list[list[str]] = [[]]
    for at, part in enumerate(parts):
        if part == "**":
            if at == len(parts) - 1:
                runs[-1].append("[^/].*")
            elif runs[-1] or len(runs) == 1:
                runs.append([])
        else:
            runs[-1].append(_part(part, is_last=at == len(parts) - 1))
    first, *between = ["/".join(run) for run in runs]
    if not between:
        return first
    *inner, last = between
    skipped = "".join(f"(?>(?:[^/]++/)*?{run}/)" for run in inner)
    return f"{first}{'/' if first else ''}{skipped}(?:[^/]++/)*{last}"


def _part(glob: str, *, is_last: bool) -> str:
    """Return the regular expression of one part; the text between two stars is the nearest that fits."""
    pieces = [""]
    for piece, is_star in _pieces(glob, is_last=is_last):
        if is_star:
            pieces.append("")
        else:
            pieces[-1] += piece
    first, *between = pieces
    if not between:
        return first
    *inner, last = between
    return first + "".join(f"(?>[^/]*?{piece})" for piece in inner if piece) + f"[^/]*{last}"


def _pieces(glob: str, *, is_last: bool) -> Iterator[tuple[str, bool]]:
    """Yield the regular expressions of single characters, and whether it is a run of stars instead."""
    at = 0
    while at < len(glob):
        found = _PIECE.match(glob, at)
        assert found
        at = found.end()
        if found["stars"]:
            yield "", True
        elif found["any"]:
            yield "[^/]", False
        elif found["bracket"]:
            bracket = _BRACKET.match(glob, found.start())
            at = bracket.end() if bracket else len(glob)
            yield _bracket(bracket) if bracket else _NEVER, False
        elif found[0] != "\\":
            yield re.escape(found["text"]), False
        elif is_last:
            raise ValueError("a backslash at its end escapes nothing")


def _bracket(found: re.Match[str]) -> str:
    members = ""
    for member in _MEMBER.finditer(found[2]):
        named, first, last = member["named"], member["first"], member["last"]
        if named is not None:
            if named not in _CLASSES:
                return _NEVER
            members += _CLASSES[named]
        elif last is not None and first > last:
            raise ValueError(f"the range {first}-{last} runs backwards")
        else:
            members += re.escape(first) + (f"-{re.escape(last)}" if last else "")
    if not members:
        return "[^/]" if found[1] else _NEVER
    return f"[^/{members}]" if found[1] else f"[{members}]"

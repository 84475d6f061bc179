"""The syntax that Sphinx reads MyST pages by: labels, directives, roles and remarks become what they show.

Each is one small replacement, so that every line of what they hold stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from ingestion.markdown.syntax import COLONS, NONE, Syntax
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, whole

SYNTAX = Syntax(name="sphinx", comments=NONE, containers=COLONS, inline=frozenset(("attributes",)), raw_html=False)

_ADMONITIONS = frozenset(
    ("attention", "caution", "danger", "error", "hint", "important", "note", "seealso", "tip", "warning")
)
_CODE = frozenset(
    (
        *("code", "code-block", "code-cell", "doctest", "eval-rst", "literalinclude", "mermaid", "parsed-literal"),
        *("prompt", "sourcecode", "testcode"),
    )
)
_UNSHOWN = frozenset(
    (
        *("bibliography", "contents", "currentmodule", "include", "index", "meta", "only", "raw", "tableofcontents"),
        *("tags", "toctree"),
    )
)
"""Directives whose text is for Sphinx alone: lists of pages, includes, what other outputs show."""

_OPENING = re.compile(
    r"(?P<indent>[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?)(?P<fence>`{3,}|~{3,}|:{3,})(?P<rest>[^\n]*)$"
)
_DIRECTIVE = re.compile(r"[ \t]*\{(?P<name>[\w:.-]+)\}[ \t]*(?P<argument>.*)$")
_ROLE = re.compile(
    r"(?P<code>(?<![\\`}])(?P<run>`+)[^`](?:[^\n]{0,2000}?[^`])??(?P=run)(?!`))"
    r"|\{(?P<role>[a-zA-Z][\w:.+-]*)\}(?P<marks>`+)(?P<inside>[^`\n]{1,2000})(?P=marks)"
    r"|\{\{[ \t]*(?P<name>[\w-]+)[ \t]*\}\}"
)
_BRACKETS, _BRACES = frozenset("()"), frozenset("{}")
_LITERAL = frozenset(("code", "command", "envvar", "file", "func", "kbd", "option", "program", "samp"))


@dataclass(slots=True)
class _Fence:
    """An open fence; `shown` is what stands for its closing line, and `is_code` tells that nothing in it is read."""

    mark: str
    shown: str
    is_code: bool


def find_myst(
    text: str, file: Path, folders: PageFolders, *, substitutions: Sequence[tuple[str, str]] = ()
) -> Iterator[Directive]:
    """Yield what stands for each label, directive, role and remark of a page, in order."""
    yield from _Reader(file, folders, dict(substitutions)).read(text)


def labels_of(text: str) -> Set[str]:
    """Return the labels of a page: `(name)=`, and the options `name` and `label` of directives."""
    found = set()
    for line in text.split("\n"):
        key, _, value = line.strip().removeprefix(":").partition(":")
        if label := _own_label(line):
            found.add(label.lower())
        elif key in ("label", "name"):
            found.add(value.strip().lower())
    return found


class _Reader:
    """Goes through the lines of a page once."""

    def __init__(self, file: Path, folders: PageFolders, substitutions: dict[str, str]) -> None:
        self._file = file
        self._folders = folders
        self._substitutions = substitutions
        self._open: list[_Fence] = []
        self._label = ""

    def read(self, text: str) -> Iterator[Directive]:
        """Yield the replacements in a text."""
        lines = text.split("\n")
        at = number = 0
        while number < len(lines):
            line = lines[number]
            end = at + len(line)
            taken = 1
            opening = _OPENING.match(line)
            if opening and self._closes(opening):
                yield _instead(at, end, opening["indent"] + self._open.pop().shown)
            elif self._open and self._open[-1].is_code:
                pass
            elif opening:
                directive = _DIRECTIVE.match(opening["rest"])
                if directive:
                    taken, made = self._directive(opening, directive, lines, number, at)
                    yield from made
                else:
                    is_code = opening["fence"][0] != ":"
                    self._open.append(_Fence(opening["fence"], opening["fence"], is_code))
            else:
                yield from self._line(line, at, end)
            at += sum(len(each) + 1 for each in lines[number : number + taken])
            number += taken

    def _closes(self, opening: re.Match[str]) -> bool:
        if not self._open or opening["rest"].strip():
            return False
        mark = self._open[-1].mark
        return opening["fence"].startswith(mark)

    def _line(self, line: str, at: int, end: int) -> Iterator[Directive]:
        """Yield what stands for a line outside of code."""
        if label := _label_in(line):
            self._label = label
            yield _instead(at, end, "")
        elif line.startswith(("%", "+++ ")) or line.strip() == "+++":
            yield _instead(at, end, "")
        elif line.strip():
            yield from self._inline(line, at)
            if self._label and _is_heading(line):
                words = re.sub(r"[^\w.:#-]+", "-", self._label) if self._label.startswith("#") else self._label
                yield _instead(end, end, f" {{{words}}}")
            self._label = ""

    def _inline(self, line: str, at: int) -> Iterator[Directive]:
        for found in _ROLE.finditer(line) if "{" in line else ():
            if found["role"]:
                yield _instead(at + found.start(), at + found.end(), _words_of(found["role"], found["inside"]))
            elif found["name"] and (text := self._substitutions.get(found["name"])) is not None:
                yield _instead(at + found.start(), at + found.end(), text)

    def _directive(
        self, opening: re.Match[str], directive: re.Match[str], lines: list[str], number: int, at: int
    ) -> tuple[int, list[Directive]]:
        """Return how many lines a directive's head has, or all of it that shows nothing, and what stands for them."""
        name, argument = directive["name"].rpartition(":")[2], directive["argument"].strip()
        options, head = _options(lines, number + 1)
        self._label = ""
        if name in _UNSHOWN or (name == "code-cell" and "remove-cell" in options.get("tags", "")):
            count = _length(lines, number, opening["fence"])
            end = at + sum(len(each) + 1 for each in lines[number : number + count]) - 1
            if name == "include" and argument:
                return count, [self._include(at, end, argument, opening["indent"])]
            return count, [_instead(at, end, opening["indent"])]
        end = at + sum(len(each) + 1 for each in lines[number : number + 1 + head]) - 1
        shown, fence = _shown(name, argument, options, opening["fence"])
        self._open.append(fence)
        return 1 + head, [_instead(at, end, opening["indent"] + shown)]

    def _include(self, start: int, end: int, argument: str, indent: str) -> Directive:
        target = argument[:MAX_TARGET]
        base = self._folders.docs if target.startswith("/") else self._file.parent
        return Directive(start, end, target, (base / target.lstrip("/"),), whole, indent=indent)


def _label_in(line: str) -> str:
    """Return the attributes of what stands below a line: an id for a label (`(name)=`), or those in braces."""
    if label := _own_label(line):
        return f"#{label}"
    written = "" if line.startswith("    ") else line.strip()
    inside = written[1:-1]
    in_braces = written.startswith("{") and written.endswith("}") and _BRACES.isdisjoint(inside)
    return inside if in_braces and "#" in inside else ""


def _own_label(line: str) -> str:
    """Return the name in `(name)=`, "" in any other line."""
    written = "" if line.startswith("    ") else line.strip()
    label = written[1:-2].strip() if written.startswith("(") and written.endswith(")=") else ""
    return label if _BRACKETS.isdisjoint(label) else ""


def _is_heading(line: str) -> bool:
    marks, *words = line.split(None, 1)
    return bool(words) and not line.startswith("    ") and not marks.strip("#") and len(marks) <= 6


def _options(lines: list[str], at: int) -> tuple[dict[str, str], int]:
    """Return the options below the first line of a directive, and how many lines they take."""
    if at < len(lines) and lines[at].strip() == "---":
        end = next((number for number in range(at + 1, len(lines)) if lines[number].strip() == "---"), None)
        if end is not None:
            pairs = (line.partition(":") for line in lines[at + 1 : end])
            return {key.strip(): value.strip() for key, _, value in pairs}, end + 1 - at
    found: dict[str, str] = {}
    number = at
    while number < len(lines) and (option := _option(lines[number])):
        found |= option
        number += 1
    return found, number - at


def _option(line: str) -> dict[str, str]:
    """Return the option in a line (`:key: value`), none in any other."""
    before, *parts = line.split(":", 2)
    if before.strip(" \t>") or len(parts) != 2 or not parts[0].replace("-", "").replace("_", "").isalnum():
        return {}
    return {parts[0]: parts[1].strip()}


def _length(lines: list[str], at: int, fence: str) -> int:
    """Return how many lines a fence has, its marks included."""
    for number in range(at + 1, len(lines)):
        found = _OPENING.match(lines[number])
        if found and found["fence"].startswith(fence) and not found["rest"].strip():
            return number + 1 - at
    return len(lines) - at


def _shown(name: str, argument: str, options: dict[str, str], fence: str) -> tuple[str, _Fence]:
    """Return what stands for the first line of a directive, and its fence."""
    colons = ":" * max(3, len(fence))
    if name in _CODE:
        language = argument.split()[0] if argument else ""
        mark = fence if fence[0] != ":" else "`" * len(fence)
        return f"{mark}{language}", _Fence(fence, mark, is_code=True)
    if name == "math":
        return "$$", _Fence(fence, "$$", is_code=True)
    if name in ("figure", "image"):
        return f"![{options.get('alt', '')}]({argument})\n", _Fence(fence, "", is_code=False)
    if name in _ADMONITIONS:
        return f"{colons} {name} {argument}".rstrip(), _Fence(fence, colons, is_code=False)
    title = f"**{argument}**\n" if argument else ""
    return title, _Fence(fence, "", is_code=False)


def _words_of(role: str, inside: str) -> str:
    """Return what readers see of a role: the words that it gives a link, else what it holds."""
    name = role.rpartition(":")[2]
    if name == "math":
        return f"${inside}$"
    if name == "abbr":
        return inside.partition(" (")[0]
    title, titled, _ = inside.rpartition("<") if inside.endswith(">") else ("", "", "")
    words = title.rstrip() or inside
    if ":" in role or name in _LITERAL:
        return f"`{words.rpartition('.')[2] if words.startswith('~') else words.lstrip('!')}`"
    return words.rpartition("/")[2] if name == "doc" and not titled else words


def _instead(start: int, end: int, text: str) -> Directive:
    return Directive(start, end, "", (), whole, text=text)

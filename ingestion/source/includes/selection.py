"""The part of a file that an include asks for: lines by number, or between two marks with a name."""

from __future__ import annotations

import re
from textwrap import dedent

from ingestion.source.includes.files import CannotInclude

_MDBOOK_MARK = re.compile(r"ANCHOR(?P<end>_END)?:\s*(?P<name>[\w-]+)")
_SNIPPET_MARK = re.compile(
    r"(?<![;-])-+8<-+[ \t]+\[[ \t]*(?P<type>start|end)[ \t]*:[ \t]*(?P<name>[\w-]+)[ \t]*\]", re.I
)
_RANGES = re.compile(r":(?P<ranges>-?\d*(?::-?\d*)?(?:,-?\d*(?::-?\d*)?)*)$")
_VITEPRESS_PARTS = re.compile(r"(?P<path>[^#{]+)(?P<region>#[^\s{]+)?(?P<lines>\{\d*,\d*\})?")
_REGION_MARK = re.compile(
    r"[ \t]*(?:#|//|/\*|<!--|::)[ \t]*#?(?:pragma[ \t]+)?(?P<end>end ?)?region[ \t]+(?P<name>[\w*-]+)", re.I
)
_SECTION = re.compile(r":(?P<name>[A-Za-z][\w-]*)$")
MAX_TARGET = 1000
"""Characters of a path with its selection; what is longer is no path."""


def split_mdbook(target: str) -> tuple[str, str]:
    """Return the path and the selection of `file.rs:anchor`, `file.rs:2:9`."""
    path, _, selection = target.partition(":")
    return path, selection


def select_mdbook(text: str, selection: str) -> str:
    """Return the lines that mdBook shows; raises CannotInclude where there are none.

    `2:9` are lines 2 to 9, `2` is one line, `2:` and `:9` are open at an end, and anything else is an anchor.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    first, colon, last = selection.partition(":")
    last = last.partition(":")[0]
    if first and not first.isdecimal():
        return _between_anchors(lines, first)
    start = max(int(first) - 1, 0) if first else 0
    stop = int(last) if last.isdecimal() else len(lines)
    if first and not colon:
        stop = start + 1
    chosen = lines[start:stop]
    if selection and not chosen:
        raise CannotInclude(f"has no line {first or last}")
    return "\n".join(chosen)


def _between_anchors(lines: list[str], name: str) -> str:
    chosen: list[str] = []
    inside = found = False
    for line in lines:
        mark = _MDBOOK_MARK.search(line)
        if mark and mark["name"] == name:
            if inside:
                break
            inside = found = not mark["end"] or found
        elif inside and not mark:
            chosen.append(line)
    if not found:
        raise CannotInclude(f"has no anchor `{name}`")
    return "\n".join(chosen)


def split_snippet(target: str) -> tuple[str, str]:
    """Return the path and the selection of `file.md:section`, `file.md:1:3,7:9`."""
    found = _RANGES.search(target) or _SECTION.search(target)
    return (target[: found.start()], target[found.start() + 1 :]) if found and found.start() else (target, "")


def select_snippet(text: str, selection: str) -> str:
    """Return the lines that pymdownx.snippets shows, without its marks; raises CannotInclude where there are none."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if selection[:1].isalpha():
        lines = _section(lines, selection)
    elif selection:
        chosen = [line for part in selection.split(",") for line in lines[_range(part, len(lines))]]
        if not chosen:
            raise CannotInclude(f"has no lines {selection}")
        lines = chosen
    return "\n".join(line for line in lines if not _SNIPPET_MARK.search(line))


def _range(written: str, count: int) -> slice:
    first, _, last = written.partition(":")
    start, stop = (int(end) if end.strip("-") else None for end in (first, last))
    begin = 0 if start is None else start - 1 if start > 0 else count + start if start < 0 else 0
    end = count if stop is None else stop if stop >= 0 else count + stop + 1
    return slice(max(begin, 0), max(end, 0))


def _section(lines: list[str], name: str) -> list[str]:
    chosen: list[str] = []
    inside = found = False
    for line in lines:
        mark = _SNIPPET_MARK.search(line)
        if mark and mark["name"] == name:
            if inside and mark["type"].lower() == "end":
                break
            inside = found = True
        elif inside:
            chosen.append(line)
    if not found:
        raise CannotInclude(f"has no section `{name}`")
    return chosen


def split_vitepress(target: str) -> tuple[str, str]:
    """Return the path and the selection of `file.md#region{2,9}`."""
    found = _VITEPRESS_PARTS.fullmatch(target)
    return (found["path"], target[found.end("path") :]) if found else (target, "")


def select_vitepress(text: str, selection: str) -> str:
    """Return the lines that VitePress shows: of a region, then by number; raises CannotInclude without the region."""
    region, brace, numbers = selection.partition("{")
    lines = text.removesuffix("\n").split("\n")
    if region:
        lines = _region(lines, region[1:])
    if brace:
        first, _, last = numbers.rstrip("}").partition(",")
        lines = lines[max(int(first or 1) - 1, 0) : int(last) if last else None]
    return "\n".join(lines)


def _region(lines: list[str], name: str) -> list[str]:
    """The lines between the marks of a region, without marks of others, and without their common indentation."""
    marks = [_REGION_MARK.match(line) for line in lines]
    own = [(at, mark["end"]) for at, mark in enumerate(marks) if mark and mark["name"] == name]
    start = next((at for at, is_end in own if not is_end), None)
    end = next((at for at, is_end in own if is_end and start is not None and at > start), None)
    if start is None or end is None:
        raise CannotInclude(f"has no region `{name}`")
    inside = "\n".join(lines[at] for at in range(start + 1, end) if not marks[at])
    return dedent(inside).split("\n")

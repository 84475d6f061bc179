"""`:::` and `///` directives: they nest with equal length, hold fences whole, and are text if never closed."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import line_text

MAX_NESTING = 20
_NAMES = {":": "colons", "/": "slashes"}


@dataclass(slots=True)
class _Open:
    """A directive whose content is being read; `end` is the line after its closing one, once that is found."""

    mark: str
    length: int
    quotes: int
    end: int = 0


def directive(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a directive with its content; without a closing line its first line is text."""
    marks = _opening_marks(line_text(state, start))
    if not marks or not _is_read(state, start, marks):
        return False
    if silent:
        return True
    at = len(state.tokens)
    token = state.push("directive_open", "", 1)
    token.map = [start, start + 1]
    this = _Open(marks[0], len(marks), _quotes_around(state, start))
    state.env["directives"].append(this)
    state.line = start + 1
    state.md.block.tokenize(state, start + 1, end)
    state.env["directives"].pop()
    if this.end:
        for inner in state.tokens[at:]:
            if inner.map and inner.map[1] >= this.end:
                inner.map[1] = this.end - 1
        token.map = [start, this.end]
        state.push("directive_close", "", -1)
        state.line = this.end
    else:
        token.type, token.nesting = "unclosed_directive", 0
        token.meta["closed"] = False
        state.level -= 1
    return True


def _is_read(state: StateBlock, start: int, marks: str) -> bool:
    is_too_deep = state.level + 2 >= state.md.options.maxNesting or len(state.env["directives"]) >= MAX_NESTING
    return _NAMES[marks[0]] in state.env["containers"] and not is_too_deep and not state.is_code_block(start)


def _marks(line: str) -> str:
    """Return the three or more colons or slashes with which a line begins, or ""."""
    count = len(line) - len(line.lstrip(line[0])) if line[:1] in _NAMES else 0
    return line[:count] if count >= 3 else ""


def _opening_marks(line: str) -> str:
    """Return the marks of a line that opens a directive, or ""."""
    marks = _marks(line)
    name = line[len(marks) :].removeprefix(" ")[:1]
    return marks if name.isascii() and name.isalpha() else ""


def closing_marks(line: str) -> str:
    """Return the marks of a line that closes a directive, or ""."""
    marks = _marks(line)
    return "" if line[len(marks) :].strip() else marks


def directive_end(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Close the innermost directive that a line of colons is long enough for, also from inside a list in it."""
    if not state.env["directives"]:
        return False
    marks = closing_marks(line_text(state, start))
    if not marks or state.is_code_block(start):
        return False
    length, quotes = len(marks), _quotes_around(state, start)
    for opened in reversed(state.env["directives"]):
        if opened.mark == marks[0] and opened.length <= length and opened.quotes == quotes:
            if not silent:
                opened.end = start + 1
                state.line = end  # ends the loops of all containers inside
            return True
    return False


def _quotes_around(state: StateBlock, line: int) -> int:
    """Return the number of quotes that a line stands in."""
    at = state.bMarks[line]
    return state.src.count(">", state.src.rfind("\n", 0, at) + 1, at)

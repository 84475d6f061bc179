"""The blocks of MDX that may span several lines, and `$$` math: found by looking ahead for their end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingestion.markdown.blocks import Kind
from ingestion.markdown.html_blocks import html_block_end

MAY_BEGIN_AHEAD = frozenset("ie{$< ")
"""A line that begins with none of these begins no block of this module."""

IMPORT = re.compile(
    r"import\s+(?:['\"]|[\w$*{][^'\"]*\bfrom\s*['\"]|(?:type\s+)?(?:[\w$]+\s*,\s*)?\{[^}]*$)"
    r"|export\s+(?:(?:const|let|var)\s+[\w$\[{]|(?:async\s+)?function\b\*?\s*\w*\s*\(|class\s+\w+\s*(?:extends\b|\{)"
    r"|default\s+(?:(?:async\s+)?function|class|[({\[]|[\w$.]+(?:\(.*\))?;?\s*$)|[{*])"
)
TAG_START = re.compile(r" {0,3}<(?:[A-Za-z][\w.:-]*(?=[\s/>]|$)|>)")
_CONTINUES = re.compile(r"(?:[=,(\[{+?:&|.]|=>|\bfrom)\s*$")
_STRING_OR_REMARK = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|//.*$|/\*.*?\*/""")
_TAG_MARK = re.compile(r"""\\.|["'`{}>]""")


class Lookahead:
    """Finds blocks whose end decides whether they are blocks at all.

    A search that fails costs what it read. All failed searches of a page together may read four times the page;
    after that nothing more is looked for, so that the work is linear on any input.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._budget = 4 * (sum(map(len, lines)) + len(lines))

    def block_at(self, number: int) -> tuple[Kind, int] | None:
        """The kind of the block that begins at this line and the line after its end, or None."""
        line, budget = self._lines[number], self._budget
        kind: Kind
        if line.startswith(("import", "export")) and IMPORT.match(line):
            kind, end = "import", self._statement_end(number)
        elif line.startswith("{/*"):
            kind, end = "comment", self._end_of_mark("*/}", number)
        elif line.startswith("$$"):
            kind, end = "math", self._end_of_mark("$$", number)
        elif TAG_START.match(line) and html_block_end(line.lstrip(" "), in_paragraph=False) is None:
            kind, end = "jsx", self._tag_end(number)
        else:
            return None
        if end is None:
            return None
        self._budget = budget
        return kind, end

    def _ahead(self, number: int) -> Iterator[tuple[int, str]]:
        for at in range(number, len(self._lines)):
            line = self._lines[at]
            self._budget -= len(line) + 1
            if self._budget < 0:
                return
            yield at, line

    def _end_of_mark(self, mark: str, number: int) -> int | None:
        """The line after the first that ends with `mark`; None if text follows the mark."""
        for at, line in self._ahead(number):
            if mark in (line[len(mark) :] if at == number else line):
                return at + 1 if line.rstrip().endswith(mark) else None
        return None

    def _statement_end(self, number: int) -> int | None:
        """The line after an import or export statement: brackets are closed and no operator waits for more."""
        depth, in_template = 0, False
        for at, line in self._ahead(number):
            code = _STRING_OR_REMARK.sub("''", line)
            in_template ^= code.count("`") % 2 == 1
            if not in_template:
                depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
                if depth <= 0 and not _CONTINUES.search(code):
                    return at + 1
        return None

    def _tag_end(self, number: int) -> int | None:
        """The line after the one that closes a tag; None if the tag stands inside a line of text."""
        depth, quote = 0, ""
        for at, line in self._ahead(number):
            if not depth and not quote and not line:
                return None
            begin = line.index("<") + 1 if at == number else 0
            for mark in _TAG_MARK.finditer(line, begin):
                sign = mark[0]
                if quote:
                    quote = "" if sign == quote else quote
                elif sign in "\"'`":
                    quote = sign
                elif sign in "{}":
                    depth += 1 if sign == "{" else -1
                elif sign == ">" and depth <= 0:
                    return at + 1 if at > number or not line[mark.end() :].strip() else None
            if depth and quote != "`":
                quote = ""  # an apostrophe in text: strings of JavaScript end with their line
        return None

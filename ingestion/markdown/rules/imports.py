"""MDX imports and exports, which may span lines and hold blank ones."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import Lines, add_leaf, begins_in_margin, find_end, line_text

_NAMED = r"\{(?:[^{}'\"]*\}\s*from\s*['\"]|[^{}'\"]*$)"
_IMPORT = re.compile(
    rf"import\s+(?:['\"]|(?:type\s+)?(?:{_NAMED}|\*\s*as\s+[\w$]+\s+from\s*['\"]"
    rf"|[\w$]+\s*(?:,\s*(?:{_NAMED}|\*\s*as\s+[\w$]+\s+from\s*['\"])|\s+from\s*['\"])))"
    r"|export\s+(?:(?:const|let|var)\s+[\w$\[{]|(?:async\s+)?function\b\*?\s*\w*\s*\(|class\s+\w+\s*(?:extends\b|\{)"
    r"|default\s+(?:(?:async\s+)?function|class|[({\[]|[\w$.]+(?:\(.*\))?;?\s*$)|[{*])"
)
_PROSE_AFTER = re.compile(r"import\s[^'\"]*(['\"])[^'\"]*\1\s*(?!\s|;|//|/\*|$|(?:with|assert)\s*\{)")
"""What no statement has: words after the name of the module."""

_WAITING = (*"=,([{+?:&|.", "=>", " from", "}from")
"""What a line ends in that goes on in the next one."""

_STRING_OR_REMARK = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|//.*$|/\*.*?\*/""")


def import_or_export(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a statement; sentences that begin with the same words are none."""
    line = line_text(state, start)
    if silent or not begins_in_margin(state, start) or not _IMPORT.match(line) or _PROSE_AFTER.match(line):
        return False
    found = find_end(state, start, end, _statement_end)
    return found is not None and add_leaf(state, "import", start, found)


def _statement_end(lines: Lines) -> int | None:
    """Return the line after the statement: brackets are closed and no operator waits for more."""
    depth, in_template = 0, False
    for line, text in lines:
        code = _STRING_OR_REMARK.sub("''", text)
        in_template ^= code.count("`") % 2 == 1
        if not in_template:
            depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
            if depth <= 0 and not code.rstrip().endswith(_WAITING):
                return line + 1
    return None

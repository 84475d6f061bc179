"""Where HTML blocks begin and end (CommonMark 0.31, section 4.6)."""

from __future__ import annotations

import re

UNTIL_BLANK = re.compile(r"^\s*$")
"""The end of tags: the first blank line, which is not part of the block."""

_BLOCK_NAMES = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li "
    "link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th "
    "thead title tr track ul"
).replace(" ", "|")
_ATTRIBUTE = r"""(?:\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\s*=\s*(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*"))?)"""

_OPENINGS = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=\s|>|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_NAMES})(?=\s|/?>|$)", re.I), UNTIL_BLANK),
)
_LONE_TAG = re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$")


def html_block_end(text: str, *, in_paragraph: bool) -> re.Pattern[str] | None:
    """What ends the HTML block that begins with `text` (a line without its indent), or None if none begins.

    A line that is one tag of an unknown name and nothing else does not interrupt a paragraph.
    """
    for opening, end in _OPENINGS:
        if opening.match(text):
            return end
    return UNTIL_BLANK if not in_paragraph and _LONE_TAG.match(text) else None

"""Tell a page that says nothing yet: each of its blocks is a placeholder, or has no words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.cleaner import clean, find_edits
from ingestion.markdown.syntax import Syntax

_NOTHING_YET = re.compile(
    r"\W*(?:coming soon|to be (?:written|done|added|announced|continued)|tbd|tba|todo|wip|work in progress|"
    r"under construction|this (?:page|section|chapter) is (?:empty|under construction|not written yet))\W*",
    re.IGNORECASE,
)
_NO_CONTENT = frozenset(("heading", "rule", "comment", "import", "reference"))
_PLAIN = re.compile(r"[^<{&!=:|\[\]]+")
"""What cleaning leaves as it is."""

_MAX_LENGTH = 200
"""No placeholder is longer."""


def says_something(text: str) -> bool:
    """Return whether the text of a block has words and is no placeholder."""
    return any(map(str.isalnum, text)) and not (len(text) <= _MAX_LENGTH and _NOTHING_YET.fullmatch(text))


def says_nothing_yet(page: Page, blocks: Sequence[Block], syntax: Syntax) -> bool:
    """Return whether no block of a page, of those given with all inside others, says something."""
    leaves = [block for block in blocks if not block.children and block.kind not in _NO_CONTENT]
    saying = [block for block in leaves if says_something(page.source(block))]
    if any(_PLAIN.fullmatch(page.source(block)) for block in saying):
        return False
    edits = find_edits(page, blocks, (), syntax) if saying else []
    return not any(says_something(clean(page.text, *page.span(block), edits)) for block in saying)

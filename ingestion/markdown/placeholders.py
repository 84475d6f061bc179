"""Tell a page that says nothing yet: each of its blocks is a placeholder, or has no words."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.cleaner import clean, find_edits
from ingestion.markdown.syntax import Syntax

_NOTHING_YET = frozenset(
    (
        *("coming soon", "tba", "tbd", "todo", "under construction", "wip", "work in progress"),
        *(f"to be {done}" for done in ("added", "announced", "continued", "done", "written")),
        *(
            f"this {part} is {state}"
            for part in ("page", "section", "chapter")
            for state in ("empty", "under construction", "not written yet")
        ),
    )
)
_NO_CONTENT = frozenset(("heading", "rule", "comment", "import", "reference"))
_MARKUP = frozenset("<{&!=:|[]")
"""Text without these is left as it is by cleaning."""

_MAX_LENGTH = 200
"""No placeholder is longer."""


def says_something(text: str) -> bool:
    """Return whether the text of a block has words and is no placeholder."""
    if len(text) > _MAX_LENGTH:
        return any(map(str.isalnum, text))
    words = "".join([sign if sign.isalnum() or sign == "_" else " " for sign in text]).lower().split()
    return any(map(str.isalnum, text)) and " ".join(words) not in _NOTHING_YET


def says_nothing_yet(page: Page, blocks: Sequence[Block], syntax: Syntax) -> bool:
    """Return whether no block of a page, of those given with all inside others, says something."""
    leaves = [block for block in blocks if not block.children and block.kind not in _NO_CONTENT]
    plain = (text for block in leaves if _MARKUP.isdisjoint(text := page.source(block)))
    if any(map(says_something, plain)):
        return False
    saying = [block for block in leaves if says_something(page.source(block))]
    edits = find_edits(page, blocks, (), syntax) if saying else []
    return not any(says_something(clean(page.text, *page.span(block), edits)) for block in saying)

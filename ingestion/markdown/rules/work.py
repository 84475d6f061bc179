"""The budget of work of a page: how many steps its blocks may take to read, and how many tokens they may make.

So no page holds up the others, or takes the memory of all.
"""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.blocks import TooMuchWork

STEPS_PER_CHARACTER = 4
"""Real pages take less than one step per ten characters; pages made to be slow take thousands."""

FREE_STEPS = 10_000

CHARACTERS_PER_TOKEN = 32
"""Real pages make a token per 20 to 80 characters; a token takes 420 bytes, and `#` with a line end makes three."""

FREE_TOKENS = 150_000


def new_work(text: str) -> int:
    """Return how many steps a page of this size may take: the same on every machine."""
    return STEPS_PER_CHARACTER * len(text) + FREE_STEPS


def token_limit(text: str) -> int:
    """Return how many tokens a page of this size may make."""
    return len(text) // CHARACTERS_PER_TOKEN + FREE_TOKENS


def spend(state: StateBlock, line: int, steps: int = 1) -> None:
    """Take steps from the page's budget; raises TooMuchWork where none are left, or no more tokens are allowed."""
    state.env["work"] -= steps
    if state.env["work"] < 0 or len(state.tokens) > state.env["tokens"]:
        raise TooMuchWork(line + 1)

"""The budget of work of a page: how many steps its blocks may take to read, so that no page holds up the others."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.blocks import TooMuchWork

STEPS_PER_CHARACTER = 4
"""Real pages take less than one step per ten characters; pages made to be slow take thousands."""

FREE_STEPS = 10_000


def new_work(text: str) -> int:
    """Return how many steps a page of this size may take: the same on every machine."""
    return STEPS_PER_CHARACTER * len(text) + FREE_STEPS


def spend(state: StateBlock, line: int, steps: int = 1) -> None:
    """Take steps from the page's budget; raises TooMuchWork where none are left."""
    state.env["work"] -= steps
    if state.env["work"] < 0:
        raise TooMuchWork(line + 1)

"""The conversation so far, cut to whole turns that fit the language model's budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingestion.tokens import count_tokens

if TYPE_CHECKING:
    from rag.models import PastMessage

MAX_TURNS = 20
"""Maximum number of turns sent to a model."""

CHAT_ENCODING = "o200k_base"

MESSAGE_TOKENS = 4
"""Tokens of a message beyond its text."""


def recent_turns(history: Sequence[PastMessage], *, max_tokens: int, max_turns: int = MAX_TURNS) -> list[PastMessage]:
    """Return the last whole turns that fit into the budget, oldest first; a turn is a question with its answer."""
    kept: list[PastMessage] = []
    left = max_tokens
    for turn in reversed(_turns(history)[-max_turns:]):
        left -= sum(tokens_of(message.content) for message in turn)
        if left < 0:
            break
        kept[:0] = turn
    return kept


def tokens_of(text: str) -> int:
    """Return the tokens that a message with this text takes in a model's context."""
    return count_tokens([text], CHAT_ENCODING)[0] + MESSAGE_TOKENS


def _turns(history: Sequence[PastMessage]) -> list[list[PastMessage]]:
    turns: list[list[PastMessage]] = []
    for message in history:
        if message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns

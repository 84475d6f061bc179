"""What a model is given of the conversation so far."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.agent.history import MAX_TURNS, recent_turns, tokens_of
from rag.conversations.models import Message


def turns(*texts: str) -> list[Message]:
    return [each for text in texts for each in (Message("user", text), Message("assistant", f"{text} indeed"))]


@given(st.lists(st.text(max_size=40).map("{}?".format), max_size=30), st.integers(0, 200))
def test_only_the_last_whole_turns_that_fit_are_kept(texts: list[str], budget: int) -> None:
    history = turns(*texts)
    kept = recent_turns(history, max_tokens=budget)
    assert kept == history[len(history) - len(kept) :]
    assert len(kept) % 2 == 0 and len(kept) <= 2 * MAX_TURNS
    assert sum(tokens_of(each.content) for each in kept) <= budget


def test_a_turn_too_long_for_the_budget_keeps_out_what_is_older() -> None:
    history = turns("short", "long " * 500, "last")
    assert [each.content for each in recent_turns(history, max_tokens=100)] == ["last", "last indeed"]


def test_a_conversation_of_more_than_twenty_turns_is_cut() -> None:
    assert len(recent_turns(turns(*"abcdefghijklmnopqrstuvwxyz"), max_tokens=10_000)) == 2 * MAX_TURNS

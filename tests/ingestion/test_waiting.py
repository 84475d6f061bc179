"""One way to wait for what another process holds."""

from __future__ import annotations

import pytest

from ingestion import waiting
from ingestion.errors import IndexLocked
from ingestion.waiting import wait_until


def test_without_a_wait_it_is_tried_once() -> None:
    tried: list[int] = []
    with pytest.raises(IndexLocked, match="held"):
        wait_until(lambda: bool(tried.append(1)), 0, poll=9, refusal=lambda: IndexLocked("held"), sleep=pytest.fail)
    assert tried == [1]


def test_a_long_wait_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "TELL_SECONDS", 0.0)
    answers, told, slept = iter([False, False, False, True]), [], []
    wait_until(
        lambda: next(answers),
        60,
        poll=0.5,
        refusal=lambda: IndexLocked("held"),
        tell=lambda: told.append("waiting"),
        sleep=slept.append,
    )
    assert told == ["waiting"] and slept == [0.5] * 3

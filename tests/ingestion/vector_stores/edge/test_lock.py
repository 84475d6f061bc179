"""The lock of an embedded index tells its holder that another waits, and goes to who has waited."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ingestion import waiting
from ingestion.errors import IndexInUse
from ingestion.vector_stores.edge.lock import acquire, is_wanted
from tests.support.waits import wait_until


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "lock"


class Waiting(threading.Thread):
    """Waits for the lock, as another process would; `release` is there once it has it."""

    def __init__(self, lock: Path, wait: float = 20) -> None:
        super().__init__(daemon=True)
        self._lock, self._wait = lock, wait
        self.release: Callable[[], None] | None = None
        self.start()

    def run(self) -> None:
        try:
            self.release = acquire(self._lock, self._wait)
        except IndexInUse:
            return

    def released(self) -> None:
        self.join(20)
        assert self.release is not None
        self.release()


def test_a_lock_is_wanted_from_when_somebody_waits_until_he_has_it(lock: Path) -> None:
    release = acquire(lock, 0)
    assert not is_wanted(lock)
    other = Waiting(lock)
    wait_until(lambda: is_wanted(lock))
    release()
    other.join(20)
    assert not is_wanted(lock)
    other.released()


def test_who_gives_it_back_does_not_take_it_again_before_who_waits(lock: Path) -> None:
    release = acquire(lock, 0)
    other = Waiting(lock)
    wait_until(lambda: is_wanted(lock))
    release()
    with pytest.raises(IndexInUse):
        acquire(lock, 0)
    other.released()
    acquire(lock, 0)()


def test_who_gives_up_is_not_waited_for(lock: Path) -> None:
    release = acquire(lock, 0)
    Waiting(lock, wait=0.1).join(20)
    assert not is_wanted(lock)
    release()
    acquire(lock, 0)()


def test_all_who_wait_get_their_turn(lock: Path) -> None:
    release = acquire(lock, 0)
    others = [Waiting(lock) for _ in range(3)]
    wait_until(lambda: is_wanted(lock))
    release()
    while others:
        wait_until(lambda: any(each.release for each in others))
        (has,) = [each for each in others if each.release]
        has.released()
        others.remove(has)
    assert not is_wanted(lock)


def test_to_ask_whether_it_is_wanted_never_keeps_it_from_anybody(lock: Path) -> None:
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            is_wanted(lock)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(100):
            acquire(lock, 5)()
    finally:
        over.set()
        asking.join()


def test_only_a_wait_of_some_time_is_told(
    lock: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = acquire(lock, 0)
    with caplog.at_level(logging.WARNING), pytest.raises(IndexInUse):
        acquire(lock, 0.2)
    assert not caplog.records
    monkeypatch.setattr(waiting, "TELL_SECONDS", 0.1)
    with pytest.raises(IndexInUse):
        acquire(lock, 0.3)
    assert len(caplog.records) == 1 and "waiting" in caplog.text
    release()

"""Runs that are killed in the middle: the next one is not blocked, and ends with what a run from nothing makes."""

from __future__ import annotations

import random
import shutil
import signal
import time

import pytest

from tests.qdrant.operator import Operator

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

KILLS_PER_MODE = 3


@pytest.mark.parametrize("mode", ["incremental", "full", "recreate"])
def test_killed_runs_leave_nothing_that_the_next_one_does_not_mend(operator: Operator, mode: str) -> None:
    chance = random.Random(mode)
    operator.run("ingest", "docs")
    operator.append(operator.lessons()[0], "A paragraph of the run that is timed.")
    began = time.monotonic()
    operator.run("ingest", "docs", "--mode", mode)
    whole = time.monotonic() - began
    killed = 0
    for number in range(KILLS_PER_MODE):
        for lesson in chance.sample(operator.lessons(), 4):
            operator.append(lesson, f"Another paragraph {number} {chance.random()}.")
        process = operator.start("ingest", "docs", "--mode", mode)
        time.sleep(whole * chance.uniform(0.3, 0.8))
        killed += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        operator.run("--wait", "0", "ingest", "docs")
    assert killed, "every run had ended before it was killed"
    assert operator.equals_an_index_from_nothing()
    operator.run("verify", "docs")


def test_three_writers_at_once_end_one_after_the_other(operator: Operator) -> None:
    operator.run("ingest", "docs")
    for lesson in operator.lessons()[:6]:
        operator.append(lesson, "A paragraph that three writers find.")
    homes = [operator.home / f"writer-{number}" for number in range(3)]
    for home in homes:
        shutil.copytree(operator.home / "docs", home / "docs")
        shutil.copy(operator.home / "bookwise.toml", home)
    processes = [operator.start("--wait", "120", "ingest", "docs", home=home) for home in homes]
    ended = [(process.communicate(), process.returncode) for process in processes]
    assert [code for _, code in ended] == [0, 0, 0], [out for out, code in ended if code]
    assert operator.equals_an_index_from_nothing()

"""Readers of `serve` while lessons are edited, indexed in full and recreated: each look finds a lesson, once."""

from __future__ import annotations

import json
import random
import re
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.qdrant.operator import COMMAND, Operator
from tests.support.waits import LONGEST

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

WATCHED = 12
READERS = 2
MODES = ("incremental", "full", "recreate")


@contextmanager
def served(operator: Operator) -> Iterator[str]:
    """The address of `bookwise serve`, once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", str(port)],
        cwd=operator.home,
        env=operator.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(120):
            try:
                ask(url, "hello")
                break
            except OSError:
                assert process.poll() is None, "serve ended"
                time.sleep(0.5)
        yield url
    finally:
        process.terminate()
        process.wait(LONGEST)


def ask(url: str, question: str) -> str:
    body = json.dumps({"query": question, "hardware_tier": 4}).encode()
    request = urllib.request.Request(f"{url}/search", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(answer.read().decode())


class Watchers:
    """Threads that look for lessons by a word of their own, and note what was not as it should be."""

    def __init__(self, url: str, marks: list[str]) -> None:
        self.lowest = dict.fromkeys(marks, 0)
        self.looks, self.wrong = 0, list[Any]()
        self._url, self._marks = url, marks
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._watch, args=(number,)) for number in range(READERS)]

    def __enter__(self) -> Watchers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _watch(self, number: int) -> None:
        chance = random.Random(number)
        while not self._over.is_set():
            mark = chance.choice(self._marks)
            lowest = self.lowest[mark]
            try:
                answer = ask(self._url, f"What does the word {mark} stand for?")
            except OSError as error:
                self.wrong.append((mark, repr(error)))
                continue
            self.looks += 1
            found = {int(each) for each in re.findall(rf"{mark} stands here, revision (\d+)", answer)}
            if len(found) != 1 or min(found) < lowest:
                self.wrong.append((mark, sorted(found), lowest))


def test_no_look_misses_a_lesson_or_finds_it_twice_or_old(operator: Operator) -> None:
    chance = random.Random(3)
    marks = [
        "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(5)) for _ in range(WATCHED)
    ]
    lessons = operator.lessons()[:WATCHED]
    for lesson, mark in zip(lessons, marks, strict=True):
        operator.append(lesson, f"The word {mark} stands here, revision 0.")
    operator.run("ingest", "docs")
    with served(operator) as url, Watchers(url, marks) as watchers:
        for revision, mode in enumerate(MODES, 1):
            for lesson in lessons:
                text = re.sub(r"revision \d+\.", f"revision {revision}.", lesson.read_text(encoding="utf-8"))
                lesson.write_text(text, encoding="utf-8")
            operator.run("ingest", "docs", "--mode", mode)
            # A look that began before the run ended may still find the former text.
            time.sleep(1)
            watchers.lowest = dict.fromkeys(marks, revision)
        time.sleep(1)
    assert watchers.looks > 20 and watchers.wrong == []

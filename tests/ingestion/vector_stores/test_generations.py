"""Generations on both engines: the old index serves until the new one is whole, whatever happens in between."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from ingestion.errors import VectorStoreError
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import Generations
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.types import Schema
from tests.support.qdrant_server import KEY, Fault, QdrantServer, running
from tests.support.vector_points import index_directory, make_point

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

OLD = Schema("old/1", 8)
NEW = Schema("new/1", 8)


class Engine(Protocol):
    """A place for generations, whose n-th outside step from now on can be made to fail."""

    generations: Generations

    def fail_at(self, step: int | None) -> None: ...

    def physical(self) -> int:
        """How many generations exist, named or not."""


@dataclass
class EdgeEngine:
    directory: Path
    generations: Generations = field(init=False)

    def __post_init__(self) -> None:
        self.generations = EdgeGenerations(self.directory)

    def fail_at(self, step: int | None) -> None:
        DISK.watch(self.directory, step)

    def physical(self) -> int:
        return sum(path.is_dir() for path in self.directory.iterdir())


@dataclass
class ServerEngine:
    server: QdrantServer
    generations: Generations = field(init=False)

    def __post_init__(self) -> None:
        self.generations = ServerGenerations(connect(self.server.url, KEY), "book")

    def fail_at(self, step: int | None) -> None:
        self.server.faults = [Fault("", "ok", step - 1), Fault("", 400, sys.maxsize)] if step else []

    def physical(self) -> int:
        return len(self.server.collections)


class DiskFaults:
    """Fails the n-th change to the files below a directory, as if the process had died there."""

    EVENTS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")

    def __init__(self) -> None:
        self.watch(Path(), None)
        sys.addaudithook(self._audit)

    def watch(self, directory: Path, step: int | None) -> None:
        self.directory, self.left = str(directory), step

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.left is None or event not in self.EVENTS or not str(arguments[0]).startswith(self.directory):
            return
        self.left -= 1
        if self.left <= 0:
            raise OSError("the process died here")


DISK = DiskFaults()


@pytest.fixture(params=["edge", "server"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with ExitStack() as stack:
        if request.param == "edge":
            yield EdgeEngine(stack.enter_context(index_directory()) / "book")
        else:
            yield ServerEngine(stack.enter_context(running(QdrantServer())))
        DISK.watch(Path(), None)


def build(generations: Generations, schema: Schema, points: int) -> None:
    with closing(generations.create(schema)) as store:
        store.upsert([make_point(number) for number in range(points)])
        generations.activate(store)


def served(generations: Generations) -> tuple[Schema, int] | None:
    store = generations.open_active()
    if store is None:
        return None
    with closing(store):
        assert store.schema == generations.active().schema
        return store.schema, store.count(Where())


def test_nothing_is_served_before_the_first_activation(engine: Engine) -> None:
    generations = engine.generations
    assert generations.active() is None
    assert served(generations) is None
    with closing(generations.create(OLD)):
        assert served(generations) is None
    assert not generations.drop_former()
    with pytest.raises(VectorStoreError, match="no previous generation"):
        generations.rollback()


def test_the_new_generation_serves_once_activated_and_the_former_can_come_back(engine: Engine) -> None:
    generations = engine.generations
    build(generations, OLD, 3)
    with closing(generations.create(NEW)) as store:
        store.upsert([make_point(9)])
        assert served(generations) == (OLD, 3)
        generations.activate(store)
        generations.activate(store)
        store.upsert([make_point(10)])
    assert served(generations) == (NEW, 2)
    generations.rollback()
    assert served(generations) == (OLD, 3)
    generations.rollback()
    assert served(generations) == (NEW, 2)
    assert generations.drop_former()
    assert not generations.drop_former()
    assert served(generations) == (NEW, 2)
    assert engine.physical() == 1


def test_only_the_active_and_the_former_generation_are_kept(engine: Engine) -> None:
    for points in range(4):
        build(engine.generations, OLD, points)
    assert engine.physical() == 2
    assert served(engine.generations) == (OLD, 3)
    engine.generations.rollback()
    assert served(engine.generations) == (OLD, 2)


def test_the_former_generation_survives_a_creation_that_is_given_up(engine: Engine) -> None:
    generations = engine.generations
    build(generations, OLD, 3)
    build(generations, NEW, 4)
    generations.create(NEW).close()
    generations.create(NEW).close()
    generations.rollback()
    assert served(generations) == (OLD, 3)
    assert engine.physical() == 3


@pytest.mark.parametrize("name", ["book__v2", "book__20260801T101500-a1b2c3", "books"])
def test_a_collection_that_only_looks_like_a_generation_is_left_alone(name: str) -> None:
    with running(QdrantServer()) as server:
        server.answer("PUT", f"/collections/{name}", {"vectors": {}})
        build(ServerGenerations(connect(server.url, KEY), "book"), OLD, 1)
        assert name in server.collections


def every_step(engine: Engine, action: Callable[[], object]) -> Iterator[int]:
    """Lets the action fail at its first outside step, its second, and so on until it has none left to fail."""
    for step in range(1, 60):
        engine.fail_at(step)
        try:
            action()
        except VectorStoreError:
            engine.fail_at(None)
            yield step
        else:
            engine.fail_at(None)
            return
    raise AssertionError("the action never ended")


def test_a_creation_that_dies_anywhere_leaves_the_old_serving_and_is_cleaned_up(engine: Engine) -> None:
    generations = engine.generations
    build(generations, OLD, 3)
    steps = 0
    for steps in every_step(engine, lambda: generations.create(NEW).close()):  # noqa: B007
        assert generations.active().schema == OLD
    assert steps > 4
    assert served(generations) == (OLD, 3)
    build(generations, NEW, 1)
    assert served(generations) == (NEW, 1)
    assert engine.physical() == 2


def test_an_activation_that_dies_anywhere_leaves_the_old_or_the_new_serving(engine: Engine) -> None:
    generations = engine.generations
    build(generations, OLD, 3)
    build(generations, OLD, 4)
    with closing(generations.create(NEW)) as store:
        for _ in every_step(engine, lambda: generations.activate(store)):
            assert generations.active().schema in (OLD, NEW)
    assert served(generations) == (NEW, 0)
    generations.rollback()
    assert served(generations) == (OLD, 4)
    build(generations, NEW, 1)
    assert engine.physical() == 2


@pytest.mark.parametrize("action", ["rollback", "drop_former"])
def test_a_rollback_or_drop_that_dies_anywhere_leaves_something_serving(engine: Engine, action: str) -> None:
    generations = engine.generations
    build(generations, OLD, 3)
    build(generations, NEW, 4)
    for _ in every_step(engine, getattr(generations, action)):
        assert generations.active().schema in (OLD, NEW)
    assert served(generations) in ((OLD, 3), (NEW, 4))
    build(generations, NEW, 1)
    assert served(generations) == (NEW, 1)
    assert engine.physical() == 2


def test_a_store_of_another_index_cannot_be_activated(engine: Engine) -> None:
    with index_directory() as directory:
        other = EdgeGenerations(directory / "other")
        with closing(other.create(OLD)) as store, pytest.raises(ValueError, match="created"):
            engine.generations.activate(store)

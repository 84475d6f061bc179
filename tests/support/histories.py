"""Random histories of two books in one collection: whatever happened, one run makes the index equal to a new one.

Each step does something to a book, to its records or to its points, maybe lets a run die at one of its outside calls
and does something else, and then checks that a single run puts all of it right. A history follows from its seed.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ingestion.models import IngestionMode
from ingestion.report import IngestReport
from ingestion.state.state_file import StateFile, StateStore
from ingestion.vector_stores.filters import Equals, HasId, Where
from ingestion.vector_stores.types import Point, SparseVector
from tests.support.books import TIMES, Library, long_text, page
from tests.support.fakes import Crash, FakeEmbedder

FOLDER = "module-1-ros2/chapter-1-basics"
PATHS = [f"{FOLDER}/{number:02}-{name}.md" for number in (1, 2, 3) for name in ("a", "b")] + ["notes.md", "x/y.md"]
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "Häuser"]
SETTINGS: Mapping[str, list[Any]] = {
    "chunk.tokens": [400, 100],
    "book.language": ["en", "de"],
    "book.base_url": ["https://example.org/", "https://example.com/book/"],
}
STAMPS = (*TIMES, "embedding_model")
CALLS = ("upsert", "set_payloads", "delete", "checkpoint", "mark_runs", "create", "activate", "save")
CALLS += ("embed_documents",)


Points = dict[str, tuple[dict[str, Any], Any, SparseVector]]
"""Payload without stamps, and both vectors, by id."""


class Life:
    """Counts the outside calls of one process, which dies at the n-th: half of that is done, none later."""

    def __init__(self, left: int | None = None) -> None:
        self.left = left

    def spend(self) -> bool:
        """Return whether the process lives on after this call; raises Crash where it is dead already."""
        if self.left is None:
            return True
        self.left -= 1
        if self.left < 0:
            raise Crash("dead")
        return self.left > 0


class Mortal:
    """Stands before a store, generations, records or an embedder, and lets their writes die with the process."""

    def __init__(self, inner: Any, life: Life) -> None:
        self.inner = inner
        self._life = life

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        if not callable(value):
            return value

        def call(*args: Any, **how: Any) -> Any:
            own = [each.inner if isinstance(each, Mortal) else each for each in args]
            if name in CALLS and not self._life.spend():
                if name in ("upsert", "set_payloads"):
                    value(_half(own[0]))
                elif name == "mark_runs" or name == "activate":
                    value(*own, **how)
                raise Crash(name)
            result = value(*own, **how)
            return Mortal(result, self._life) if name in ("open_active", "create") and result else result

        return call


def _half(items: Any) -> Any:
    kept = list(items)[: len(items) // 2]
    return {key: items[key] for key in kept} if isinstance(items, Mapping) else kept


@dataclass
class Book:
    """One of the books: its pages now, and all that they were before, as in branches of a repository."""

    name: str
    library: Library
    pages: dict[str, str] = field(default_factory=dict)
    before: list[dict[str, str]] = field(default_factory=list)
    states: list[bytes] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)


class History:
    """Two books in the collection of `generations`, which `reopen` opens anew for each process."""

    def __init__(
        self,
        seed: int,
        folder: Path,
        reopen: Callable[[], Any],
        *,
        states: Callable[[Any], StateStore] | None = None,
    ) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self._reopen = reopen
        self._states = states
        self.embedder = FakeEmbedder()
        self.life = Life()
        self.log: list[str] = []
        self.mode: IngestionMode = "incremental"
        self.books = [Book(name, Library(folder / name)) for name in ("one", "two")]
        for book in self.books:
            book.pages = {path: self._page() for path in self.chance.sample(PATHS, 3)}
            self.check(book)

    def step(self) -> None:
        """Do one to three things to a book, maybe die in a run between them, then check it."""
        book = self.chance.choice(self.books)
        self.mode = self.chance.choice(["incremental"] * 6 + ["full", "recreate"])
        for _ in range(self.chance.randint(1, 3)):
            self._happen(book)
            if self.chance.random() < 0.4:
                self._die(book)
                if self.chance.random() < 0.5:
                    self._back(book)
        self.check(book)

    def _happen(self, book: Book) -> None:
        what = self.chance.choice(
            (
                *(self._write, self._write, self._edit, self._insert, self._move, self._swap, self._delete),
                *(self._empty, self._metadata, self._line_ends, self._back, self._setting, self._unreadable),
                *(self._lose_state, self._old_state, self._damage_state, self._lose_points, self._alter_points),
                self._roll_back,
            )
        )
        self.log.append(f"{book.name}: {what.__name__}")
        book.before.append(dict(book.pages))
        what(book)

    def _page(self) -> str:
        words = self.chance.choices(WORDS, k=self.chance.randint(0, 3))
        title = self.chance.choice(["Title", "Title", "Another"])
        return page(title, *(long_text(word, 25) for word in words), hardware_tier=self.chance.randint(1, 4))

    def _some(self, book: Book) -> str:
        return self.chance.choice(sorted(book.pages))

    def _write(self, book: Book) -> None:
        book.pages[self.chance.choice(PATHS)] = self._page()

    def _edit(self, book: Book) -> None:
        path = self._some(book)
        book.pages[path] = book.pages[path].replace("turns slowly", self.chance.choice(["stops", "turns fast"]), 3)

    def _insert(self, book: Book) -> None:
        path = self._some(book)
        head, line, rest = book.pages[path].partition("## Part 1")
        book.pages[path] = f"{head}## New\n\n{long_text(self.chance.choice(WORDS), 30)}\n\n{line}{rest}"

    def _move(self, book: Book) -> None:
        path = self._some(book)
        book.pages[self.chance.choice(PATHS)] = book.pages.pop(path)

    def _swap(self, book: Book) -> None:
        paths = sorted(book.pages)
        texts = [book.pages[path] for path in paths]
        self.chance.shuffle(texts)
        book.pages = dict(zip(paths, texts, strict=True))

    def _delete(self, book: Book) -> None:
        if len(book.pages) > 1:
            del book.pages[self._some(book)]

    def _empty(self, book: Book) -> None:
        book.pages[self._some(book)] = ""

    def _metadata(self, book: Book) -> None:
        path = self._some(book)
        book.pages[path] = book.pages[path].replace("hardware_tier: ", f"layer: L{self.chance.randint(1, 4)}\nx: ")

    def _line_ends(self, book: Book) -> None:
        path = self._some(book)
        book.pages[path] = book.pages[path].replace("\r\n", "\n").replace("\n", self.chance.choice(["\n", "\r\n"]))

    def _back(self, book: Book) -> None:
        if book.before:
            book.pages = dict(self.chance.choice(book.before[-4:]))

    def _setting(self, book: Book) -> None:
        name = self.chance.choice(sorted(SETTINGS))
        book.settings[name] = self.chance.choice(SETTINGS[name])

    def _unreadable(self, book: Book) -> None:
        """A lesson cannot be read for a run: it keeps its points."""
        path = self._some(book)
        self._lay_out(book)
        points = {key: value for key, value in self._points(book).items() if value[0]["source_file"] == path}
        (book.library.docs / path).write_bytes(b"caf\xe9")
        assert [failure.path for failure in self._run(book).failures] == [path]
        after = self._points(book)
        assert {key: value[0]["text"] for key, value in points.items() if key in after} == {
            key: value[0]["text"] for key, value in points.items()
        }, "a lesson that cannot be read lost its points"

    def _lose_state(self, book: Book) -> None:
        self._state_store().forget(book.name) if self._states else book.library.state_path.unlink(missing_ok=True)

    def _old_state(self, book: Book) -> None:
        if book.states and not self._states:
            book.library.state_path.write_bytes(self.chance.choice(book.states))

    def _damage_state(self, book: Book) -> None:
        if not self._states:
            book.library.state_path.write_text(self.chance.choice(["{", '{"format_version": 2, "books": 3}', ""]))

    def _lose_points(self, book: Book) -> None:
        points = sorted(self._points(book))
        if lost := self.chance.sample(points, self.chance.randint(0, len(points))):
            with self._opened(book) as store:
                store.delete(Where((HasId(tuple(lost)), Equals("book_id", book.name))))

    def _alter_points(self, book: Book) -> None:
        """Payloads or vectors are another's; only a run that compares in full can see it."""
        points = self._points(book)
        if points:
            point_id = self.chance.choice(sorted(points))
            with self._opened(book) as store:
                old = store.retrieve([point_id], vectors=True)[point_id]
                changed = dict(old.payload) | {"text": "Altered.", "embed_key": "altered"}
                store.upsert([Point(point_id, old.dense, old.sparse or SparseVector((), ()), changed)])
            self.mode = "full"

    def _roll_back(self, book: Book) -> None:
        generations = self._reopen()
        if hasattr(generations, "rollback") and any(each.role == "former" for each in generations.kept()):
            with generations.writer(0) as lease:
                generations.rollback(lease)

    def _die(self, book: Book) -> None:
        self._lay_out(book)
        self.life = Life(self.chance.randint(1, 14))
        mode = self.mode
        self.log.append(f"{book.name}: dies at call {self.life.left} of {mode}")
        try:
            self._run(book)
        except Crash:
            pass
        finally:
            self.life = Life()

    def _lay_out(self, book: Book) -> None:
        book.library.write(book.pages)

    def _state_store(self) -> StateStore:
        assert self._states
        return self._states(self._reopen())

    def _run(self, book: Book, mode: IngestionMode | None = None, **how: bool) -> IngestReport:
        """One process: everything is opened anew."""
        generations = self._reopen()
        library = book.library
        states = self._states(generations) if self._states else StateFile(library.state_path)
        library.flags = {"index.max_delete": 100, "index.wait": 0, **book.settings}
        library.generations = Mortal(generations, self.life)
        library.states, library.embedder = Mortal(states, self.life), Mortal(self.embedder, self.life)
        return library.run(mode or self.mode, book=book.name, **how)

    @contextmanager
    def _opened(self, book: Book) -> Iterator[Any]:
        generations = self._reopen()
        with generations.writer(0) as lease:
            store = generations.open_active(lease)
            assert store is not None
            with closing(store):
                yield store

    def _points(self, book: Book) -> Points:
        """Points of a book with their vectors, without stamps."""
        store = self._reopen().open_active()
        if store is None:
            return {}
        with closing(store):
            return _points_of(store, book.name)

    def check(self, book: Book) -> None:
        """Plan, run once, and compare all that there is with an index made from nothing."""
        self._lay_out(book)
        [other] = [each for each in self.books if each is not book] if len(self.books) > 1 else [None]
        beside = self._points(other) if other else None
        stored = {payload["embed_key"] for each in self.books for payload, *_ in self._points(each).values()}
        planned = self._run(book, dry_run=True)
        before = len(self.embedder.texts)
        done = self._run(book)
        embedded = self.embedder.texts[before:]
        assert done.failures == []
        assert (planned.changes, planned.moved_from) == (done.changes, done.moved_from), (
            "the plan is not what was done"
        )
        assert planned.chunks == done.chunks, "the plan counted other chunks"
        points, records = self._expected(book)
        assert list(_differences(self._points(book), points)) == [], "not what an index made from nothing has"
        assert self._records(book) == records, "records differ"
        wanted = {payload["embed_key"] for payload, *_ in points.values()}
        assert len(embedded) <= len(wanted - stored), "a text was embedded that had a vector"
        assert other is None or not [*_differences(self._points(other), beside or {})], "the other book changed"
        idle = self._run(book, "incremental")
        assert not idle.pending, f"the second run is not idle: {idle.changes}"
        assert not self._run(book, "full", dry_run=True).pending, "verify finds differences"
        if not self._states:
            book.states.append(book.library.state_path.read_bytes())

    def _expected(self, book: Book) -> tuple[Any, Any]:
        expected = Library(self.folder / "expected", flags=dict(book.library.flags))
        expected.write(book.pages)
        expected.run(book=book.name)
        store = expected.generations.open_active()
        points = _points_of(store, book.name) if store else {}
        records = _records_of(StateFile(expected.state_path), book.name)
        shutil.rmtree(expected.folder)
        return points, records

    def _records(self, book: Book) -> Any:
        return _records_of(
            self._states(self._reopen()) if self._states else StateFile(book.library.state_path), book.name
        )


def _points_of(store: Any, book: str) -> Points:
    return {
        point.id: (
            {name: value for name, value in point.payload.items() if name not in STAMPS},
            point.dense,
            point.sparse or SparseVector((), ()),
        )
        for point in store.scroll(Where((Equals("book_id", book),)), vectors=True)
    }


def _differences(points: Points, expected: Points) -> Iterator[str]:
    """Yield where points differ; engines keep numbers of 32 bits and make vectors of unit length themselves."""
    yield from (f"{point_id} is missing" for point_id in expected.keys() - points.keys())
    yield from (f"{points[point_id][0]} is too much" for point_id in points.keys() - expected.keys())
    for point_id in points.keys() & expected.keys():
        (payload, dense, sparse), (wanted, wanted_dense, wanted_sparse) = points[point_id], expected[point_id]
        if names := {name for name in payload | wanted if payload.get(name) != wanted.get(name)}:
            yield f"{wanted['source_file']} {point_id}: payload differs in {names}"
        if not np.allclose(dense, wanted_dense, atol=1e-5):
            yield f"{wanted['source_file']} {point_id}: another vector"
        if sparse.indices != wanted_sparse.indices or not np.allclose(sparse.values, wanted_sparse.values, atol=1e-3):
            yield f"{wanted['source_file']} {point_id}: other words"


def _records_of(states: StateStore, book: str) -> Any:
    state = states.load(book, "bookwise")
    assert not state.in_doubt
    return {path: asdict(replace(record, ingested_at="")) for path, record in state.records.items()}

"""Stages on a cluster end in the index of a run on one machine, whatever dies on the way."""

from __future__ import annotations

import pickle
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import BudgetExceeded, ClusterError, ConfigurationError
from ingestion.sync.distributed import pool
from ingestion.sync.distributed.worker import EmbedSetup
from ingestion.sync.pipeline import ingest
from tests.support.books import BOOK, Library, page
from tests.support.clusters import ThreadConnection, cluster_of, embedder_from
from tests.support.fakes import FakeEmbedder

PAGES = {
    **{
        f"part-{number % 4}/page-{number:02}.md": page(
            f"Page {number}", f"The part {number} turns.", f"And {number}."
        )
        for number in range(40)
    },
    "broken.md": "---\ntitle: [\n---\n\n# Broken\n",
    "including.md": page("Including", "Before.", '--8<-- "shared.txt"'),
}


@pytest.fixture(autouse=True)
def copied_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.sync.distributed.worker.build_embedder", embedder_from)


@pytest.fixture
def alone(tmp_path: Path) -> Library:
    """The book, indexed on one machine."""
    library = Library(tmp_path / "alone")
    write(library)
    library.run()
    return library


@pytest.fixture
def spread(tmp_path: Path) -> Library:
    """The book before it is indexed."""
    library = Library(tmp_path / "spread")
    write(library)
    return library


def write(library: Library) -> None:
    library.write(PAGES)
    (library.docs / "shared.txt").write_text("Text that two pages share.", encoding="utf-8")


def run(library: Library, connection: ThreadConnection, **flags: Any) -> Any:
    """One run over the library with a cluster."""
    library.flags |= flags
    cluster = cluster_of(connection, FakeEmbedder(limits=library.embedder.limits))
    with closing(replace(library.parts(), cluster=cluster)) as parts:
        return ingest(parts, library.docs, book_id=BOOK)


def vectors_of(library: Library) -> dict[str, list[float]]:
    return {name: list(point.dense) for name, point in library.generations.points.items()}


def test_points_equal_those_of_one_machine(alone: Library, spread: Library) -> None:
    connection = ThreadConnection()
    report = run(spread, connection)
    assert spread.contents() == alone.contents()
    assert vectors_of(spread) == vectors_of(alone)
    assert "Text that two pages share." in spread.texts_of("including.md")
    assert [failure.path for failure in report.failures] == ["broken.md"]
    assert {method for method, _ in connection.sent} == {"versions", "chunk", "embed"}
    assert spread.embedder.calls == 0


def test_what_a_worker_died_on_is_done_by_another(alone: Library, spread: Library) -> None:
    def first_of_each(method: str, _: Any) -> bool:
        return method != "versions" and not died.get(method) and died.setdefault(method, True)

    died: dict[str, bool] = {}
    connection = ThreadConnection(dies_on=first_of_each)
    report = run(spread, connection)
    assert connection.deaths == 2
    assert spread.contents() == alone.contents()
    assert [failure.path for failure in report.failures] == ["broken.md"]


@pytest.mark.parametrize("method", ["chunk", "embed"])
def test_a_lesson_that_kills_workers_fails_alone(alone: Library, spread: Library, method: str) -> None:
    connection = ThreadConnection(dies_on=lambda called, args: called == method and "The part 7 turns" in str(args))
    failures = {failure.path: failure.reason for failure in run(spread, connection).failures}
    assert sorted(failures) == ["broken.md", "part-3/page-07.md"]
    assert "3 workers of the Ray cluster died on it" in failures["part-3/page-07.md"]
    others = {name: payload for name, payload in alone.contents().items() if "page-07" not in payload["source_file"]}
    assert spread.contents() == others


def test_a_cluster_of_which_every_worker_dies_ends_the_run(spread: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MAX_LOSSES", 5)
    with pytest.raises(ClusterError, match="keep dying"):
        run(spread, ThreadConnection(dies_on=lambda method, _: method == "embed"))


def test_chunking_workers_get_no_secret(spread: Library) -> None:
    connection = ThreadConnection()
    run(spread, connection, **{"openai.api_key": "sk-secret", "qdrant.api_key": "qd-secret"})
    assert [method for method, message in connection.sent if b"secret" in message] == []


def test_a_key_travels_with_calls_to_embed_and_never_shows() -> None:
    setup = EmbedSetup({"api_key": "sk-secret"}, "model/1")
    assert "secret" not in repr(setup)
    assert pickle.loads(pickle.dumps(setup)) == setup


def test_a_run_with_nothing_to_do_connects_to_nothing(alone: Library) -> None:
    connection = ThreadConnection()
    run(alone, connection)
    assert (connection.opened, connection.closed) == (0, 1)


def test_a_budget_is_held_before_anything_is_embedded(spread: Library) -> None:
    connection = ThreadConnection()
    with pytest.raises(BudgetExceeded):
        run(spread, connection, **{"embedding.max_tokens": 1})
    assert "embed" not in {method for method, _ in connection.sent}


def test_workers_with_another_model_or_code_are_refused(spread: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("ingestion.sync.distributed.worker.LessonWorker.versions", lambda _: {"bookwise": "0.0.1"})
        with pytest.raises(ConfigurationError, match="a different version"):
            run(spread, ThreadConnection())
    monkeypatch.setattr("ingestion.sync.distributed.worker.build_embedder", lambda **_: FakeEmbedder("other/1"))
    with pytest.raises(ConfigurationError, match="would embed with other/1"):
        run(spread, ThreadConnection())
    assert spread.contents() == {}

"""A plan tells exactly what the run then does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import ConfigurationError
from ingestion.report import IngestReport
from tests.support.books import Library, long_text, page

FOLDER = "module-1-ros2/chapter-1-a"
PATHS = [f"{FOLDER}/{name}.md" for name in ("01-a", "01-b", "02-c", "notes")]
TEXTS = [page(word, long_text(word, 12), long_text(f"{word} two", 12)) for word in ("alpha", "beta", "gamma")]
BOOKS = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(TEXTS), min_size=1)


def told(report: IngestReport) -> tuple[object, ...]:
    return report.files, report.changes, report.moved_from, report.chunks, report.findings


@given(BOOKS, BOOKS)
def test_the_plan_counts_what_the_run_then_does(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, str], after: dict[str, str]
) -> None:
    library = Library(tmp_path_factory.mktemp("plan"), flags={"index.max_delete": 100})
    library.write(before)
    library.run()
    library.write(after)
    plan = library.run(dry_run=True)
    assert told(plan) == told(library.run())


def test_a_file_that_moves_within_its_place_deletes_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.write({PATHS[0]: TEXTS[0], PATHS[2]: TEXTS[1]})
    library.run()
    library.write({PATHS[1]: TEXTS[0], PATHS[2]: TEXTS[1]})
    for dry_run in (True, False):
        report = library.run(dry_run=dry_run)
        assert report.moved_from == {PATHS[1]: PATHS[0]} and report.chunks.deleted == 0


def test_a_plan_without_records_still_counts_the_points_of_deleted_files(tmp_path: Path) -> None:
    library = Library(tmp_path, flags={"index.max_delete": 100})
    library.write({PATHS[0]: TEXTS[0], PATHS[2]: TEXTS[1]})
    library.run()
    library.state_path.unlink()
    library.write({PATHS[2]: TEXTS[1]})
    plan = library.run(dry_run=True)
    assert plan.chunks.deleted > 0 and plan.chunks == library.run().chunks


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_error_of_ours_that_is_no_lessons_ends_the_run_as_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    library = Library(tmp_path)
    library.write({PATHS[0]: TEXTS[0]})

    def chunk(*_: object, **__: object) -> None:
        raise ConfigurationError("the tokenizer has no ranks; run X")

    monkeypatch.setattr("ingestion.sync.chunked_files.chunk_lesson", chunk)
    with pytest.raises(ConfigurationError, match="no ranks; run X"):
        library.run(dry_run=dry_run)


@pytest.mark.parametrize("limit", [None, 10**6])
def test_a_bug_in_chunking_fails_its_lesson_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int | None
) -> None:
    library = Library(tmp_path, flags={"embedding.max_tokens": limit} if limit else {})
    library.write({PATHS[0]: TEXTS[0], PATHS[2]: TEXTS[1]})
    monkeypatch.setattr("ingestion.sync.chunked_files.chunk_lesson", failing_for(PATHS[2]))
    report = library.run()
    assert [(failure.path, "please report this" in failure.reason) for failure in report.failures] == [
        (PATHS[2], True)
    ]
    assert report.changes == {PATHS[0]: "new"}


def failing_for(path: str) -> object:
    from ingestion.chunking.chunks import chunk_lesson

    def chunk(lesson: object, *arguments: object, **options: object) -> object:
        if lesson.path == path:  # type: ignore[attr-defined]
            raise IndexError("off by one")
        return chunk_lesson(lesson, *arguments, **options)  # type: ignore[arg-type]

    return chunk


def test_a_run_with_a_budget_chunks_each_lesson_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingestion.chunking.chunks import chunk_lesson

    library = Library(tmp_path, flags={"embedding.max_tokens": 10**6})
    library.write(dict(zip(PATHS, [*TEXTS, TEXTS[0]], strict=True)))
    chunked: list[str] = []

    def count(lesson: object, *arguments: object, **options: object) -> object:
        chunked.append(lesson.path)  # type: ignore[attr-defined]
        return chunk_lesson(lesson, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("ingestion.sync.chunked_files.chunk_lesson", count)
    monkeypatch.setattr("ingestion.sync.spool.MEMORY_BYTES", 1)
    report = library.run()
    assert sorted(chunked) == sorted(PATHS) and report.chunks.written == len(library.contents())

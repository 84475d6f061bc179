"""Question files: their format, and which page of the index a question means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import UsageError
from rag.evaluation.questions import EvalQuestion, folder_of, is_right_page, load_questions

LINE = {"id": "q1", "question": "Why?", "answerable": True, "source_file": "book/docs/m/a.md", "section": "Part"}


def write(path: Path, *lines: Any) -> Path:
    path.write_text(
        "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), encoding="utf-8"
    )
    return path


def question(**changes: Any) -> EvalQuestion:
    values: dict[str, Any] = {
        "id": "q1", "text": "Why?", "language": "en", "book": None, "pages": ("book/docs/m/a.md",), "section": None,
        "answerable": True, "expected": (), "tier": 4,
    }  # fmt: skip
    return EvalQuestion(**(values | changes))


def test_a_line_is_a_question_with_defaults_for_what_it_leaves_out(tmp_path: Path) -> None:
    [read] = load_questions(write(tmp_path / "q.jsonl", LINE, ""))
    assert read == question(section="Part")


def test_all_keys_are_read(tmp_path: Path) -> None:
    more = {"lang": "ur", "corpus": "book", "answer_contains": ["a|b"], "also_ok": ["book/docs/m/b.md"], "tier": 2}
    [read] = load_questions(write(tmp_path / "q.jsonl", LINE | more))
    assert (read.language, read.book, read.expected, read.tier) == ("ur", "book", ("a|b",), 2)
    assert read.pages == ("book/docs/m/a.md", "book/docs/m/b.md")


def test_a_key_that_nothing_reads_is_named_with_its_line_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path / "q.jsonl", LINE, "", LINE | {"answer_contain": ["x"], "note": "checked"})
    assert len(load_questions(path)) == 2
    [said] = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"{path}:3: unknown key answer_contain, note is ignored; known keys are also_ok")


@pytest.mark.parametrize("bad", ["{", "[]", '{"question": "Why?"}', '{"question": "Why?", "answerable": true}'])
def test_a_line_that_is_no_question_is_named(tmp_path: Path, bad: str) -> None:
    with pytest.raises(UsageError, match=r"q\.jsonl:2"):
        load_questions(write(tmp_path / "q.jsonl", LINE, bad))


def test_a_missing_or_empty_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_questions(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="contains no questions"):
        load_questions(write(tmp_path / "empty.jsonl", ""))


def test_the_folder_before_the_indexed_paths_is_found_out() -> None:
    paths = ["README.md", "m/a.md", "m/b.md"]
    questions = [question(), question(pages=("book/docs/m/b.md",)), question(pages=("book/docs/m/x/README.md",))]
    folder = folder_of(questions, paths)
    assert folder == "book/docs/"
    assert is_right_page(questions[0], "m/a.md", folder) and not is_right_page(questions[0], "m/b.md", folder)
    assert not is_right_page(questions[2], "README.md", folder)


def test_a_folder_is_right_for_every_page_in_it() -> None:
    folder = folder_of([question(pages=("book/docs/m/",))], ["m/a.md", "n/b.md"])
    assert is_right_page(question(pages=("book/docs/m/",)), "m/a.md", folder)
    assert not is_right_page(question(pages=("book/docs/m/",)), "n/b.md", folder)


def test_questions_about_pages_that_are_not_indexed_are_an_error() -> None:
    with pytest.raises(UsageError, match="none of the pages"):
        folder_of([question()], ["other/z.md"])

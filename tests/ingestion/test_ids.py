"""Ids are exactly the specification's formula, spelled out here a second time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import uuid
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.ids import LessonKey, sha256
from ingestion.source.crawler import crawl
from ingestion.source.hierarchy import locate
from tests.support.paths import ROOT

NAMESPACE = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
HASH = hashlib.sha256(b"Some text of a chunk.").hexdigest()
KEY = LessonKey(book_id="physical-ai-robotics", module="ros2", chapter=2, lesson=3)
SHARED = LessonKey(book_id="physical-ai-robotics", module="ros2", chapter=2, lesson=3, source_file="a/b.md")


def spec_id(name: str) -> str:
    return str(uuid.uuid5(NAMESPACE, name))


def test_a_chunk_id_is_the_formula_of_the_specification() -> None:
    assert KEY.chunk_id(HASH) == spec_id(f"physical-ai-robotics:ros2:2:3:{HASH[:16]}")


def test_a_parent_id_is_the_formula_of_the_specification() -> None:
    assert KEY.parent_doc_id() == spec_id("physical-ai-robotics:ros2:2:3:parent")


def test_ids_never_change_between_versions() -> None:
    """Written down once: another value would orphan every index that exists."""
    assert KEY.parent_doc_id() == "5abe8494-40cf-570b-9ebd-9245691dc220"
    assert KEY.chunk_id(HASH) == "f2683584-9b9a-551a-a163-31b8077fea04"


def test_the_nth_repeat_of_a_text_in_one_lesson_appends_its_number() -> None:
    assert KEY.chunk_id(HASH, 1) == KEY.chunk_id(HASH)
    assert KEY.chunk_id(HASH, 3) == spec_id(f"physical-ai-robotics:ros2:2:3:{HASH[:16]}:3")


def test_a_file_that_shares_its_place_appends_its_path() -> None:
    assert SHARED.chunk_id(HASH) == spec_id(f"physical-ai-robotics:ros2:2:3:{HASH[:16]}:a/b.md")
    assert SHARED.chunk_id(HASH, 2) == spec_id(f"physical-ai-robotics:ros2:2:3:{HASH[:16]}:2:a/b.md")
    assert SHARED.parent_doc_id() == spec_id("physical-ai-robotics:ros2:2:3:parent:a/b.md")


def test_the_content_hash_is_that_of_the_text_in_utf8() -> None:
    assert sha256("سبق 😀") == hashlib.sha256("سبق 😀".encode()).hexdigest()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ros2", "vla"]),
            st.none() | st.integers(0, 20),
            st.none() | st.integers(0, 15),
            st.sampled_from([None, "a.md", "b.md"]),
            st.sampled_from([sha256("one"), sha256("two")]),
            st.integers(1, 3),
        ),
        unique=True,
    )
)
def test_no_two_chunks_share_an_id(
    chunks: list[tuple[str, int | None, int | None, str | None, str, int]],
) -> None:
    ids = {
        LessonKey(book_id="b", module=module, chapter=chapter, lesson=lesson, source_file=owner).chunk_id(
            text, repeat
        )
        for module, chapter, lesson, owner, text, repeat in chunks
    }
    assert len(ids) == len(chunks)
    assert all(str(uuid.UUID(each)) == each for each in ids)


ODD_NAMES = """
import sys
from pathlib import Path
from ingestion.source.crawler import crawl
from ingestion.source.hierarchy import locate
from ingestion.ids import LessonKey, sha256
for file in crawl(Path(sys.argv[1])).files:
    place = locate(file.path)
    names = {"module": place.module, "chapter": place.chapter, "lesson": place.lesson}
    key = LessonKey(book_id="b", source_file=file.path, **names)
    print(key.chunk_id(sha256("text")), key.parent_doc_id())
"""


@pytest.mark.parametrize("seed", ["0", "12345"])
def test_odd_names_have_the_same_valid_ids_in_every_process_and_folder(
    cases: Path, tmp_path: Path, seed: str
) -> None:
    """Case C24."""
    docs = tmp_path / "elsewhere"
    for file in crawl(cases / "c24/docs").files:
        copy = docs / file.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.location.read_bytes())
    printed = subprocess.run(
        [sys.executable, "-c", ODD_NAMES, str(docs)],
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    here = []
    for file in crawl(cases / "c24/docs").files:
        place = locate(file.path)
        name = f"b:{place.module}:{place.chapter}:{place.lesson}"
        text = hashlib.sha256(b"text").hexdigest()[:16]
        here += [spec_id(f"{name}:{text}:{file.path}"), spec_id(f"{name}:parent:{file.path}")]
    assert printed == here
    assert all(first != second for first, second in pairwise(sorted(here)))

"""Chunks, their metadata and payloads: every invariant."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.models import METADATA_FIELDS, DocumentChunk, IngestionJob, QdrantPayload
from rag.models import SearchQuery
from rag.retrieval.search import where_of
from tests.support.chunks import chunk, lesson_chunks, metadata
from tests.support.fakes import matches


def texts(count: int, word: str = "text") -> list[str]:
    return [f"This is {word} number {number}." for number in range(count)]


SPEC_LESSONS = {
    "A": lesson_chunks(texts(5, "A"), lesson=1),
    "B": lesson_chunks(texts(3, "B"), lesson=2),
    "C": lesson_chunks(texts(1, "C"), lesson=3),
}
"""The specification's own instance: lessons of 5, 3 and 1 chunks."""


def check_lesson(chunks: Sequence[DocumentChunk]) -> None:
    """Chain, coverage, cycles and order of one lesson's chunks."""
    by_id = {each.id: each for each in chunks}
    assert len(by_id) == len(chunks)
    assert len({each.metadata.parent_doc_id for each in chunks}) == 1
    assert [each.metadata.chunk_index for each in chunks] == list(range(len(chunks)))
    assert {each.metadata.total_chunks for each in chunks} == {len(chunks)}
    forward, current = [], chunks[0]
    while current.id not in forward:
        forward.append(current.id)
        following = current.metadata.next_chunk_id
        if following is None:
            break
        assert by_id[following].metadata.prev_chunk_id == current.id
        current = by_id[following]
    else:
        pytest.fail("a chunk is reachable from itself")
    assert forward == [each.id for each in chunks]


@pytest.mark.parametrize("name", SPEC_LESSONS)
def test_the_specs_lessons_are_chains_without_cycles(name: str) -> None:
    check_lesson(SPEC_LESSONS[name])


def test_the_specs_nine_chunks_are_covered_and_grouped_by_parent() -> None:
    chunks = [each for lesson in SPEC_LESSONS.values() for each in lesson]
    assert len(chunks) == len({each.id for each in chunks}) == 9
    parents = {each.metadata.parent_doc_id: [] for each in chunks}  # type: dict[str, list[DocumentChunk]]
    for each in chunks:
        parents[each.metadata.parent_doc_id].append(each)
    assert [len(group) for group in parents.values()] == [5, 3, 1]
    assert list(parents.values()) == list(SPEC_LESSONS.values())


def test_the_specs_tier_filter_keeps_what_a_reader_can_run() -> None:
    query = SearchQuery(text="any question", book_id="b", hardware_tier_filter=2)
    chunks = lesson_chunks(texts(5), tiers=(1, 1, 2, 3, 1))
    payloads = [
        each.payload()
        for each in chunks
        if matches(each.id, each.payload(), where_of(query.book_id, query.filters, ()))
    ]
    assert [payload["hardware_tier"] for payload in payloads] == [1, 1, 2, 1]


@given(
    st.lists(st.sampled_from(["Same text here.", "Other text here.", "Third text here."]), min_size=1, max_size=12)
)
def test_any_lesson_is_a_chain_also_with_equal_texts(contents: list[str]) -> None:
    check_lesson(lesson_chunks(contents))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_lessons_never_share_a_chunk_or_a_parent(sizes: list[int]) -> None:
    lessons = [lesson_chunks(texts(size), lesson=number) for number, size in enumerate(sizes)]
    ids = [each.id for lesson in lessons for each in lesson]
    parents = {each.metadata.parent_doc_id for lesson in lessons for each in lesson}
    assert len(set(ids)) == sum(sizes)
    assert len(parents) == len(sizes)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("book_id", ""),
        ("module", ""),
        ("hardware_tier", 0),
        ("hardware_tier", 5),
        ("proficiency_level", "A3"),
        ("layer", "L5"),
        ("doc_type", "poem"),
        ("chunk_index", 1),
        ("chunk_index", -1),
        ("total_chunks", 0),
        ("prev_chunk_id", "x"),
        ("next_chunk_id", "x"),
        ("total_chunks", 2),
        ("line_start", 0),
        ("line_start", 3),
        ("parent_doc_id", "no id"),
        ("content_hash", "c" * 63),
        ("source_file", " "),
        ("source_file", "/etc/passwd"),
        ("version", 0),
    ],
)
def test_metadata_that_breaks_an_invariant_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"^\w+ = .*: "):
        metadata(**{field: value})


def test_a_chunk_in_the_middle_needs_both_links() -> None:
    metadata(chunk_index=1, total_chunks=3, prev_chunk_id="a", next_chunk_id="b")
    for missing in ("prev_chunk_id", "next_chunk_id"):
        links: dict[str, Any] = {"prev_chunk_id": "a", "next_chunk_id": "b"} | {missing: None}
        with pytest.raises(ValueError, match=missing):
            metadata(chunk_index=1, total_chunks=3, **links)


def test_numbers_outside_the_specs_bounds_and_missing_ones_are_kept() -> None:
    """docs/design.md, decision 2."""
    kept = metadata(chapter=51, lesson=None)
    assert (kept.chapter, kept.lesson) == (51, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "not-a-uuid"),
        ("id", "11111111111151118111111111111111"),
        ("text", "too short"),
        ("text", " " * 20),
        ("text", "\nbegins with an empty line"),
        ("word_count", 0),
        ("token_count", 0),
        ("char_count", 0),
    ],
)
def test_a_chunk_that_breaks_an_invariant_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValueError):
        replace(chunk(), **{field: value})


def test_a_payload_holds_every_field_of_the_specification() -> None:
    spec = (
        "book_id module chapter lesson hardware_tier proficiency_level layer parent_doc_id content_hash "
        "source_file_hash text section_title source_file chunk_index total_chunks prev_chunk_id next_chunk_id "
        "word_count token_count version created_at updated_at"
    )
    assert set(spec.split()) <= chunk().payload().keys()


METADATA = st.builds(
    lambda index, after, **values: metadata(
        chunk_index=index,
        total_chunks=index + after + 1,
        prev_chunk_id="p" if index else None,
        next_chunk_id="n" if after else None,
        **values,
    ),
    st.integers(0, 3),
    st.integers(0, 3),
    chapter=st.none() | st.integers(-1, 60),
    section_title=st.none() | st.text(),
    heading_path=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    anchor=st.none() | st.text(max_size=5),
    hardware_tier=st.integers(1, 4),
    layers=st.lists(st.sampled_from(["L1", "L2"]), max_size=2).map(tuple),
    declared=st.lists(st.sampled_from(["layer"]), max_size=1).map(tuple),
    front_matter=st.text(max_size=10),
)


@given(METADATA)
def test_a_payload_comes_back_from_json_as_it_was(values: Any) -> None:
    payload = chunk(metadata=values).payload()
    stored = json.loads(json.dumps(payload))
    assert stored == payload
    read = QdrantPayload.from_dict(stored)
    assert read == QdrantPayload.of(chunk(metadata=values))
    assert read.as_dict() == payload
    assert (read.metadata.created_at, read.metadata.updated_at) == (values.created_at, values.updated_at)


@pytest.mark.parametrize(
    "name", [*METADATA_FIELDS, "text", "word_count", "token_count", "embed_key", "embedding_model", "embedded_at"]
)
def test_a_payload_with_a_missing_field_is_refused(name: str) -> None:
    payload = chunk().payload()
    del payload[name]
    with pytest.raises(KeyError, match=name):
        QdrantPayload.from_dict(payload)


def test_a_payload_that_breaks_an_invariant_is_refused() -> None:
    with pytest.raises(ValueError, match="hardware_tier"):
        QdrantPayload.from_dict(chunk().payload() | {"hardware_tier": 9})


def test_two_chunks_that_differ_only_in_time_are_equal() -> None:
    assert chunk(metadata=metadata(created_at="a", updated_at="b")) == chunk()


@pytest.mark.parametrize("value", [metadata(), chunk(), IngestionJob(job_id=1, book_id="b", mode="full")])
def test_entities_do_not_change_after_they_are_made(value: Any) -> None:
    field = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, "other")

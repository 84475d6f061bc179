"""Reconciling files, records and stored points: pure, complete, and never a deletion by mistake."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.models import IngestionRecord
from ingestion.sync.diff import diff_chunks, refine_change
from ingestion.sync.plan import FileFacts, FilePlan, Plan, make_plan
from tests.support.chunks import NOW, lesson_chunks

PRINT = {"parser": "1", "chunker": "1"}


def facts(path: str, file_hash: str = "h", lesson: int | None = 1) -> FileFacts:
    return FileFacts(path, file_hash, "ros2", 1, lesson)


def record(path: str, file_hash: str = "h", lesson: int | None = 1, **changes: Any) -> IngestionRecord:
    values: dict[str, Any] = {
        "source_file": path,
        "file_hash": file_hash,
        "chunk_ids": ("x", "y"),
        "ingested_at": NOW,
        "book_id": "b",
        "module": "ros2",
        "chapter": 1,
        "lesson": lesson,
        "shares_lesson": lesson is None,
        "fingerprint": PRINT,
    }
    return IngestionRecord(**values | changes)


def plan(present: list[FileFacts], *records: IngestionRecord, **options: Any) -> Plan:
    known = {each.source_file: each for each in records}
    return make_plan(present, known, **{"book_id": "b", "fingerprint": PRINT} | options)


def changes(made: Plan) -> dict[str, str]:
    return {each.facts.path: each.change for each in made.files}


def only(made: Plan) -> FilePlan:
    (file,) = made.files
    return file


def test_nothing_changed_is_nothing_to_do() -> None:
    made = plan([facts("a.md")], record("a.md"))
    assert made == Plan((), (), ("a.md",))
    assert not made.pending


def test_a_file_without_a_record_is_new() -> None:
    file = only(plan([facts("a.md")]))
    assert (file.change, file.moved_from) == ("new", None)
    assert (file.key.book_id, file.key.module, file.key.chapter, file.key.lesson) == ("b", "ros2", 1, 1)


def test_another_hash_is_a_modified_file() -> None:
    assert changes(plan([facts("a.md", "new")], record("a.md"))) == {"a.md": "modified"}


def test_another_fingerprint_makes_a_file_outdated() -> None:
    made = plan([facts("a.md")], record("a.md", fingerprint=PRINT | {"chunker": "0"}))
    assert changes(made) == {"a.md": "outdated"}


def test_a_recorded_file_that_is_gone_is_deleted() -> None:
    made = plan([facts("a.md")], record("a.md"), record("b.md"), record("c.md"))
    assert made == Plan((), ("b.md", "c.md"), ("a.md",))
    assert made.pending


def test_a_file_that_cannot_be_read_is_neither_looked_at_nor_deleted() -> None:
    made = plan(
        [facts("a.md", lesson=2)], record("a.md", lesson=2), record("bad.md"), failed=["bad.md", "new-bad.md"]
    )
    assert made == Plan((), (), ("a.md",))


def test_a_file_that_cannot_be_read_keeps_its_place() -> None:
    """Else another lesson would take over its ids and lose them again at the next run."""
    made = plan([facts("b.md")], record("a.md"), record("b.md", shares_lesson=True), failed=["a.md"])
    assert made == Plan((), (), ("b.md",))


def test_a_new_file_with_the_content_of_a_deleted_one_has_moved() -> None:
    made = plan([facts("new/a.md", lesson=4)], record("old/a.md"))
    assert (only(made).change, only(made).moved_from) == ("moved", "old/a.md")
    assert made.deleted == ("old/a.md",)


def test_a_copy_of_a_present_file_has_not_moved() -> None:
    made = plan([facts("a.md"), facts("copy.md", lesson=2)], record("a.md"))
    assert changes(made) == {"copy.md": "new"}


def test_of_several_deleted_files_with_the_content_the_first_is_named() -> None:
    made = plan([facts("z.md")], record("b.md"), record("a.md"))
    assert only(made).moved_from == "a.md"


def test_points_without_a_record_are_unrecorded_or_deleted() -> None:
    made = plan([facts("a.md")], stored={"a.md": 2, "gone.md": 3})
    assert changes(made) == {"a.md": "unrecorded"}
    assert made.deleted == ("gone.md",)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_file_with_another_number_of_points_is_damaged(count: int) -> None:
    stored = {"a.md": count} if count else {}
    assert changes(plan([facts("a.md")], record("a.md"), stored=stored)) == {"a.md": "damaged"}


def test_a_file_whose_points_are_all_there_is_unchanged() -> None:
    assert plan([facts("a.md")], record("a.md"), stored={"a.md": 2}).unchanged == ("a.md",)


def test_an_empty_lesson_without_points_is_unchanged() -> None:
    assert plan([facts("a.md")], record("a.md", chunk_ids=()), stored={}).unchanged == ("a.md",)


def test_everything_looks_at_every_file_and_still_says_what_changed() -> None:
    made = plan([facts("a.md"), facts("b.md", "new", 2)], record("a.md"), record("b.md", lesson=2), everything=True)
    assert changes(made) == {"a.md": "unchanged", "b.md": "modified"}
    assert made.unchanged == ()


def test_files_that_share_a_place_all_carry_their_paths() -> None:
    made = plan([facts("b.md"), facts("a.md"), facts("c.md"), facts("d.md", lesson=2)])
    assert [each.key.source_file for each in made.files] == ["a.md", "b.md", "c.md", None]


def test_a_file_that_fails_keeps_its_claim_on_its_place() -> None:
    made = plan([facts("a.md")], record("b.md"), failed=["b.md"])
    assert only(made).key.source_file == "a.md"


def test_a_page_without_a_complete_place_always_carries_its_path() -> None:
    assert only(plan([facts("a.md", lesson=None)])).key.source_file == "a.md"


def test_a_file_that_claims_a_taken_place_takes_no_ids_over_and_renumbers_the_other() -> None:
    old = only(plan([facts("b.md")])).key
    made = plan([facts("a.md", "other"), facts("b.md")], record("b.md"))
    assert changes(made) == {"a.md": "new", "b.md": "renumbered"}
    assert [each.key.source_file for each in made.files] == ["a.md", "b.md"]
    assert old.parent_doc_id() not in {each.key.parent_doc_id() for each in made.files}, "a kept link breaks"


def test_a_file_whose_included_file_changed_is_modified() -> None:
    changed = dataclasses.replace(facts("a.md"), others_changed=True)
    assert changes(plan([changed], record("a.md"))) == {"a.md": "modified"}


def test_a_file_that_is_left_alone_with_its_place_is_renumbered() -> None:
    made = plan([facts("b.md")], record("a.md", "other"), record("b.md", shares_lesson=True))
    assert changes(made) == {"b.md": "renumbered"}
    assert only(made).key.source_file is None


PATHS = st.sampled_from(["a.md", "b.md", "c.md", "d.md", "e.md"])
PRESENT = st.dictionaries(PATHS, st.tuples(st.sampled_from("12"), st.none() | st.integers(1, 2)))
RECORDED = st.dictionaries(PATHS, st.tuples(st.sampled_from("12"), st.integers(1, 2), st.booleans(), st.booleans()))


@given(PRESENT, RECORDED, st.sets(PATHS), st.none() | st.dictionaries(PATHS, st.integers(1, 3)), st.booleans())
def test_each_path_is_in_exactly_one_part(
    present: dict[str, tuple[str, int | None]],
    recorded: dict[str, tuple[str, int, bool, bool]],
    failed: set[str],
    stored: dict[str, int] | None,
    everything: bool,
) -> None:
    failed -= present.keys()
    known = [
        record(path, file_hash, lesson, shares_lesson=shares, fingerprint=PRINT if current else {})
        for path, (file_hash, lesson, shares, current) in recorded.items()
    ]
    files = [facts(path, *each) for path, each in present.items()]
    made = plan(files, *known, failed=failed, stored=stored, everything=everything)
    parts = [[each.facts.path for each in made.files], list(made.deleted), list(made.unchanged)]
    assert [sorted(part) for part in parts] == parts
    everywhere = [path for part in parts for path in part]
    assert len(everywhere) == len(set(everywhere))
    assert set(everywhere) == (present.keys() | recorded.keys() | set(stored or {})) - failed
    assert set(parts[0]) | set(parts[2]) == present.keys()
    assert made == plan(files[::-1], *known[::-1], failed=failed, stored=stored, everything=everything)
    _check_identities(made)


def _check_identities(made: Plan) -> None:
    keys = [each.key for each in made.files]
    assert len({key.parent_doc_id() for key in keys}) == len(keys)
    assert all(key.source_file for key in keys if key.lesson is None)


@given(PRESENT)
def test_a_plan_that_was_carried_out_leaves_nothing_to_do(present: dict[str, tuple[str, int | None]]) -> None:
    files = [facts(path, *each) for path, each in present.items()]
    done = [
        record(
            each.facts.path,
            each.facts.file_hash,
            each.facts.lesson,
            shares_lesson=each.key.source_file is not None,
        )
        for each in plan(files).files
    ]
    assert not plan(files, *done, stored={each.source_file: 2 for each in done}).pending


TEXTS = [f"Paragraph number {number}." for number in range(6)]


def stored_of(texts: list[str], **changes: Any) -> dict[str, Mapping[str, Any]]:
    return {each.id: each.payload() | changes for each in lesson_chunks(texts)}


def test_equal_chunks_are_kept_whatever_the_time() -> None:
    wanted = lesson_chunks(TEXTS)
    made = diff_chunks(
        wanted,
        stored_of(TEXTS, created_at="long ago", embedded_at="then", embedding_model="m/1"),
    )
    assert (made.keep, made.pending) == (tuple(wanted), False)


def test_a_first_run_writes_every_chunk() -> None:
    wanted = lesson_chunks(TEXTS)
    made = diff_chunks(wanted, {})
    assert (made.write, made.keep, made.patch, made.stale) == (tuple(wanted), (), (), ())


def test_a_chunk_whose_payload_differs_is_patched_and_not_embedded() -> None:
    made = diff_chunks(lesson_chunks(TEXTS, hardware_tier=3), stored_of(TEXTS))
    assert (len(made.patch), made.write, made.stale, made.keep) == (6, (), (), ())


def test_a_chunk_whose_embedded_text_differs_is_written_under_its_id() -> None:
    made = diff_chunks(lesson_chunks(TEXTS), stored_of(TEXTS, embed_key="another breadcrumb"))
    assert (len(made.write), made.patch, made.stale) == (6, (), ())


def test_an_inserted_paragraph_writes_only_itself_and_patches_the_rest() -> None:
    wanted = lesson_chunks([TEXTS[0], "A new paragraph here.", *TEXTS[1:]])
    made = diff_chunks(wanted, stored_of(TEXTS))
    assert [each.text for each in made.write] == ["A new paragraph here."]
    assert (len(made.patch), made.keep, made.stale) == (6, (), ())


def test_what_is_stored_and_no_longer_wanted_is_stale() -> None:
    before = stored_of(TEXTS)
    made = diff_chunks(lesson_chunks(TEXTS[:2]), before)
    assert made.stale == tuple(sorted(each.id for each in lesson_chunks(TEXTS)[2:]))
    assert diff_chunks([], before).stale == tuple(sorted(before))


LESSONS = st.lists(st.sampled_from(TEXTS), max_size=8)


@given(LESSONS, LESSONS)
def test_a_chunk_plan_makes_the_store_hold_exactly_the_wanted_chunks(before: list[str], now: list[str]) -> None:
    stored = stored_of(before)
    wanted = lesson_chunks(now)
    made = diff_chunks(wanted, stored)
    assert sorted(each.id for each in (*made.keep, *made.patch, *made.write)) == sorted(each.id for each in wanted)
    after = dict(stored) | {each.id: each.payload() for each in (*made.patch, *made.write)}
    for point_id in made.stale:
        del after[point_id]
    assert after == {each.id: each.payload() for each in wanted}
    assert not {each.embed_key for each in made.patch} - {each["embed_key"] for each in stored.values()}
    assert not diff_chunks(wanted, after).pending


def test_a_modified_file_with_nothing_to_embed_is_a_change_of_metadata() -> None:
    before = stored_of(TEXTS)
    assert refine_change("modified", diff_chunks(lesson_chunks(TEXTS, layer="L2"), before), before) == "metadata"
    assert refine_change("outdated", diff_chunks(lesson_chunks(TEXTS, layer="L2"), before), before) == "outdated"


def test_a_modified_file_with_other_ids_and_known_texts_is_renumbered() -> None:
    before = stored_of(TEXTS)
    made = diff_chunks(lesson_chunks(TEXTS, lesson=7), before)
    assert (len(made.write), len(made.stale)) == (6, 6)
    assert refine_change("modified", made, before) == "renumbered"


def test_a_modified_file_with_new_text_stays_modified() -> None:
    before = stored_of(TEXTS)
    for texts in ([*TEXTS, "Something quite new."], TEXTS[:3]):
        assert refine_change("modified", diff_chunks(lesson_chunks(texts), before), before) == "modified"
    assert refine_change("modified", diff_chunks(lesson_chunks(TEXTS), {}), {}) == "modified"


def test_a_plan_does_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan([]).deleted = ("a.md",)  # type: ignore[misc]

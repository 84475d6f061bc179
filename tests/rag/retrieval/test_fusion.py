"""Mixing two ranked lists."""

from hypothesis import given
from hypothesis import strategies as st

from ingestion.vector_stores.types import Hit
from rag.retrieval.fusion import DEPTH, fuse

LISTS = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 1, width=32), max_size=8).map(
    lambda scores: [Hit(*each) for each in sorted(scores.items(), key=lambda each: -each[1])]
)


def test_a_passage_that_both_lists_like_comes_first() -> None:
    dense = [Hit("a", 0.9), Hit("b", 0.8), Hit("c", 0.1)]
    sparse = [Hit("d", 9.0), Hit("b", 8.0), Hit("e", 1.0)]
    assert [hit.id for hit in fuse(dense, sparse, attainable=10.0, weight=0.5)] == ["b", "a", "d", "c", "e"]


def test_scores_are_scaled_by_what_can_be_reached_before_they_are_mixed() -> None:
    mixed = fuse([Hit("a", 0.6), Hit("b", 0.2)], [Hit("b", 30.0), Hit("c", 10.0)], attainable=40.0, weight=0.25)
    assert mixed == [Hit("b", 0.25 * 0.2 + 0.75 * 0.75), Hit("c", 0.75 * 0.25), Hit("a", 0.25 * 0.6)]


def test_a_chance_word_does_not_outweigh_a_near_meaning() -> None:
    mixed = fuse([Hit("near", 0.6), Hit("far", 0.2)], [Hit("far", 2.0), Hit("other", 1.0)], attainable=20.0)
    assert mixed[0].id == "near"


def test_where_all_texts_are_near_each_other_the_words_decide() -> None:
    dense = [Hit(f"near {number:03}", 0.95 - number / 10_000) for number in range(DEPTH)]
    mixed = fuse(dense, [Hit("worded", 5.0), Hit("near 000", 1.0)], attainable=20.0)
    assert mixed[0].id == "worded"


def test_one_list_alone_decides_with_full_weight() -> None:
    hits = [Hit("a", 0.5), Hit("b", 0.25)]
    assert fuse(hits, [], attainable=2.0) == hits
    assert fuse([], hits, attainable=0.5) == [Hit("a", 1.0), Hit("b", 0.5)]
    assert fuse([], [], attainable=0.0) == []


def test_equal_scores_are_ordered_by_id() -> None:
    assert [hit.id for hit in fuse([Hit("b", 1.0), Hit("a", 1.0)], [], attainable=1.0)] == ["a", "b"]


@given(LISTS, LISTS, st.floats(0, 1), st.floats(0, 50))
def test_every_passage_is_in_the_mix_once_with_a_score_from_0_to_1(
    dense: list[Hit], sparse: list[Hit], weight: float, attainable: float
) -> None:
    mixed = fuse(dense, sparse, attainable=attainable, weight=weight)
    assert {hit.id for hit in mixed} == {hit.id for hit in (*dense, *sparse)}
    assert len({hit.id for hit in mixed}) == len(mixed)
    assert all(0 <= hit.score <= 1 + 1e-9 for hit in mixed)
    assert [hit.score for hit in mixed] == sorted((hit.score for hit in mixed), reverse=True)

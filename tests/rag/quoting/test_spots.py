"""Blocks ranked by how near they are to a question, and what that costs."""

from __future__ import annotations

from rag.quoting.spots import MOST_EMBEDDED, Wording, rank_spots
from tests.support.fakes import FakeEmbedder
from tests.support.passages import passage


def test_however_many_blocks_there_are_only_the_likely_ones_are_embedded() -> None:
    embedder = FakeEmbedder()
    many = passage("\n\n".join(f"A block about number {number}." for number in range(60)) + "\n\nThe pump runs.")
    spots = rank_spots("How long does the pump run?", [many], embedder)
    assert len(embedder.texts) == len(spots.ranked) == MOST_EMBEDDED
    assert spots.ranked[0].text == "The pump runs."


def test_the_lead_is_over_the_best_block_of_another_section() -> None:
    titles = {"section_titles": ("Runs", "Rests"), "section_anchors": ("runs", "rests")}
    text = "## Runs\n\nThe pump runs.\n\nThe pump runs fast.\n\n## Rests\n\nWhales swim."
    spots = rank_spots("does the pump run", [passage(text).model_copy(update=titles)], FakeEmbedder())
    best, other = spots.ranked[0], next(spot for spot in spots.ranked if spot.text == "Whales swim.")
    assert spots.lead == best.score - other.score > 0
    assert rank_spots("pump", [passage("The pump runs.")], FakeEmbedder()).lead > 0
    assert rank_spots("pump", [], FakeEmbedder()).lead == 0


def test_a_block_beside_the_found_passage_is_ranked_with_its_blocks() -> None:
    after = passage("The pump runs for five seconds.").model_copy(update={"id": "2", "chunk_index": 1})
    spots = rank_spots("How long does the pump run?", [passage("About tanks.")], FakeEmbedder(), [after])
    assert spots.ranked[0].passage.id == "2" and set(spots.blocks) == {"1", "2"}


def test_what_all_texts_say_tells_none_apart() -> None:
    wording = Wording("Which status code says that there is no content?")
    rest = ["The status code 500 is a code.", "The status code 404 is a code."]
    assert wording.nearest([*rest, "With code 204 the content lacks."]) == 2


def test_of_texts_that_say_nothing_of_a_question_the_first_is_nearest() -> None:
    wording = Wording("How long does the pump run?")
    assert wording.nearest(["Whales swim.", "Owls sleep."]) == 0
    assert wording.nearest(["Whales swim.", "The pump runs."]) == 1
    assert Wording("???").reached("The pump runs.") == 0.0

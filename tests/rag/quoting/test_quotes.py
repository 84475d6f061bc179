"""Quotes and the answer made of them, without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ingestion.settings.api import PAGE_LANGUAGES
from ingestion.settings.loader import load_settings
from rag.filters import NO_FILTERS
from rag.models import Evidence, SearchResponse, SearchResult
from rag.quoting.extractive import REFUSAL, answer_extractively
from rag.quoting.phrases import (
    DISCLAIMER,
    NO_MORE,
    NOTHING_INDEXED,
    NOTHING_WITHIN_FILTERS,
    NOTHING_YET,
    OTHER_LANGUAGE,
    phrase,
)
from rag.quoting.quotes import MAX_CHARS, SHORT_CHARS
from rag.quoting.rendering import rendered_blocks
from rag.views import answer_view, refusal_note
from tests.support.fakes import FakeEmbedder
from tests.support.passages import PASSAGE, excerpt, excerpts, passage, response


class FakeRetriever:
    """Finds what it is told to."""

    def __init__(self, *results: SearchResult, evidence: Evidence | None = None, query: str = "q") -> None:
        self.settings = load_settings({}, environ={})
        self.embedder = FakeEmbedder()
        found = response(*results).model_copy(update={"query": query})
        self._found = found.model_copy(update={"evidence": evidence}) if evidence else found
        self.around: tuple[SearchResult, ...] = ()

    def search(self, text: str, *, limit: int, **query: Any) -> SearchResponse:
        return self._found

    def beside(self, passages: Sequence[SearchResult]) -> tuple[SearchResult, ...]:
        return self.around


def answer(
    *results: SearchResult,
    question: str = "How do late subscribers get the last message?",
    evidence: Evidence | None = None,
) -> Any:
    retriever = FakeRetriever(*results, query=question, evidence=evidence)
    return answer_extractively(question, retriever, NO_FILTERS)  # type: ignore[arg-type]


def test_the_excerpt_is_of_one_section_and_names_the_heading_above_it() -> None:
    made = excerpt("to keep the last message for late subscribers", passage())
    assert made.chosen.section == "Late subscribers" and made.text.startswith("To keep the last message")
    assert "- two" in made.text and "A policy is a setting" not in made.text


def test_a_sentence_that_ends_in_a_colon_is_quoted_with_its_code() -> None:
    made = excerpt("late subscribers last message durability", passage())
    code = made.blocks[0]
    assert code.text.startswith("To keep the last message") and code.text.endswith("```")
    assert (code.section, code.anchor) == ("Late subscribers", "late-subscribers")
    assert PASSAGE.split("\n")[code.line_start - 5 : code.line_end - 4] == code.text.split("\n")


def test_tags_without_text_are_not_quoted() -> None:
    tabs = '<TabItem value="launch file of the robot">\n\n\n</TabItem>\n\n'
    made = excerpt("launch file", passage(f"{tabs}A launch file starts the nodes of a robot.\n"))
    assert made.text == "A launch file starts the nodes of a robot."


def test_the_label_of_a_tab_is_quoted_before_its_text() -> None:
    tab = '<TabItem value="l" label="Launch file for the robot">\n\nIt starts the nodes.\n\n</TabItem>\n'
    assert excerpt("launch file", passage(tab)).text == "Launch file for the robot\n\nIt starts the nodes."


def test_a_short_block_is_quoted_with_its_heading() -> None:
    battery = passage(
        "## Supply voltage\n\n7.4 V.", section_title="Supply voltage", section_titles=("Supply voltage",),
        section_anchors=("supply-voltage",),
    )  # fmt: skip
    services = passage("A list of vision services that see a robot, none of which is small.", rank=2, relevance=0.2)
    made = answer(services, battery, question="what is the supply voltage")
    assert made.answer.startswith("Quality of service › Supply voltage\n\n7.4 V.\n[1]")


@pytest.mark.parametrize(
    "text", ["## Supply voltage", "## Supply voltage\n\nComing soon.", "## Supply voltage\n\n![ ](a.png)"]
)
def test_a_section_without_text_is_named_and_nothing_else_is_quoted_for_it(text: str) -> None:
    titles = {"section_titles": ("Supply voltage",), "section_anchors": ("supply-voltage",)}
    empty = passage(text, section_title="Supply voltage", page_title="Motor board", **titles)
    other = passage("A list of vision services that see a robot.", rank=2, relevance=0.2)
    made = answer(empty, other, question="what is the supply voltage")
    assert made.state == "no_results" and not made.citations and made.metrics.reason == "says_nothing_yet"
    assert made.answer == "The book has a section on this, “Supply voltage”, which says nothing yet."
    assert made.see_also[0].page_title == "Motor board"


def test_an_excerpt_is_bounded_and_cut_at_sentences() -> None:
    long = passage(" ".join(f"Sentence number {number} is about a word." for number in range(200)))
    made = excerpt("word", long)
    assert 300 < len(made.text) <= SHORT_CHARS and made.text.endswith(".") and made.text.startswith("Sentence")


def test_a_section_that_goes_on_in_the_next_passage_is_read_on() -> None:
    first = passage("The pump runs for five seconds.", next_chunk_id="2", section_title="Pump")
    after = passage("Then it rests for a minute.", section_title="Pump").model_copy(update={"id": "2"})
    assert excerpt("how long does the pump run", first, beside=[after]).text.endswith("Then it rests for a minute.")


MARKED = """\
:::tip[Watch out]
The **pump** runs for [five seconds](https://example.org/pump) <Badge text="new" />.
:::

/// note | Water

Keep it _wet_.

///

{{< figure src="pump.png" >}}

> A pump is a **machine**.
"""


def test_a_quote_has_no_markup_directive_shortcode_or_address() -> None:
    text = "\n\n".join(block.text for block in rendered_blocks(passage(MARKED)))
    assert "The pump runs for five seconds" in text and "Keep it wet." in text and "A pump is a machine." in text
    assert not any(mark in text for mark in (":::", "///", "{{", "**", "_wet_", "](", "<Badge", "> A", "https://"))


def test_code_stays_as_it_is_but_not_what_only_includes_a_file() -> None:
    included = "```rust\n{{#include ../pump.rs}}\n```"
    code = f"The pump runs:\n\n```rust,ignore\nlet **x** = a_b_c;\n```\n\n{included}\n\nThe pump rests."
    text = excerpt("the pump runs", passage(code)).text
    assert "```rust\nlet **x** = a_b_c;\n```" in text and "include" not in text and "ignore" not in text


def test_another_section_is_quoted_beside_it_but_never_exercises() -> None:
    late = "## Late subscribers\n\nKeep the last message for late subscribers."
    text = f"{late}\n\n## {{next}}\n\nLate subscribers publish, then join."
    asides = (
        "Exercises",
        "🚀 Challenge",
        "Post-lecture quiz",
        "Review & Self Study",
        "💬 AI Colearning Prompt",
        "Rubric",
    )
    for name, is_told in (("Maps", True), *((aside, False) for aside in asides)):
        titles = {"section_titles": ("Late subscribers", name), "section_anchors": ("late", "next")}
        first, *others = excerpts("late subscribers", passage(text.format(next=name)).model_copy(update=titles))
        assert first.text == "Keep the last message for late subscribers."
        assert [each.text for each in others] == (["Late subscribers publish, then join."] if is_told else [])


def test_a_table_of_contents_and_exercises_count_less() -> None:
    links = passage("- [How the pump runs](pump.md)\n- [How the pump rests](rest.md)\n- [The valve](valve.md)")
    says = passage("The pump runs for five seconds.", rank=2)
    assert "five seconds" in excerpt("how the pump runs", links, says).text
    asks = passage("How long does the pump run?", section_title="Exercises")
    assert "five seconds" in excerpt("how long does the pump run", asks, says).text


def test_a_page_of_exercises_counts_less_whatever_its_sections_are_called() -> None:
    task = passage("Find out how long a pump runs.", source_file="pumps/assignment.md")
    says = passage("The pump runs for five seconds.", rank=2)
    assert "five seconds" in excerpt("how long does the pump run", task, says).text


def test_a_long_list_is_cut_between_its_items() -> None:
    items = [
        f"- Item {number}: The pump waits\n  until the tank is full again, {'and so on ' * 8}."
        for number in range(30)
    ]
    made = excerpt("pump waits tank", passage("\n".join(items)))
    assert made.text.startswith("- Item") and made.text.endswith("and so on .") and len(made.text) <= MAX_CHARS


def test_of_a_long_list_the_item_that_answers_is_shown_below_what_it_stands_under() -> None:
    others = "\n".join(f"- State {number}: the pump says that it waits in state {number}." for number in range(30))
    last = "- Idle: the pump rests.\n  - Code 42 says that no water is in the tank."
    long = passage(f"The pump says its state by codes:\n\n{others}\n{last}")
    made = excerpt("which state says that the pump has no water", long)
    assert made.text.startswith("The pump says its state by codes:\n\n- Idle: the pump rests.\n  - Code 42 says")
    assert "no water" in made.text[slice(*made.marked or (0, 0))]


def test_the_head_of_a_table_that_repeats_the_question_does_not_answer_it() -> None:
    rows = "\n".join(f"| pump{number} | {'rests ' * 6}|" for number in range(30))
    table = passage(f"| Pump state | What the pump state means |\n| --- | --- |\n{rows}\n| halted | stopped |")
    made = excerpt("what does the pump state halted mean", table)
    assert made.text.startswith("| Pump state | What") and made.text.endswith("| halted | stopped |")


def test_an_excerpt_never_ends_in_a_label_of_what_it_leaves_out() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(200))
    long = passage(f"The pump runs for five seconds.\n\nIt then rests.\n\n**Example:**\n\n```python\n{code}\n```")
    assert excerpt("how long does the pump run", long).text.endswith("It then rests.")


def test_what_a_picture_shows_is_quoted_only_where_nothing_else_is() -> None:
    picture = "![A pump beside a tank](pump.png)"
    assert "beside" not in excerpt("pump", passage(f"{picture}\n\nThe pump runs for five seconds.")).text
    assert excerpt("pump", passage(picture)).text.endswith("A pump beside a tank")


def test_a_why_question_is_not_answered_with_a_table() -> None:
    table = passage("| pump | runs |\n| --- | --- |\n| why | stop |")
    says = passage("The pump runs and stops because it gets hot, which is why.", rank=2)
    assert "gets hot" in excerpt("why does the pump stop", table, says).text


def test_where_no_place_is_far_ahead_several_are_quoted_each_under_its_heading_with_its_own_source() -> None:
    other = passage("# Other\n\nLate subscribers are late.", rank=2, source_file="b.md", page_title="Other { #o }")
    made = answer(passage(), other)
    assert made.answer.startswith("Quality of service › Late subscribers\n\nTo keep the last message")
    assert "\n[1]\n\nOther\n\nLate subscribers are late.\n[2]\n\nQuality of service › The policies\n\n" in made.answer
    assert [(each.number, each.source_file) for each in made.citations] == [(1, "a.md"), (2, "b.md"), (3, "a.md")]
    assert made.citations[0].section_title == "Late subscribers" and made.model == "extractive"


def test_one_place_that_is_far_ahead_is_quoted_alone_and_others_are_named() -> None:
    other = passage("# Other\n\nA subscriber waits.", rank=2, source_file="b.md", page_title="Other")
    made = answer(passage("A late subscriber is one that joins later."), other, question="What is a late subscriber?")
    assert made.answer == "A late subscriber is one that joins later.\n[1]" and len(made.citations) == 1
    assert [each.source_file for each in made.see_also] == ["b.md"]


def test_a_section_that_is_far_ahead_is_quoted_in_its_best_blocks_and_no_other_is() -> None:
    prose = "The pump runs for five seconds. " + "It is loud and shakes the whole table. " * 8
    both = passage(f"{prose}\n\nThe pump runs at night.", page_title="Pump")
    other = passage("A house.", rank=2, relevance=0.1, source_file="b.md", page_title="House")
    made = answer(both, other, question="How long does the pump run?")
    assert len(made.excerpts) == 2 and len(made.citations) == 1 and made.answer.count("\n[1]") == 2


def test_one_paragraph_that_is_longer_than_an_excerpt_is_quoted_whole_from_its_first_sentence() -> None:
    text = "The house is old. " + "It stands by the sea and has many rooms. " * 12 + "The pump runs for five seconds."
    made = excerpt("How long does the pump run?", passage(text, page_title="Pump"))
    assert SHORT_CHARS < len(made.text) == len(text) and made.text[slice(*made.marked)].startswith("The pump runs")


def test_two_blocks_of_one_section_share_its_heading_and_its_source() -> None:
    prose = "The pump runs for five seconds. " + "It is loud and shakes the whole table. " * 8
    both = passage(f"{prose}\n\n{prose.replace('runs for', 'runs after')}", page_title="Pump")
    other = passage("The pump of the house runs all the time.", rank=2, source_file="b.md", page_title="House")
    made = answer(both, other, question="How long does the pump run?")
    numbers = [each.number for each in made.excerpts]
    assert len(numbers) == 3 and len(set(numbers)) == len(made.citations) == 2


def test_the_sentence_that_answers_is_marked_by_its_place_in_the_answer() -> None:
    text = "The house is old. The pump runs for five seconds. It is loud."
    other = passage("- one\n- the pump runs at night", rank=2, source_file="b.md", page_title="House")
    made = answer(passage(text, page_title="Pümp 🚰"), other, question="How long does the pump run?")
    marked = {made.answer[each.marked_start : each.marked_end] for each in made.excerpts}
    assert marked == {"The pump runs for five seconds.", "the pump runs at night"}
    for each in made.excerpts:
        assert each.start <= each.marked_start < each.marked_end <= each.end
        assert made.answer[each.end :].startswith(f"\n[{each.number}]")


def test_of_code_and_tables_nothing_is_marked() -> None:
    for text in ("```python\npump.run()\n```", "| pump | runs |\n| --- | --- |\n| small | often |"):
        [made] = excerpts("how does the pump run", passage(text))
        assert made.marked is None and made.text.endswith(text)


def test_code_that_makes_an_excerpt_too_long_is_shown_once() -> None:
    code = "\n".join(f"pump_{number} = run({number})" for number in range(30))
    fences = "\n\n".join(
        f"Run the pump {how}:\n\n```python\n{how}\n{code}\n```" for how in ("once", "twice", "often")
    )
    made = excerpts("run the pump", passage(f"{fences}\n\nThe pump runs by itself."))
    assert sum("pump_29" in each.text for each in made) == 1
    assert any("by itself" in each.text for each in made)


def test_a_fact_in_the_passage_beside_the_found_one_is_quoted_and_counts_as_found() -> None:
    found = passage("# Pumps\n\nThis chapter is about the pump and how long it runs.", next_chunk_id="2")
    after = passage("The pump runs for five seconds, then it rests.", section_title="Times").model_copy(
        update={"id": "2", "chunk_index": 1}
    )
    retriever = FakeRetriever(found, query="How long does the pump run?")
    retriever.around = (after,)
    made = answer_extractively("How long does the pump run?", retriever, NO_FILTERS)  # type: ignore[arg-type]
    assert "five seconds" in made.answer and "2" in {each.chunk_id for each in made.citations}
    assert set(made.passages.cited) <= set(made.passages.retrieved)


def test_a_weak_best_passage_is_refused_without_citations() -> None:
    made = answer(passage(score=0.1))
    assert (made.answer, made.citations, made.confidence) == (REFUSAL, (), "none")


def test_nothing_found_is_refused() -> None:
    assert answer().confidence == "none" and answer().answer == NOTHING_WITHIN_FILTERS


def test_a_question_in_another_language_is_told_that_the_book_is_not_in_it() -> None:
    question = "Was ist der Unterschied zwischen einem Vektor und einem Feld?"
    made = answer(passage(score=0.25), question=question, evidence=Evidence(best=0.25, known=0.3, reached=0.1))
    assert made.metrics.reason == "other_language" and made.answer.startswith("Das Buch ist in einer anderen Sprache")
    assert "the question is in German" in refusal_note(made) and made.see_also


@pytest.mark.parametrize("language", PAGE_LANGUAGES)
def test_every_language_of_the_pages_has_all_phrases(language: str) -> None:
    question = {"ur": "پمپ کتنی دیر چلتا ہے؟", "ar": "كم من الوقت تعمل المضخة؟", "zh": "水泵运行多久？"}.get(
        language,
        {"de": "Wie lange läuft die Pumpe?", "es": "¿Cuánto tiempo funciona la bomba?"}.get(language, "How?"),
    )
    told = (REFUSAL, DISCLAIMER, OTHER_LANGUAGE, NOTHING_INDEXED, NOTHING_WITHIN_FILTERS, NO_MORE, NOTHING_YET)
    assert all((phrase(sentence, question) == sentence) is (language == "en") for sentence in told)


def test_the_shown_answer_says_that_no_model_wrote_it_and_lists_its_sources() -> None:
    shown = "\n".join(str(part) for part in answer_view(answer(passage())))
    assert "no language model was used" in shown and "---\n**Sources:**\n[1] Quality of service" in shown
    assert "(score: 0.60)" in shown and "a.md:" in shown


def test_a_source_with_an_address_is_named_by_it() -> None:
    made = answer(passage(page_url="https://example.org/qos", anchor="quality-of-service"))
    assert made.citations[0].page_url == "https://example.org/qos#late-subscribers"


def test_a_story_is_judged_by_its_best_sentence_with_the_one_before() -> None:
    class OneSentence(FakeRetriever):
        def search(self, text: str, *, limit: int, **query: Any) -> SearchResponse:
            strong = Evidence(best=0.7, gap=0.2, reached=0.8)
            weak = Evidence(best=0.3, gap=0.0, known=0.4, reached=0.05)
            return self._found.model_copy(update={"query": text, "evidence": strong if text == right else weak})

    asked = "How do late subscribers get the last message?"
    story = f"I came to this book from another one last year and liked it a lot. {'My robot is old. ' * 8}{asked}"
    right = f"My robot is old. {asked}"
    made = answer_extractively(story, OneSentence(passage()), NO_FILTERS)  # type: ignore[arg-type]
    assert made.state == "completed" and "TRANSIENT_LOCAL" in made.answer and made.query == story


@pytest.mark.parametrize(
    "text",
    [
        "How long does the pump run?\n\n- [ ] The pump runs for an hour\n- [x] The pump runs for a day",
        "**How long does the pump run?**\n\na) The pump runs for an hour\nb) The pump runs for a day",
        "[How the pump runs](a.md) | [How long the pump runs](b.md)",
        "- [How the pump runs](a.md)\n- [How long the pump runs](b.md)",
    ],
)
def test_options_of_a_quiz_contents_and_navigation_are_no_answer(text: str) -> None:
    says = passage("A run of the pump takes five seconds.", rank=2, source_file="b.md")
    made = excerpts("How long does the pump run?", passage(text), says)
    asides = {block.text for block in rendered_blocks(passage(text)) if block.is_aside}
    assert asides and made[0].chosen.text not in asides and not any(each.chosen.text in asides for each in made[1:])


def test_a_sentence_with_a_link_and_a_list_behind_a_question_that_answers_it_tell_something() -> None:
    text = "Set it with [the time](https://example.org/a/very/long/address).\n\nHow long?\n\n- It runs a minute"
    assert not any(block.is_aside for block in rendered_blocks(passage(text)))

"""What a model writes becomes the answer: references numbered, sentences attributed or marked, however it is cut."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.grounding.answer_text import NOT_CONFIRMED, AnswerText, CheckedAnswer, Sentence
from rag.grounding.passage_blocks import blocks_of
from rag.grounding.shown_passages import ShownPassages, random_id
from rag.grounding.support import Verdict
from tests.support.agents import PUMP, WAIT
from tests.support.passages import passage

A, B = "p-00000a", "p-00000b"


def shown(*passages: Any) -> ShownPassages:
    """Passages under the ids p-00000a, p-00000b, …"""
    letters = iter("abcdef")
    ids = ShownPassages(lambda: f"p-00000{next(letters)}")
    for each in passages or (PUMP, WAIT):
        ids.show(each)
    return ids


def by_word(sentence: Sentence) -> Verdict | None:
    """Stands for the check: a sentence with "runs" is held by PUMP, one with "waits" by WAIT, others by nothing."""
    if sentence.kind not in ("statement", "code"):
        return None
    holders = [each for word, each in (("runs", PUMP), ("waits", WAIT)) if word in sentence.text]
    return Verdict(
        "held" if holders else "not_there",
        tuple(holders),
        tuple(block for each in holders for block in blocks_of(each)),
    )


def written(text: str, *, sizes: tuple[int, ...] = (10_000,), style: Any = "number", **options: Any) -> CheckedAnswer:
    """The answer to a text that comes in pieces of these sizes; holds that what is shown is never taken back."""
    answer = AnswerText(options.get("shown") or shown(), style)
    told, at, size = "", 0, itertools.cycle(sizes)

    def ready() -> str:
        out = ""
        while sentence := answer.next_sentence():
            out += answer.close(sentence, by_word(sentence))
        return out + answer.settled()

    while at < len(text):
        step = next(size)
        answer.add(text[at : at + step])
        at += step
        told += ready()
    answer.end()
    told += ready()
    assert told == answer.finish().text
    return answer.finish()


@pytest.mark.parametrize(
    ("text", "read", "dropped"),
    [
        (f"It runs [{A}]. It waits [{B}]. It runs [{A}].", "It runs [1]. It waits [2]. It runs [1].", 0),
        (f"It runs. [{A}] It waits.[{B}]", "It runs [1]. It waits[2].", 0),
        (f"It runs 5 s. It waits 9 s. [{B}]", "It runs 5 s [1]. It waits 9 s [2].", 0),
        ("It runs for 5 s. It waits for 9 s.", "It runs for 5 s [1]. It waits for 9 s [2].", 0),
        (f"It runs **fast** [{A}].", "It runs **fast** [1].", 0),
        (f"It **runs.** [{A}] It waits 9 s.", "It **runs [1].** It waits 9 s [2].", 0),
        (f"It runs [ {A} ].", "It runs [1].", 0),
        (f"It runs [{A.upper()}].", "It runs [1].", 0),
        (f"It runs ({A}).", "It runs [1].", 0),
        (f"It runs (see passage {A}).", "It runs [1].", 0),
        (f"It runs 【{A}】.", "It runs [1].", 0),
        (f"It runs [passage_id: {A}].", "It runs [1].", 0),
        (f"It runs {A}.", "It runs [1].", 0),
        ("It runs [1]. It waits [2].", "It runs [1]. It waits [2].", 0),
        (f"It runs and it waits [{A}, {B}].", "It runs and it waits [1][2].", 0),
        (f"It runs [{A}], then it waits [{B}].", "It runs [1], then it waits [2].", 0),
        (f"It runs five s [{B}].", "It runs five s [1].", 1),
        ("It runs five s [p-ffffff].", "It runs five s [1].", 1),
        ("It runs five seconds [1], see also [12].", "It runs five seconds [1], see also.", 1),
        ("It runs five seconds [99].", "It runs five seconds [1].", 1),
        ("Bananas grow in 1 day.", f"Bananas grow in 1 day. {NOT_CONFIRMED}", 0),
        (f"Bananas grow in 1 day [{A}].", f"Bananas grow in 1 day [1]. {NOT_CONFIRMED}", 0),
        ("- It runs 5 s\n- Bananas grow here\n", f"- It runs 5 s [1]\n- Bananas grow here {NOT_CONFIRMED}\n", 0),
        ("Do:\n\n1. It runs 5 s.\n2. It waits 9 s.", "Do:\n\n1. It runs 5 s [1].\n2. It waits 9 s [2].", 0),
        ("| pump | time |\n| --- | --- |\n| it runs | 5 s |\n| bananas | 1 d |\n",
         f"| pump | time |\n| --- | --- |\n| it runs | 5 s [1] |\n| bananas | 1 d {NOT_CONFIRMED} |\n", 0),
        ("The book does not say how fast the pump is.", "The book does not say how fast the pump is.", 0),
        ("Turn the servo by [90, 180] degrees, it runs.", "Turn the servo by [90, 180] degrees, it runs [1].", 0),
        ("The list [1, 2, 3] runs.", "The list [1, 2, 3] runs [1].", 0),
        ("Since [2024] it runs rows[3][4].", "Since [2024] it runs rows[3][4] [1].", 0),
        ("It runs at [0, 1] and argv[1].", "It runs at [0, 1] and argv[1] [1].", 0),
        ("See docs/a.md and docs/z.md, it runs.", "See docs/a.md and (unknown source), it runs [1].", 1),
        ("See [the manual](https://evil.example/x), it runs.", "See the manual, it runs [1].", 1),
        ("See [the page](docs/a.md), it runs.", "See [the page](docs/a.md), it runs [1].", 0),
        ("![chart](https://evil.example/?q=1) It runs 5 s.", "chart It runs 5 s [1].", 1),
        (f"`a[{A}]` runs.", f"`a[{A}]` runs [1].", 0),
        ("水泵 runs 5 秒。它 waits 9 秒。", "水泵 runs 5 秒 [1]。它 waits 9 秒 [2]。", 0),
        ("It runs, e.g. for 5 s.", "It runs, e.g. for 5 s [1].", 0),
        ("It runs\nfor 5 s.", "It runs\nfor 5 s [1].", 0),
        ("Does it run? Yes.", "Does it run? Yes.", 0),
    ],
)  # fmt: skip
def test_an_answer_is_what_the_model_wrote_with_its_sources_however_it_is_streamed(
    text: str, read: str, dropped: int
) -> None:
    for sizes in (10_000,), (7,), (1,), (3, 11, 2):
        answer = written(text, sizes=sizes)
        assert (answer.text, answer.dropped) == (read, dropped), sizes


def test_code_is_kept_letter_by_letter_and_judged_as_one(  # its brackets are no references
) -> None:
    held = "```\nx = a[1]  # runs\n\ny = 2\n```\n"
    assert written(f"{held}It runs 5 s.").text == "```\nx = a[1]  # runs\n\ny = 2\n```\n[1]\nIt runs 5 s [1]."
    assert written("```\nx = 1\n```").text == f"```\nx = 1\n```\n{NOT_CONFIRMED}\n"


def test_a_source_can_be_named_by_its_title() -> None:
    assert written(f"It runs [{A}].", style="source").text == "It runs [Source: Setup]."


def test_ids_are_opaque_and_a_passage_keeps_its_own() -> None:
    passages = ShownPassages()
    assert passages.show(PUMP) == passages.show(PUMP) != passages.show(WAIT)
    assert len({random_id() for _ in range(50)}) > 45


def test_sections_of_one_passage_are_sources_of_their_own_and_two_passages_of_one_section_are_one() -> None:
    def verdict(holder: Any, at: int) -> Verdict:
        return Verdict("held", (holder,), (list(blocks_of(holder))[at],))

    first, second = passage(page_url="https://x.example/qos"), passage(rank=2, page_url="https://x.example/qos")
    answer = AnswerText(shown(first, second))
    answer.add("A policy is a setting. The last message is kept. One more policy is a setting.")
    answer.end()
    for holder, at in ((first, 0), (first, 1), (second, 0)):
        sentence = answer.next_sentence()
        assert sentence
        answer.close(sentence, verdict(holder, at))
    made = answer.finish()
    assert made.text == "A policy is a setting [1]. The last message is kept [2]. One more policy is a setting [1]."
    assert [(each.section, each.anchor, each.lines) for each in made.sources] == [
        ("The policies", "the-policies", (9, 9)),
        ("Late subscribers", "late-subscribers", (13, 17)),
    ]


PIECES = st.lists(
    st.sampled_from(
        [f"[{A}]", f"[{B}, p-ffffff]", f"({A})", " ", "  ", "**", "\n", "\n\n", "```", "```\n", "`", "~~~", "[", "]",
         "word", "It runs 5 s", "It waits", ".", ". ", "! ", "docs/z.md", "(", ")", "é", "https://x.example/a", "[1]",
         "[12]", "字。", "[0]", "a[3]", "[x](docs/a.md)", "[x](docs/z.md)", "> ", "- ", "| a | b |\n", "# H\n", ":",
         "$", "$$\n", "\n$$ ", "\\[\n", "\\]\n", "\\(", "$a. b$", f"$x [{A}]$", ":::tip It waits\n", ":::\n"]
    ),
    max_size=25,
)  # fmt: skip


@given(PIECES, st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_how_an_answer_is_cut_into_pieces_changes_nothing(parts: list[str], sizes: list[int]) -> None:
    text = "".join(parts)
    whole, cut = written(text), written(text, sizes=tuple(sizes))
    assert (cut.text, cut.dropped, cut.not_held) == (whole.text, whole.dropped, whole.not_held)


@given(st.text(alphabet="ab 01[]()`~\n.sp-,>|#:", max_size=60), st.integers(1, 5))
def test_any_text_survives_any_cut(text: str, size: int) -> None:
    assert written(text, sizes=(size,)).text == written(text).text


AS_IT_STANDS = {
    f"It runs [{A}].\n\n$$\nE = a[1] runs\n$$ [{A}]\n": "It runs [1].\n\n$$\nE = a[1] runs\n$$\n[1]\n",
    f"It is:\n\n\\[\nE = runs\n\\] [{A}]\n\nIt runs [{A}].": "It is:\n\n\\[\nE = runs\n\\]\n[1]\n\nIt runs [1].",
    f"$$\nE = runs\n$$\n[{A}]\n\nIt waits [{B}].": "$$\nE = runs\n$$\n[1]\n\nIt waits [2].",
    f"- it:\n  $$\n  E = runs\n  $$ [{A}]\n- it waits [{B}]": "- it:\n  $$\n  E = runs\n  $$\n  [1]\n- it waits [2]",
    f"```py\nruns()\n``` [{A}]\nIt waits [{B}].": "```py\nruns()\n```\n[1]\nIt waits [2].",
    f"It runs with $a[1] = b. C$ [{A}].": "It runs with $a[1] = b. C$ [1].",
    f"It runs with $E [{A}]$.": "It runs with $E$ [1].",
    f"It runs for $5 [{A}] or US$ 6.": "It runs for $5 or US$ [1] 6.",
    f":::tip Mind this\nit runs on [{A}].\n:::\n": ":::tip Mind this\nit runs on [1].\n:::\n",
    f'!!! note "Mind this"\n    It runs [{A}].\n': '!!! note "Mind this"\n    It runs [1].\n',
}


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize("text", AS_IT_STANDS)
def test_formulas_code_and_boxes_stay_whole_and_have_their_citations_behind_them(text: str, size: int) -> None:
    assert written(text, sizes=(size,)).text == AS_IT_STANDS[text]


@pytest.mark.parametrize("text", ["Do this:\n\n```rust\nlet x = 1;", "Do this:\n\n```rust\nlet x = 1;\n", "```"])
def test_code_that_was_cut_off_is_closed_before_its_mark(text: str) -> None:
    lines = written(text, sizes=(3,)).text.strip().split("\n")
    assert lines[-2:] == ["```", NOT_CONFIRMED] and sum(line.startswith("```") for line in lines) == 2


def test_a_formula_that_was_cut_off_is_closed_before_its_mark() -> None:
    assert written("$$\nx = 1").text.strip().split("\n")[-2:] == ["$$", NOT_CONFIRMED]


@pytest.mark.parametrize("size", [1, 4, 10_000])
def test_blocks_behind_blocks_of_code_are_blocks_too(size: int) -> None:
    blocks = [
        "```python\nx = 1\n```\n",
        "\n$$\nE = m c^2\n$$\n",
        "\n\n```bash\nros2 run talker. Then wait [0].\n```\n",
    ]
    text = written("".join(blocks), sizes=(size,)).text
    assert text == "".join(f"{block}{NOT_CONFIRMED}\n" for block in blocks)

"""References of a model become numbers, or go; what they claim is checked."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.embedding.factory import build_embedder
from ingestion.embedding.protocol import Embedder
from rag.grounding.citations import References
from rag.grounding.shown_passages import ShownPassages, random_id
from rag.grounding.support import Support, SupportCheck, cited_sentences
from rag.views import sources_view
from tests.rag.agent.test_quotes import PASSAGE, passage
from tests.support.agents import PUMP, WAIT, ask, shelf_for
from tests.support.openai_chat import ChatServer, calls, cites, says
from tests.support.paths import CASES

HELD = "The pump runs for five seconds."


def shown(*passages: Any) -> ShownPassages:
    """Passages under the ids s1, s2, …"""
    numbers = itertools.count(1)
    ids = ShownPassages(lambda: f"s{next(numbers)}")
    for each in passages or (PUMP, WAIT):
        ids.show(each)
    return ids


def rewritten(text: str, *, sizes: tuple[int, ...] = (10_000,), style: Any = "number") -> tuple[str, int]:
    """The text as a reader sees it, fed in pieces of these sizes, and how many references were dropped."""
    references = References(shown(), style)
    out, at, size = "", 0, itertools.cycle(sizes)
    while at < len(text):
        step = next(size)
        out += references.feed(text[at : at + step])
        at += step
    return out + references.end(), references.dropped


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return build_embedder("local", model="", dimensions=None, api_key=None, base_url=None, threads=1)


@pytest.mark.parametrize(
    ("written", "read", "dropped"),
    [
        ("It runs [s1]. It waits [s2]. Again [s1].", "It runs [1]. It waits [2]. Again [1].", 0),
        ("It waits [s2, s1; s9].", "It waits [1][2].", 1),
        ("It waits [s2][s1].", "It waits [1][2].", 0),
        ("It waits[s2].", "It waits[1].", 0),
        ("Known [1], unknown [12] and [s7].", "Known, unknown and.", 3),
        ("A [link](docs/a.md), a [note], a - [ ] task.", "A [link](docs/a.md), a [note], a - [ ] task.", 0),
        ("`a[s1]` and ``b ` [s1]`` [s1]", "`a[s1]` and ``b ` [s1]`` [1]", 0),
        ("```\nx = a[s1]\n```\nIt runs [s1].", "```\nx = a[s1]\n```\nIt runs [1].", 0),
        ("~~~\n```\n[s1]\n~~~\n[s1]", "~~~\n```\n[s1]\n~~~\n[1]", 0),
        ("See docs/a.md and docs/z.md.", "See docs/a.md and (unknown source).", 1),
        ("![x](https://evil.example/?q=1) stays out", "![x](unknown source) stays out", 1),
        (
            "The first is [0], the last [-1], all are in [0, 1].",
            "The first is [0], the last [-1], all are in [0, 1].",
            0,
        ),
        ("It sets rows[3]=4, argv[2].x and f[1](y) [s1].", "It sets rows[3]=4, argv[2].x and f[1](y) [1].", 0),
        ("It is unknown[3].", "It is unknown.", 1),
        (
            "A [1](docs/a.md), a [see [2]](docs/b.md), [3](#x).",
            "A [1](docs/a.md), a [see [2]](docs/b.md), [3](#x).",
            0,
        ),
        ("A [9](docs/z.md), [s1](docs/a.md), [^1].", "A(unknown source), [1](docs/a.md), [^1].", 2),
        ("> ```\n> a[1]\n> ```\n> It runs [s1].", "> ```\n> a[1]\n> ```\n> It runs [1].", 0),
        ("- ```\n  a[1]\n  ```\n- b[1] [s1]", "- ```\n  a[1]\n  ```\n- b [1]", 1),
    ],
)
def test_references_are_numbered_in_order_and_unknown_ones_go(written: str, read: str, dropped: int) -> None:
    assert rewritten(written) == (read, dropped)


def test_what_a_passage_has_in_brackets_is_text_unless_it_looks_like_a_source() -> None:
    book = passage("Read argv[1] of [3, 5] and layer [A2]; see also [4].")
    references = References(shown(book))
    written = "Read argv[1] of [3, 5], layer [A2]; see also [4], argv[2] [s1]."
    assert references.feed(written) + references.end() == "Read argv[1] of [3, 5], layer [A2]; see also, argv [1]."
    assert references.dropped == 2


ANSWERS = st.lists(
    st.sampled_from(
        ["[s1]", "[s2, s9]", " ", "  ", "\n", "```", "`", "~~~", "[", "]", "word", ".", "docs/z.md", "(", ")", "é",
         "https://x.example/a", "[12]", "\n```\n", "字。", "[0]", "a[3]", "[x](docs/a.md)", "> ", "- ", "[s1]("]
    ),
    max_size=30,
)  # fmt: skip


@given(ANSWERS, st.lists(st.integers(1, 7), min_size=1, max_size=5))
def test_how_an_answer_is_cut_into_pieces_changes_nothing(parts: list[str], sizes: list[int]) -> None:
    text = "".join(parts)
    assert rewritten(text, sizes=tuple(sizes)) == rewritten(text)


@given(st.text(alphabet="ab 012[]()`~\n.sp-,>", max_size=60), st.integers(1, 5))
def test_any_text_survives_any_cut(text: str, size: int) -> None:
    assert rewritten(text, sizes=(size,)) == rewritten(text)


def test_a_source_can_be_named_by_its_title() -> None:
    assert rewritten("It runs [s1].", style="source")[0] == "It runs [Source: Setup]."


def test_ids_are_opaque_and_a_passage_keeps_its_own() -> None:
    passages = ShownPassages()
    assert passages.show(PUMP) == passages.show(PUMP) != passages.show(WAIT)
    assert len({random_id() for _ in range(50)}) > 45


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("It runs [s1]. It waits. [s2] And more.", ["It runs.", "It waits."]),
        ("One. Two [s1]! Three", ["Two!"]),
        ("- a [s1]\n- b [s2]", ["- a", "- b"]),
        ("```\na [s1].\n```\nIt is `a[s1]` [s2].", ["It is `a(s1)`."]),
        ("水泵运行[s1]。等待[s2]。", ["水泵运行。", "等待。"]),
        ("[s1]", []),
    ],
)
def test_a_sentence_is_cited_by_the_references_in_it_and_right_after_it(answer: str, texts: list[str]) -> None:
    assert [each.text for each in cited_sentences(answer, shown())] == texts


def test_the_right_fact_with_the_wrong_source_is_not_supported(embedder: Embedder) -> None:
    assert SupportCheck(shown(), embedder).support(f"{HELD} [s2]") == Support(1, {}, (HELD,))
    support = SupportCheck(shown(), embedder).support(f"{HELD} [s1]")
    assert (list(support.verified), support.unsupported) == ([PUMP.id], ())


def test_a_sentence_of_two_sources_is_held_by_both_together(embedder: Embedder) -> None:
    answer = "The pump runs for five seconds, then wait twenty seconds before the next reading [s1, s2]."
    support = SupportCheck(shown(), embedder).support(answer)
    assert support.unsupported == () and set(support.verified) == {PUMP.id, WAIT.id}


def test_a_citation_names_the_section_and_the_lines_that_hold_the_sentence(embedder: Embedder) -> None:
    with ChatServer() as server:
        server.script += [
            calls("keep last message"),
            cites("Transient local durability keeps the last message for late subscribers {0}."),
        ]
        shelf = shelf_for(server, passage(page_url="https://x.example/qos"))
        shelf.embedder = embedder
        response = ask(shelf, "keep the last message ?")
    [citation] = response.citations
    assert (citation.section_title, citation.verified) == ("Late subscribers", True)
    assert citation.page_url == "https://x.example/qos#late-subscribers"
    assert PASSAGE.split("\n")[citation.line_start - 5].startswith("To keep the last message")
    assert PASSAGE.split("\n")[citation.line_end - 5] == "```"


def test_a_citation_that_nothing_holds_names_the_passage() -> None:
    with ChatServer() as server:
        server.script += [calls("keep last message"), cites("Bananas grow in Ecuador {0}.")]
        [citation] = ask(shelf_for(server, passage()), "keep the last message ?").citations
    assert (citation.section_title, citation.line_start, citation.line_end) == (None, 5, 21)
    assert not citation.verified


REPLIES = json.loads((CASES / "c26/replies.json").read_text(encoding="utf-8"))
EXPECTED = {
    "unknown id": ("It runs five seconds [1] and then cools down.", 1, False),
    "no citation": ("It runs five seconds.", 0, False),
    "right fact, wrong source": ("It runs five seconds [1].", 0, False),
    "number as index": ("It runs five seconds, see also.", 2, False),
    "path never retrieved": ("See (unknown source), section Other.", 1, False),
    "cited inside a code block": ("```\nx = a[s1]\n```\nIt runs five seconds [1].", 0, True),
    "empty": ("I don't have information about that in the book content.", 0, True),
}
"""Of each reply of case 26: the answer, how many references are dropped, whether it counts as supported."""


@pytest.mark.parametrize("reply", REPLIES, ids=[each["name"] for each in REPLIES])
def test_the_replies_of_case_26(embedder: Embedder, reply: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count(1)
    monkeypatch.setattr("rag.grounding.shown_passages.secrets.token_hex", lambda size: f"{next(numbers):06x}")
    written = reply["answer"].replace("[s1]", "[p-000001]").replace("[s2]", "[p-000002]")
    with ChatServer() as server:
        server.script += [calls("pump", "wait twenty"), says(written)]
        shelf = shelf_for(server)
        shelf.embedder = embedder
        response = ask(shelf)
    answer, dropped, supported = EXPECTED[reply["name"]]
    assert response.answer.replace("p-000001", "s1") == answer
    assert (response.passages.dropped, response.supported) == (dropped, supported)
    assert {each.source_file for each in response.citations} <= {"docs/a.md", "docs/b.md"}


def test_the_footer_names_each_source_and_every_doubt() -> None:
    with ChatServer() as server:
        wrong = passage("The moon is made of rock.", page_url="https://x.example/moon", anchor="rock")
        server.script += [calls("moon made rock"), lambda request: says(_cite(request, "It has 12 legs {} [s9]."))]
        response = ask(shelf_for(server, wrong), "moon made rock ?")
    assert list(map(str, sources_view(response))) == [
        "",
        "---",
        "**Sources:**",
        "[1] Quality of service, https://x.example/moon#rock (score: 0.60; not verified)",
        "",
        "Not supported by its source: It has 12 legs.",
        "1 references to something that was not found were left out.",
    ]


def _cite(request: Any, text: str) -> str:
    tool = [json.loads(each["content"]) for each in request.body["messages"] if each["role"] == "tool"]
    return text.format(f"[{tool[0]['results'][0]['passage_id']}]")

"""Models with every bad habit: no raw call is ever shown, nothing invented stands unmarked, and the book is cited."""

from __future__ import annotations

import re

import pytest

from rag.agent.events import Replaced, Token
from rag.agent.tool_loop import REPEATS
from rag.chat_model.tool_names import TOOL_NAME
from rag.grounding.answer_text import NOT_CONFIRMED
from rag.quoting.phrases import REFUSAL
from tests.support.agents import ask, play, server, shelf_for
from tests.support.openai_chat import ChatServer, calls, in_pieces, passages_in, says
from tests.support.openai_server import Reply, Request

__all__ = ["server"]

CALL = f'{{"name": "{TOOL_NAME}", "arguments": {{"query": "pump runs"}}}}'
FACT = "The pump runs for five seconds"
RAW = re.compile(r"[{}<>]|TOOL_CALLS|retrieve_documentation|\"query\"|p-[0-9a-f]{6}")


@pytest.mark.parametrize(
    "written",
    [CALL, f"```json\n{CALL}\n```", f"<tool_call>{CALL}</tool_call>", f"[TOOL_CALLS][{CALL}]",
     f'<function={TOOL_NAME}>{{"query": "pump runs"}}</function>', f'{TOOL_NAME}(query="pump runs")',
     CALL.replace('"pump runs"', '"pump runs", "lang": "en"')],
    ids=["bare", "fenced", "tag", "mistral", "function", "python", "unknown argument"],
)  # fmt: skip
@pytest.mark.parametrize("answers", [True, False], ids=["then answers", "calls for ever"])
def test_calls_as_text_are_served_and_never_shown(server: ChatServer, written: str, answers: bool) -> None:
    server.script += [says(written)] + ([says(FACT + ".")] if answers else [says(written)] * 12)
    response = ask(shelf_for(server))
    assert not RAW.search(response.answer)
    if answers:
        assert response.answer == f"{FACT} [1]." and response.supported


def test_a_model_that_never_cites_gives_cited_answers(server: ChatServer) -> None:
    server.script += [calls("pump", "wait twenty"), says(f"{FACT}. Wait twenty seconds before the next reading.")]
    response = ask(shelf_for(server))
    assert response.answer == f"{FACT} [1]. Wait twenty seconds before the next reading [2]."
    assert [each.verified for each in response.citations] == [True, True] and response.supported


@pytest.mark.parametrize(
    "form", ["[{}]", "[ {} ]", "({})", "[{upper}]", "{}", "[passage_id: {}]", "[1]", "【{}】",
     "【1】", "【1†source】", "[source: {}]", "(source: passage 1)", "<cite>{}</cite>", "<ref>1</ref>", "[^1]"]
)  # fmt: skip
def test_references_in_any_form_count(server: ChatServer, form: str) -> None:
    def reply(request: Request) -> Reply:
        identity = passages_in(request)[0]["passage_id"]
        return says(f"{FACT} {form.format(identity, upper=identity.upper())}.")

    server.script += [calls("pump"), reply]
    response = ask(shelf_for(server))
    assert (response.answer, response.supported, response.passages.dropped) == (f"{FACT} [1].", True, 0)


@pytest.mark.parametrize("size", [1, 4, 400])
@pytest.mark.parametrize(
    "written",
    [
        f"<think>It was built in 1987.</think>{FACT}.",
        f"{FACT}.<|im_end|>",
        f'{{"answer": "{FACT}."}}',
        f'```json\n{{"answer": "{FACT}.", "sources": ["p-0a1b2c"]}}\n```',
        f"{FACT}. " * 5,
        f"<|channel|>analysis<|message|>1987?<|end|><|start|>assistant<|channel|>final<|message|>{FACT}.",
    ],
)
def test_thoughts_marks_json_and_repetition_leave_a_clean_answer(server: ChatServer, written: str, size: int) -> None:
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    server.script += [calls("pump"), says(*pieces)]
    response = ask(shelf_for(server))
    assert response.answer.startswith(f"{FACT} [1].") and response.supported
    assert not RAW.search(response.answer) and "1987" not in response.answer


@pytest.mark.parametrize(
    "invented",
    ["See https://acme.example/pump for more.", "Everyone loves it and it costs 40 euros.", "- It has 12 legs.",
     "| legs | 12 |", "According to passage 7, it has 12 legs."],
)  # fmt: skip
def test_every_invention_beside_a_fact_is_marked(server: ChatServer, invented: str) -> None:
    server.script += [calls("pump"), says(f"{FACT}.\n\n{invented}")]
    response = ask(shelf_for(server))
    assert response.answer.count(NOT_CONFIRMED) == 1 and not response.supported
    assert "acme.example" not in response.answer


def test_inventions_are_marked_right_behind_them(server: ChatServer) -> None:
    server.script += [calls("pump"), says(f"{FACT}. It was built in 1987 by Acme. ", "It has 12 legs.")]
    response = ask(shelf_for(server))
    built, legs = "It was built in 1987 by Acme.", "It has 12 legs."
    assert response.answer == f"{FACT} [1]. {built} {NOT_CONFIRMED} {legs} {NOT_CONFIRMED}"
    assert not response.supported and len(response.unsupported) == 2


def test_an_answer_in_which_nothing_is_held_is_replaced_by_the_book(server: ChatServer) -> None:
    server.script += [calls("pump"), says("The pump was built in 1987 by Acme. ", "It has 12 legs.")]
    events = play(shelf_for(server), "How long does the pump run ?")
    [replaced] = [event for event in events if isinstance(event, Replaced)]
    response = events[-1].response  # type: ignore[union-attr]
    assert response.answer == replaced.text and "five seconds" in replaced.text
    assert (response.replaced, response.state, response.is_quoted) == (True, "completed", True)


def test_a_refusal_in_the_models_own_words_is_a_refusal(server: ChatServer) -> None:
    said = "I'm sorry, the passages do not say who built it."
    server.script += [calls("pump"), says(said)]
    response = ask(shelf_for(server))
    assert (response.answer, response.state, response.citations) == (said, "no_results", ())
    server.script += [calls("pump"), says(REFUSAL)]
    assert ask(shelf_for(server)).state == "no_results"


@pytest.mark.parametrize("odd", ["\ud83d", "\udc00", "\0", "\ud83d\ude00"])
def test_surrogates_and_nul_never_break_an_answer(server: ChatServer, odd: str) -> None:
    server.script += [calls("pump"), says(f"{FACT}", *odd, ".")]
    response = ask(shelf_for(server), f"How long does the pump run{odd} ?")
    response.answer.encode()
    assert response.answer.startswith(FACT) and "\0" not in response.answer


def test_code_that_the_book_does_not_have_is_marked(server: ChatServer) -> None:
    server.script += [calls("pump"), says(f"{FACT}:\n\n```python\npump.explode()\n```\n\n{FACT}.")]
    assert f"```\n{NOT_CONFIRMED}" in ask(shelf_for(server)).answer


ROUND = "The second pump carries the water of the pump to the pump. "


@pytest.mark.parametrize("size", [1, 5, 60])
def test_a_reply_that_goes_round_in_circles_is_ended_and_shown_once(server: ChatServer, size: int) -> None:
    written = f"{FACT}. " + ROUND * 40
    server.script += [calls("pump"), says(*(written[at : at + size] for at in range(0, len(written), size)))]
    response = ask(shelf_for(server))
    assert response.answer.strip() == f"{FACT} [1]. {ROUND.strip()} {NOT_CONFIRMED}"
    assert (response.state, response.error) == ("low_confidence", REPEATS)


def test_the_same_sentence_with_another_word_each_time_is_ended(server: ChatServer) -> None:
    counts = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    server.script += [calls("pump"), says(*(f"The {count} part is a leg. " for count in counts))]
    events = play(shelf_for(server), "How long does the pump run ?")
    shown = "".join(event.text for event in events if isinstance(event, Token))
    assert "fourth" in shown and "eighth" not in shown


def test_an_answer_of_which_next_to_nothing_is_held_is_replaced(server: ChatServer) -> None:
    invented = (
        "Acme built it in 1987. It has 12 legs. Everyone loves it. It costs 40 euros. Its colour is a deep red."
    )
    server.script += [calls("pump"), says(f"{FACT}. {invented}")]
    response = ask(shelf_for(server))
    assert response.replaced and "Acme" not in response.answer and "five seconds" in response.answer


def test_an_answer_before_any_search_is_not_waited_for(server: ChatServer) -> None:
    endless = in_pieces(says(*["Pumps are known from many ages and lands, and so on. "] * 500))
    server.script += [endless, says(f"{FACT}.")]
    response = ask(shelf_for(server))
    assert response.answer == f"{FACT} [1]." and response.error is None


def test_thoughts_before_a_search_are_waited_for(server: ChatServer) -> None:
    thoughts = " ".join(f"Is it pump {number}?" for number in range(200))
    server.script += [says(f"<think>{thoughts}</think>{CALL}"), says(f"{FACT}.")]
    shelf = shelf_for(server)
    assert ask(shelf).answer == f"{FACT} [1]." and shelf.queries[-1] == "pump runs"


@pytest.mark.parametrize(
    "echoed",
    [
        "The passage_ids that the tool returned for this question were:\n\n- p-0a1b2c\n- p-0a1b2c\n",
        "The question is about the use of the tool retrieve_documentation. The answer is the tool.",
        "You answer questions about one book, and only from passages of it.",
        f"```json\n{CALL[:-2]}",
        "No, does not [p-0a1b2c].",
        "What runs over what runs over what runs over what runs over what runs over what runs over what runs [1]",
    ],
    ids=["ids of the rules", "the tool", "the rules", "half a call", "half a sentence", "in circles"],
)
def test_what_a_model_echoes_of_its_rules_never_stands_as_the_books_word(server: ChatServer, echoed: str) -> None:
    server.script += [calls("pump"), says(echoed), *[says(echoed)] * 3]
    response = ask(shelf_for(server))
    assert not re.search(r"p-[0-9a-f]{6}|passage_id|retrieve_documentation", response.answer)
    assert response.replaced or response.state != "completed" or response.unsupported

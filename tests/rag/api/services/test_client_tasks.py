"""What chat clients ask for themselves is told from a reader's question, and answered in the form it names."""

from __future__ import annotations

import pytest

from rag.api.services.client_tasks import TITLE_CHARS, task_reply

HISTORY = """<chat_history>
USER: Why does a late
subscriber wait?
ASSISTANT: USER: is quoted.
USER: And then?
</chat_history>"""


def task(form: str, history: str = HISTORY) -> str:
    return f"### Task:\nDo it for the chat.\n### Output:\n{form}\n### Chat History:\n{history}"


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        (task('JSON format: { "title": "yours" }'), '{"title": "Why does a late subscriber wait"}'),
        (task("Return ONLY the title text."), "Why does a late subscriber wait"),
        (task('JSON format: { "tags": ["one"] }'), '{"tags": []}'),
        (task('{ "follow_ups": ["one?"] }'), '{"follow_ups": []}'),
        (task('{\n  "queries": ["one"]\n}'), '{"queries": []}'),
        (task('{ "text": "<your_completion>" }'), '{"text": ""}'),
        (task('{ "title": "yours" }', "<chat_history>\n</chat_history>"), '{"title": "New conversation"}'),
        (
            "Give a 5-word-or-less title for the conversation.\n\nUser: نوڈ کیا ہے؟\nAI: ایک۔",
            "نوڈ کیا ہے؟",
        ),
    ],
)
def test_a_task_is_answered_from_what_the_reader_asked(text: str, reply: str) -> None:
    assert task_reply(text) == reply


def test_a_title_is_short() -> None:
    told = task_reply(task("Return ONLY the title text.", f"<chat_history>\nUSER: {'word ' * 900}\n</chat_history>"))
    assert told and told.startswith("word word") and len(told) <= TITLE_CHARS


@pytest.mark.parametrize(
    "text",
    [
        "What is a node?",
        "How do I set the title of a window?",
        "### Task:\nRespond to the query from the context.\n<context>\nx\n</context>\nWhat is a node?",
        task("Write a poem about it."),
        "Who wrote <chat_history>?",
    ],
)
def test_a_question_stays_a_question(text: str) -> None:
    assert task_reply(text) is None

"""What chat clients ask for themselves is told from a reader's question, and answered in the form it names."""

from __future__ import annotations

import time

import pytest

from rag.api.services.client_tasks import MERGE, TITLE_CHARS, is_merge, reader_words, task_in, without_material

ASKED = "What is quality of service?"


def task_reply(text: str) -> str | None:
    found = task_in(text)
    return found.reply() if found else None


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
        (task('{ "prompt": "…" }'), '{"prompt": "Why does a late subscriber wait"}'),
        (f"Your task is to reflect the speaker's mood as an emoji.\n\nMessage: ```{ASKED}```", "💬"),
        (f'Query: History:\nUSER: """{ASKED}"""\nQuery: {ASKED}', '{"tool_calls": []}'),
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


@pytest.mark.parametrize(
    "text",
    [
        ASKED,
        f'### Task:\nAnswer from the context.\n<context>\n<source id="1">Notes.</source>\n</context>\n\n{ASKED}',
        f"### Task:\nAnswer.\n<context>\nx\n</context>\n\n<user_query>\n{ASKED}\n</user_query>\n",
        f"<task>\n{ASKED}\n</task>\n<environment_details>\n# Visible files\ndocs/a.md\n</environment_details>",
        "```docs/a.md\n" + "a line\n" * 900 + f"```\n{ASKED}",
        f"```a.py\nx = 1\n```\n\n```b.py\ny = 2\n```\n{ASKED}",
        f'{MERGE} "{ASKED}"\n\nYour task is to synthesize these.\n\nResponses from models: one two',
        f"<attached_files>\n<file path='a'>\nWhat?\n</file>\n</attached_files>\n{ASKED}",
    ],
    ids=["plain", "retrieval", "retrieval, marked", "Cline", "Continue", "two files", "merge", "attached"],
)
def test_the_reader_s_words_are_found_in_what_a_client_wraps_around_them(text: str) -> None:
    assert task_in(text) is None
    assert reader_words(text) == ASKED
    assert is_merge(text) is text.startswith(MERGE)


@pytest.mark.parametrize(
    "text",
    ["How do I close a <context> element?", "```py\nx = 1\n```", "Why?\n<context>\nnever closed", "<task>"],
)
def test_what_a_reader_writes_about_markup_stays_as_it_is(text: str) -> None:
    assert reader_words(text) == text


@pytest.mark.parametrize(
    "piece", ["\n<context>\n", "<file>\n</file>\n", "```\n", "USER: a\n", "<task>", "### Task:\n{ "]
)
def test_a_long_message_is_read_in_a_time_that_grows_with_its_length(piece: str) -> None:
    text = "### Task:\n<chat_history>\n" + piece * (400_000 // len(piece))
    started = time.process_time()
    task_in(text)
    reader_words(text)
    without_material(text)
    assert time.process_time() - started < 5


def test_titles_of_cited_pages_are_read_from_the_answer_s_own_list() -> None:
    answer = "ASSISTANT: One [1].\n\nSources:\n1. [Nodes › Part 1](https://a.org/n)\n2. Topics (a.md:1)"
    found = task_in(task('{ "follow_ups": ["one?"] }', f"<chat_history>\nUSER: Why?\n{answer}\n</chat_history>"))
    assert found and list(found.cited) == ["Nodes", "Topics"] and list(found.asked) == ["Why?"]
    assert found.reply(["And then?"]) == '{"follow_ups": ["And then?"]}'

"""Tell a reader's question from what a chat client wraps around it, and from what it asks for itself.

Open WebUI and LibreChat send tasks (a title, tags, suggestions) to the model of the conversation. A book would search
them, refuse them and record them among its readers' questions; so they are answered from what the reader asked.
Cline, Continue and templates for retrieval send a question together with files and search results: all left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import shorten

TITLE_CHARS = 60
MAX_ASKED_CHARS = 4000
"""More than a question may have; its beginning is the title."""

EMOJI = "💬"

QUESTION_ELEMENTS = ("user_query", "user_message", "user_request", "task", "question", "query", "feedback")
"""Elements in which clients put what the reader asks."""

MATERIAL_ELEMENTS = (
    *("context", "environment_details", "source", "sources", "document", "documents", "file", "files"),
    *("file_content", "attached_files", "attachments", "open_files", "current_file", "system-reminder"),
)
"""Elements in which they put material for the model."""

_NAMES = "|".join(MATERIAL_ELEMENTS)
_TAG = re.compile(rf"^<(?P<opens>{_NAMES})(?=[ >])|</(?P<closes>{_NAMES})>", re.M)

MERGE = "You have been provided with a set of responses from various models to the latest user query:"
TOOLS = "Query: History:"

_HEAD_CHARS = 600
_TASK_HEAD = "### Task:"
_OTHER_TASKS = {
    "Your task is to reflect the speaker": "emoji",
    "5-word-or-less title for the conversation": "title",
    "A concise title in the detected language": "title",
}
"""Tasks without a common head, by how they begin."""

_KEY = re.compile(r'\{\s?\s?\s?\s?\s?"(title|tags|follow_ups|queries|text|prompt|emoji|tool_calls)"\s?:')
_ASKS = ("USER:", "User:", "||>User:")
_ANSWERS = ("ASSISTANT:", "AI:", "||>Response:")
_SOURCE = re.compile(r"\d{1,3}\. \[?([^\[\]\n(]{1,300})")


@dataclass(frozen=True, slots=True)
class Task:
    """A client's own task: the key of its reply, and the conversation that it is about.

    `asked` are the reader's questions, `cited` the titles in the list of sources of the last answer.
    """

    key: str
    is_json: bool = True
    asked: Sequence[str] = ()
    cited: Sequence[str] = field(default=())

    def reply(self, follow_ups: Sequence[str] = ()) -> str:
        """Return the reply in the form that the task names."""
        title = _title(self.asked)
        replies: dict[str, str | Sequence[str]] = {"title": title, "text": "", "prompt": title, "emoji": EMOJI}
        value = replies.get(self.key, follow_ups if self.key == "follow_ups" else [])
        return json.dumps({self.key: value}, ensure_ascii=False) if self.is_json else str(value)


def task_in(text: str) -> Task | None:
    """Return the client's task that a message is, None for a reader's question."""
    if text.startswith(TOOLS):
        return Task("tool_calls", asked=_asked(text))
    if text.startswith(_TASK_HEAD):
        before, mark, history = text.partition("<chat_history>")
        return _of_history(before, history.partition("</chat_history>")[0]) if mark else None
    key = next((key for words, key in _OTHER_TASKS.items() if words in text[:_HEAD_CHARS]), None)
    return Task(key, is_json=False, asked=_asked(text)) if key else None


def reader_words(text: str) -> str:
    """Return what the reader wrote of a message: without what the client put around it."""
    if text.startswith(MERGE):
        return text[len(MERGE) :].lstrip().removeprefix('"').partition('"\n')[0].strip()
    inner = next((found for name in QUESTION_ELEMENTS if (found := _inside(text, name))), None)
    if inner:
        return inner
    words = without_material(text)
    return words if words and not words.startswith(_TASK_HEAD) else _last_paragraph(words) or text.strip()


def is_merge(text: str) -> bool:
    """Return whether a client puts answers together that were given, and recorded, before."""
    return text.startswith(MERGE)


def without_material(text: str) -> str:
    """Return a text without elements that hold material, and without code before a question."""
    text = _without_elements(text).strip()
    begin = 0
    while text.startswith("```", begin):
        end = text.find("\n```", begin + 3)
        question = text[end + 4 :].lstrip("`").lstrip()
        if end < 0 or not question:
            break
        begin = len(text) - len(question)
    return text[begin:]


def _of_history(before: str, history: str) -> Task | None:
    named = _KEY.search(before)
    asked = _asked(history)
    if named:
        return Task(named[1], asked=asked, cited=_cited(history))
    return Task("title", is_json=False, asked=asked) if "title" in before.lower() else None


def _asked(history: str) -> list[str]:
    """Return what the reader asked in a conversation that is written down line by line."""
    asked: list[list[str]] = []
    is_reader = False
    for line in history.split("\n"):
        if line.startswith(_ASKS):
            asked.append([line.partition(":")[2].removeprefix(" ").strip('"')])
            is_reader = True
        elif line.startswith(_ANSWERS):
            is_reader = False
        elif is_reader:
            asked[-1].append(line)
    return ["\n".join(lines).strip() for lines in asked]


def _cited(history: str) -> list[str]:
    """Return the page titles of the last list of sources that this server wrote into an answer."""
    listed = history.rpartition("\nSources:\n")[2] if "\nSources:\n" in history else ""
    found = (_SOURCE.match(line) for line in listed.split("\n"))
    return [each[1].partition(" › ")[0].strip() for each in found if each]


def _title(asked: Sequence[str]) -> str:
    """Return the first thing that the reader asked, short enough for a list of conversations."""
    return (
        shorten(asked[0][:MAX_ASKED_CHARS] if asked else "", TITLE_CHARS, placeholder="…").rstrip("?.! ")
        or "New conversation"
    )


def _inside(text: str, name: str) -> str:
    """Return the text of the last element of this name that fills lines of its own."""
    start = text.rfind(f"<{name}>")
    if start < 0 or (start and text[start - 1] != "\n"):
        return ""
    inner, closed, _ = text[start + len(name) + 2 :].partition(f"</{name}>")
    return inner.strip() if closed else ""


def _without_elements(text: str) -> str:
    """Return a text without the material elements that begin a line; one that is not closed stays."""
    kept, begin, inside = [], 0, None
    for tag in _TAG.finditer(text):
        if inside is None and tag["opens"]:
            inside = tag
        elif inside and tag["closes"] == inside["opens"]:
            kept.append(text[begin : inside.start()])
            begin, inside = tag.end(), None
    return "".join([*kept, text[begin:]])


def _last_paragraph(text: str) -> str:
    return text.rpartition("\n\n")[2].strip() if "\n\n" in text else ""

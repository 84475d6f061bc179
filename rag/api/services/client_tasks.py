"""Answer what chat clients ask for themselves: a title, tags or suggestions for the conversation.

Open WebUI and LibreChat send such tasks to the model of the conversation after its first answer. A book would search
them, refuse them and record them among its readers' questions; so they are answered from what the reader asked.
"""

from __future__ import annotations

import json
import re
from textwrap import shorten

TITLE_CHARS = 60
MAX_ASKED_CHARS = 4000
"""More than a question may have; its beginning is the title."""

_OPEN_WEBUI = "### Task:"
_HISTORY, _HISTORY_END = "<chat_history>", "</chat_history>"
_KEY = re.compile(r'\{\s*"(title|tags|follow_ups|queries|text)"\s*:')
_TITLE = re.compile(r"\btitle\b", re.I)
_LIBRECHAT = re.compile(r"5-word-or-less title for the conversation|A concise title in the detected language")
_ASKED = re.compile(r"^(?:USER|User|\|\|>User): ?", re.M)
_ANSWERED = re.compile(r"^(?:ASSISTANT|AI|\|\|>Response):", re.M)


def task_reply(text: str) -> str | None:
    """Return the reply to a client's task, in the form that the task names; None for a reader's question."""
    if text.startswith(_OPEN_WEBUI):
        # A message may have a megabyte: its parts are found by plain text, each once.
        task, begins, rest = text.partition(_HISTORY)
        history, ends, _ = rest.partition(_HISTORY_END)
        if begins and ends:
            return _open_webui_reply(task, history.strip("\n"))
    if _LIBRECHAT.search(text[:500]):
        return _title(text)
    return None


def _open_webui_reply(task: str, history: str) -> str | None:
    named = _KEY.search(task)
    if named is None:
        return _title(history) if _TITLE.search(task) else None
    key = named[1]
    replies: dict[str, str | list[str]] = {"title": _title(history), "text": ""}
    return json.dumps({key: replies.get(key, [])}, ensure_ascii=False)


def _title(history: str) -> str:
    """Return the first thing that the reader asked, short enough for a list of conversations."""
    first = _ASKED.search(history)
    asked = history[first.end() :] if first else ""
    answered = _ANSWERED.search(asked)
    asked = asked[: answered.start() if answered else None][:MAX_ASKED_CHARS]
    return shorten(asked, TITLE_CHARS, placeholder="…").rstrip("?.! ") or "New conversation"

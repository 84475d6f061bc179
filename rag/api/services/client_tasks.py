"""Answer what chat clients ask for themselves: a title, tags or suggestions for the conversation.

Open WebUI and LibreChat send such tasks to the model of the conversation after its first answer. A book would search
them, refuse them and record them among its readers' questions; so they are answered from what the reader asked.
"""

from __future__ import annotations

import json
import re
from textwrap import shorten

TITLE_CHARS = 60

_OPEN_WEBUI = "### Task:"
_HISTORY = re.compile(r"<chat_history>\n?(.*?)\n?</chat_history>", re.S)
_KEY = re.compile(r'\{\s*"(title|tags|follow_ups|queries|text)"\s*:')
_TITLE = re.compile(r"\btitle\b", re.I)
_LIBRECHAT = re.compile(r"5-word-or-less title for the conversation|A concise title in the detected language")
_ASKED = re.compile(r"^(?:USER|User|\|\|>User): ?(.*?)\s*(?=^(?:ASSISTANT|AI|\|\|>Response):|\Z)", re.M | re.S)


def task_reply(text: str) -> str | None:
    """Return the reply to a client's task, in the form that the task names; None for a reader's question."""
    if text.startswith(_OPEN_WEBUI) and (history := _HISTORY.search(text)):
        return _open_webui_reply(text[: history.start()], history[1])
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
    asked = _ASKED.search(history)
    return shorten(asked[1] if asked else "", TITLE_CHARS, placeholder="…").rstrip("?.! ") or "New conversation"

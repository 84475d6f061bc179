"""What a service does not take of a request, by what it says; it is asked again without that.

Services that speak OpenAI's API differ in what they have of it: llama.cpp takes tools only with a template for them,
others no `stream_options`, models that reason no `temperature`, and some templates no message of the system.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

_REFUSALS = {
    "stream_options": r"stream_options|include_usage",
    "temperature": r"\btemperature\b",
    "max_tokens": r"\bmax_(?:completion_)?tokens\b",
    "system": r"\bsystem (?:role|message|prompt)|role.{0,12}\bsystem\b",
    "tool_choice": r"tool[_ ]choice",
    "tools": r"\btools?\b|\bfunctions?\b|roles? must alternate",
}
"""The parts of a request that a service may refuse, and how it names them, the most exact first."""

_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


def refused_part(said: str, conceded: Collection[str]) -> str | None:
    """Return the part of a request that a service's message speaks of and that it was not spared yet."""
    named = (part for part, pattern in _REFUSALS.items() if re.search(pattern, said, re.IGNORECASE))
    return next((part for part in named if part not in conceded), None)


def conceding(request: Mapping[str, Any], conceded: Collection[str]) -> dict[str, Any]:
    """Return the request without the parts that the service does not take."""
    dropped = {*conceded, "tool_choice"} if "tools" in conceded else set(conceded)
    kept = {name: value for name, value in request.items() if name not in dropped - _OTHER_LIMIT.keys()}
    if "max_tokens" in conceded:
        kept = {_OTHER_LIMIT.get(name, name): value for name, value in kept.items()}
    messages = _without_tools(kept["messages"]) if "tools" in conceded else kept["messages"]
    return kept | {"messages": _without_system(messages) if "system" in conceded else messages}


def _without_tools(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages with what the tool answered as a part of the question before it."""
    plain: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            plain[-1]["content"] += f"\n\nThe search returned:\n{message['content']}"
        elif not message.get("tool_calls"):
            plain.append(dict(message))
    return plain


def _without_system(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages with the rules at the head of the first question."""
    rules, first, *others = messages
    return [{**first, "content": f"{rules['content']}\n\n{first['content']}"}, *map(dict, others)]

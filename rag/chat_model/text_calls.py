"""Tool calls that a model writes as text, as small models do: taken as calls, and never shown.

    calls = TextCalls()
    show(calls.feed(piece))      # "" while it may be the opening of a call
    rest, called = calls.end()
    show(rest)

Read are a bare JSON object or a list of them, `<tool_call>`, `[TOOL_CALLS]`, `<function=name>`, `<invoke>` with
parameters, `name(query="…")`, `Action: name`, YAML, the formats of Qwen, Llama, DeepSeek, Gemma and Harmony, each
bare or in a block of code. Thoughts, in tags or in lines of their own, and marks of chat formats are left out before.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from rag.chat_model.react import ReactLines
from rag.chat_model.tool_names import ALIAS, TOOL_ARGUMENTS, TOOL_NAME
from rag.chat_model.unspoken import Unspoken

MAX_CHARS = 8_000
"""How long an opening may be held back; no call is longer."""

_NAMES = rf"(?:to=|call:)?(?:functions\.)?(?:{TOOL_NAME}|{ALIAS})(?:\.call)?"
_TAG = (
    r"(?:<\|?/?(?:tool_calls?|tool_use|function_calls?|function|tools?|python_tag|invoke|action|start_function_call|"
    rf"name|arguments|parameters|args|input|{TOOL_NAME}|{ALIAS})\b[^>\n]{{0,120}}>|\[/?(?:TOOL_CALLS?|ARGS)\]|"
    r"[\"']?\b(?:Action Input|Action|Tool call|Tool|Function call|Function|Name|"
    r"Arguments|Parameters|Input)[\"']?[ \t]*:)"
)
_FENCE = r"(?:`{3,}+[ \t]*[\w-]*(?:[ \t]call)?\s*+)"
_OPENING = regex.compile(
    rf"{_FENCE}?(?:print\(|\[(?=\s*{_NAMES}))?(?:(?:{_TAG}|{_NAMES}){_FENCE}?(?:[ \t]*json\b)?\s*{_FENCE}?)*+"
    rf"(?P<body>(?<=(?:{_NAMES})\s*)[({{]|[\[{{](?=\s*[\"'\[{{])|<(?:parameter|query)\b"
    rf"|(?<=(?:{_NAMES})\W[^{{}}()]{{0,40}})query[ \t]*:|(?<=\bAction Input[ \t]*:[ \t]*)[^\s{{\[<][^\n]*)",
    regex.IGNORECASE,
)
_CANDIDATE = regex.compile(r"(?:(?<=\s)|^)[^\s`]|<|(?<!`)`|\[T", regex.IGNORECASE)
_WORDS = (
    *("print(", "to=", "call:", "functions.", TOOL_NAME, ALIAS, "action", "tool", "function", "name", "arguments"),
    *("parameters", "input", "query"),
)
_BEGINNINGS = frozenset(word[:length] for word in _WORDS for length in range(1, len(word)))
_LONGEST = max(map(len, _WORDS))
_NAME = regex.compile(rf"({TOOL_NAME}|{ALIAS})", regex.IGNORECASE)
_XML = regex.compile(
    r"<(?:parameter(?:=|\s+name=)[\"']?)?(\w+)[\"']?\s*>(.*?)</(?:parameter|query)>", regex.DOTALL | regex.IGNORECASE
)
_XML_END = regex.compile(rf"</(?:function|invoke|tool_call|{TOOL_NAME}|{ALIAS})\s*>", regex.IGNORECASE)
_TAGGED = regex.compile(_TAG, regex.IGNORECASE)
_KEYED = regex.compile(r'"(?:query|arguments)"\s*:')
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_CALL_KEYS = {"name", "tool", "tool_name", "function", "function_name", "action"}
_ARGUMENT_KEYS = {"arguments", "parameters", "args", "input", "action_input", "kwargs"}
_ANSWER_KEYS = ("answer", "response", "final_answer", "content", "text")


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call as it was written; `arguments` is JSON of those that the tool has, or whatever stands in their place."""

    name: str
    arguments: str


class TextCalls:
    """Filters the text of one reply. After the first call nothing more is shown: it would be invented results."""

    def __init__(self) -> None:
        self._found: list[TextCall] = []
        self._held = ""
        self._before = "\n"
        self._look_at = 0
        self._unspoken = Unspoken()
        self._lines = ReactLines()
        self._is_in_fence = False

    def feed(self, text: str) -> str:
        """Take the next piece; return what is safe to show."""
        self._held += self._lines.feed(self._unspoken.feed(text))
        if len(self._held) < self._look_at:
            return ""
        shown = self._released(is_end=False)
        # What is held back is looked at again when it has grown by an eighth: looking takes time in proportion to it.
        self._look_at = len(self._held) * 9 // 8
        return shown

    def end(self) -> tuple[str, tuple[TextCall, ...]]:
        """Return what is left and what was called, the reply being complete.

        A call that was cut off is one that cannot be read.
        """
        self._held += self._lines.feed(self._unspoken.end()) + self._lines.end()
        rest = self._released(is_end=True)
        return rest, tuple(self._found)

    def _released(self, *, is_end: bool) -> str:
        shown = ""
        while not self._awaits_fence(is_end=is_end) and self._held:
            start, opening = self._next_opening(is_end=is_end)
            if start:
                shown += self._release(start)
                continue  # the places of the opening are those in what is held
            end = _end_of_body(self._held, opening, is_end=is_end) if opening is not True else None
            if end is None and not is_end and len(self._held) < MAX_CHARS:
                break
            if end is None:
                shown += self._cut_off(opening)
                continue
            shown += self._taken(opening, end)
        return "" if self._found else shown

    def _awaits_fence(self, *, is_end: bool) -> bool:
        """Drop the end of the block of code around an answer; return whether it has not come whole yet."""
        if not self._is_in_fence:
            return False
        rest = self._held.lstrip()
        if "```".startswith(rest) and rest != "```" and not is_end:
            return True
        self._held, self._is_in_fence = rest.removeprefix("```"), False
        return False

    def _release(self, end: int) -> str:
        text, self._held = self._held[:end], self._held[end:]
        self._before = text[-1:] or self._before
        return text

    def _next_opening(self, *, is_end: bool) -> tuple[int, Any]:
        """Return where the first opening of a call begins: its match, True where it is not complete, or None
        without one.
        """
        # With the interpreter's lock: to get it back from a thread that embeds takes longer than so short a search.
        candidates = _CANDIDATE.finditer(self._held, concurrent=False)
        for at in (candidate.start() for candidate in candidates):
            if not at and not self._before.isspace() and self._held[0] not in "<`[":
                continue  # in the middle of a word
            if not _may_open(self._held, at):
                continue
            found = _OPENING.match(self._held, at, partial=not is_end)
            if found and found.end() > at:
                return at, True if found.partial else found
        return len(self._held), None

    def _taken(self, opening: Any, end: int) -> str:
        """Take what is complete: as calls, as an answer in JSON, or as the text that it is."""
        written = self._held[:end]
        calls = list(_calls_in(written, opening))
        if calls:
            self._found += calls
            self._held = self._held[end:]
            return ""
        value = _value(written[opening.start("body") :])
        if (answer := _answer_in(value)) is None:
            return self._release(end)
        self._held = self._held[end:]
        self._is_in_fence = written.startswith("```")
        return answer

    def _cut_off(self, opening: Any) -> str:
        """Return what was held back for too long, or to the end: dropped where it means to call."""
        held, self._held = self._held, ""
        if _NAME.search(held) or _TAGGED.search(held, 0, 40) or _KEYED.search(held):
            self._found.append(TextCall(TOOL_NAME, held))
            return ""
        return held


def _may_open(text: str, at: int) -> bool:
    """Return whether an opening may begin here, by its first word alone: looking for a whole one takes long."""
    if not text[at].isalpha():
        return True
    rest = text[at : at + _LONGEST].casefold()
    return rest.startswith(_WORDS) or rest in _BEGINNINGS


def _end_of_body(text: str, opening: Any, *, is_end: bool) -> int | None:
    """Return where the body ends: at its closing bracket, strings and brackets in it being skipped."""
    start = opening.start("body")
    if text[start] == "<":
        found = _XML_END.search(text, start)
        return found.end() if found else None
    if text[start] not in _CLOSERS:
        line = text.find("\n", start)
        return line if line >= 0 else (len(text) if is_end else None)
    return _end_of_brackets(text, start)


def _end_of_brackets(text: str, start: int) -> int | None:
    stack: list[str] = []
    at = start
    while at < len(text):
        char = text[at]
        if char == '"' or (char == "'" and (text[at - 1] in "([{,=: ")):
            at = _end_of_string(text, at)
        elif char in _CLOSERS:
            stack.append(_CLOSERS[char])
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return at + 1
        at += 1
    return None


def _end_of_string(text: str, start: int) -> int:
    """Return where the string ends that a quotation mark opens; the text ends where it does not."""
    at = start + 1
    while at < len(text) and text[at] != text[start]:
        at += 2 if text[at] == "\\" else 1
    return at


def _calls_in(written: str, opening: Any) -> Iterator[TextCall]:
    head, body = written[: opening.start("body")], written[opening.start("body") :]
    tool = _tool_in(head)
    name = tool or _tag_name(head)
    if (given := _as_keys(body)) is not None:
        # Arguments in a line or in brackets are those of the tool, whatever a tag says.
        named_by = name if tool or body[0] == "<" else ""
        yield TextCall(named_by or TOOL_NAME, _arguments(given))
        return
    value = _value(body)
    if value is not None:
        yield from _listed_calls(value, name)
    elif tool or _TAGGED.search(head):
        yield TextCall(tool or TOOL_NAME, body)


def _listed_calls(value: Any, name: str) -> Iterator[TextCall]:
    for item in value if isinstance(value, list) else [value]:
        if call := _as_call(item, name):
            yield call


def _as_keys(body: str) -> dict[str, Any] | None:
    """Return the arguments of a body that is elements, a line or a call of Python; None for one in JSON."""
    if body[0] == "<":
        return {name: given.strip() for name, given in _XML.findall(body)}
    if body[0] == "(":
        return _keywords(body)
    if body[0] in "[{":
        return None
    line = body.split("\n")[0]
    key, colon, rest = line.partition(":")
    return {"query": (rest if colon and key.rstrip(" \t").lower() == "query" else line).strip(" \"'")}


def _arguments(given: Any) -> str:
    """Return the arguments that the tool has, as JSON; `query` may have another name if it is the only text."""
    if not isinstance(given, Mapping):
        return json.dumps(given)
    known = {name: value for name, value in given.items() if name in TOOL_ARGUMENTS}
    texts = [value for value in given.values() if isinstance(value, str)]
    if "query" not in known and len(texts) == 1:
        known["query"] = texts[0]
    return json.dumps(known)


def _tool_in(head: str) -> str:
    found = _NAME.search(head)
    return found[1] if found else ""


def _tag_name(head: str) -> str:
    found = regex.search(r"<\|?(?:function=|invoke name=)[\"']?([\w.-]+)", head, regex.IGNORECASE)
    return found[1] if found else ""


def _as_call(value: Any, name: str) -> TextCall | None:
    """Return the call that an object is, by its keys; None for one that is not."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("tool_calls"), list) and value["tool_calls"]:
        return _as_call(value["tool_calls"][0], name)
    if isinstance(value.get("function"), Mapping):
        return _as_call(value["function"], name)
    return _call_by_name(value) or _call_by_arguments(value, name)


def _call_by_name(value: Mapping[str, Any]) -> TextCall | None:
    """Return the call that an object names itself."""
    called, given = _called(value), _given(value)
    if given is None and called in (TOOL_NAME, ALIAS):
        given = {key: value[key] for key in value if key not in _CALL_KEYS}
    return None if called is None or given is None else TextCall(called, _written(given))


def _written(given: Any) -> str:
    return given if isinstance(given, str) else _arguments(given)


def _called(value: Mapping[str, Any]) -> str | None:
    return next((value[key] for key in value if key in _CALL_KEYS and isinstance(value[key], str)), None)


def _given(value: Mapping[str, Any]) -> Any:
    return next((value[key] for key in value if key in _ARGUMENT_KEYS), None)


def _call_by_arguments(value: Mapping[str, Any], name: str) -> TextCall | None:
    """Return the call whose arguments an object is or holds; its name stands outside, or nowhere."""
    arguments = _given(value)
    if isinstance(arguments, Mapping) and "query" in arguments:
        return TextCall(name or TOOL_NAME, _arguments(arguments))
    if name or (isinstance(value.get("query"), str) and value.keys() <= set(TOOL_ARGUMENTS)):
        return TextCall(name or TOOL_NAME, _arguments(value))
    return None


def _answer_in(value: Any) -> str | None:
    """Return the answer of a model that writes it as JSON."""
    if not isinstance(value, Mapping) or len(value) > 3:
        return None
    return next((value[key] for key in _ANSWER_KEYS if isinstance(value.get(key), str)), None)


def _value(text: str) -> Any:
    """Return what JSON says, or the same in the notation of Python; None for anything else."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _keywords(body: str) -> dict[str, Any]:
    """Return the arguments of a call in the notation of Python; a lone text is the query."""
    call = _parsed(f"f{body}")
    if not isinstance(call, ast.Call):
        return {}
    if call.args and isinstance(call.args[0], ast.Dict):
        return _value(ast.unparse(call.args[0])) or {}
    given = {"query": call.args[0]} if call.args else {}
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    return {name: value.value for name, value in given.items() if isinstance(value, ast.Constant)}


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None

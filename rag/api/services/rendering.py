"""Colours of code and the layout of formulas, as plain values that a page makes elements of: no markup is sent.

Run as a program it answers lines of JSON, see `rag.api.services.renderer`.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

MAX_CODE_CHARS = 10_000
MAX_FORMULA_CHARS = 1000
"""What is longer stays text."""

SECONDS = 1.0
"""Processor time for one text, which other work on the machine does not use up."""

HAS_TIMER = hasattr(signal, "setitimer")
"""Whether a process can bound its own processor time; Windows has no such timer."""

Span = tuple[str, str]
"""A kind of CLASSES, or none, and the text that has it."""

MathNode = str | tuple[str, Mapping[str, str], tuple["MathNode", ...]]
"""An element of MathML with its attributes and children, or text."""

DIALECTS: Mapping[str, str] = {
    name: language
    for language, names in {"xml": "launch sdf urdf xacro", "json": "jsonc json5", "yaml": "ros2"}.items()
    for name in names.split()
}
"""Names of fences that Pygments does not know."""

CLASSES = ("comment", "keyword", "name", "string", "number", "added", "removed")
"""The kinds of text that have a colour."""

ELEMENTS = frozenset(
    [
        *("math", "mrow", "mi", "mn", "mo", "mtext", "ms", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup"),
        *("munder", "mover", "munderover", "mtable", "mtr", "mtd", "mspace", "mstyle", "mpadded", "mphantom"),
        "menclose",
    ]
)
ATTRIBUTES = frozenset(
    [
        *("display", "displaystyle", "scriptlevel", "stretchy", "fence", "separator", "form", "lspace", "rspace"),
        *("symmetric", "largeop", "movablelimits", "accent", "accentunder", "linethickness", "mathvariant"),
        *("columnalign", "notation"),
    ]
)
"""Those that change how a formula is set; none that link, style or colour."""

_SPACE = re.compile(r"\d?\.?\d+em")
_NAME = re.compile(r"[{.]*([\w+#-]+)")


def coloured(code: str, info: str) -> list[Span] | None:
    """Return code in parts of one colour each, None where its language is not known or it is too long."""
    from pygments import lex
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    name = _NAME.match(info.strip().lower())
    if name is None or len(code) > MAX_CODE_CHARS:
        return None
    try:
        lexer = get_lexer_by_name(DIALECTS.get(name[1], name[1]), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    spans: list[Span] = []
    # Some lexers read nothing behind the last end of a line.
    for token, text in lex(code + "\n", lexer):
        kind = _class_of(token)
        if spans and spans[-1][0] == kind:
            spans[-1] = (kind, spans[-1][1] + text)
        else:
            spans.append((kind, text))
    if "".join(text for _, text in spans) != code + "\n":
        return None  # the lexer has changed what was written
    kind, last = spans.pop()
    return [*spans, (kind, last[:-1])] if last != "\n" else spans


def _class_of(token: Any) -> str:
    from pygments.token import Token

    found = {
        Token.Comment: "comment",
        Token.Keyword: "keyword",
        Token.Operator.Word: "keyword",
        Token.Name.Builtin: "keyword",
        Token.Name.Function: "name",
        Token.Name.Class: "name",
        Token.Name.Tag: "name",
        Token.Name.Decorator: "name",
        Token.Name.Attribute: "name",
        Token.Literal.String: "string",
        Token.Literal.Number: "number",
        Token.Generic.Inserted: "added",
        Token.Generic.Deleted: "removed",
    }
    return next((found[part] for part in reversed(token.split()) if part in found), "")


def formula(tex: str, is_display: bool) -> MathNode | None:
    """Return a formula of TeX as MathML, None where it cannot be read as one."""
    if not tex.strip() or len(tex) > MAX_FORMULA_CHARS:
        return None
    from latex2mathml.converter import convert

    try:
        markup = convert(tex, display="block" if is_display else "inline")
        return _node(ElementTree.fromstring(markup))
    except (Exception, RecursionError):
        # The library raises whatever its reading of a broken formula runs into.
        return None


def _node(element: ElementTree.Element) -> MathNode:
    """Return an element without what is not allowed; raises ValueError for a command that is not known."""
    name = element.tag.rpartition("}")[2]
    text = (element.text or "").strip("\n")
    if name not in ELEMENTS or (name == "mi" and text.startswith("\\")):
        raise ValueError(f"<{name}>{text} is not shown")
    inner: tuple[MathNode, ...] = (text,) if text else ()
    return (name, _attributes(name, element), inner + tuple(_node(child) for child in element))


def _attributes(name: str, element: ElementTree.Element) -> dict[str, str]:
    is_space = name == "mspace" and _SPACE.fullmatch(element.get("width", ""))
    kept = {*ATTRIBUTES, "width"} if is_space else ATTRIBUTES
    return {key: value for key, value in element.attrib.items() if key in kept}


def main() -> None:
    """Answer each line of stdin, `["code", TEXT, INFO]` or `["math", TEXT, IS_DISPLAY]`, with one of stdout.

    The system ends the process when a text takes longer than SECONDS: nothing else interrupts a pattern that runs.
    """
    # Libraries are loaded before the clock of a text runs.
    coloured("1", "python")
    formula("1", False)
    with open(0, encoding="utf-8") as asked, open(1, "w", encoding="utf-8", buffering=1) as replies:
        for line in asked:
            kind, text, how = json.loads(line)
            if HAS_TIMER:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            rendered: Any = coloured(text, how) if kind == "code" else formula(text, how)
            if HAS_TIMER:
                signal.setitimer(signal.ITIMER_PROF, 0)
            replies.write(json.dumps(rendered) + "\n")


if __name__ == "__main__":
    main()

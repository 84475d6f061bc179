"""The markup inside the lines of a page, each mark with its place: markdown-it reads it, so that code stays code.

What stands in code spans and formulas is never looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from functools import cache
from html import unescape
from html.entities import html5
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from ingestion.markdown.syntax import Syntax
from ingestion.markdown.tags import TagReader
from ingestion.markdown.visible import shortcode_words, shown_template_tag, tag_words


class Edit(NamedTuple):
    """A stretch of the page that is replaced where it is searched or quoted, and the rule that says so."""

    start: int
    end: int
    replacement: str
    rule: str


Rule = Callable[[StateInline, bool], bool]

_ATTRIBUTE = r"(?:[#.][\w:-]++|[\w:-]++=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'{}]++))"
_LIST = rf"\{{:?[ \t]*+{_ATTRIBUTE}(?:[ \t]++{_ATTRIBUTE})*+[ \t]*+\}}(?!\}})"
_FORMULAS = re.compile(
    r"\$\$.{1,2000}?\$\$|\$(?=[^\s$])(?:[^$\n\\]|\\.|\n(?!\n)){0,500}?(?<=[^\s\\])\$(?![\d$])"
    r"|\\\((?!\s*\)).{1,2000}?\\\)|\\\[(?!\s*\]).{1,2000}?\\\]",
    re.S,
)
_DOUBLED = re.compile(r"\\\\(?:\(.{1,2000}?\\\\\)|\[.{1,2000}?\\\\\])", re.S)
"""Formulas whose marks Markdown reads as one backslash each."""

_CLOSINGS = {"{{<": "}}", "{{%": "}}", "{%": "%}", "{::": "}", "{:/": "}", "{*": "*}"}
"""What ends a shortcode of Hugo, a tag of Liquid, an extension of kramdown, and a macro."""

_ATTRIBUTES = re.compile(rf"\{{#[\w.:-]+\}}|\{{:[ \t]*+(?:[a-z_]++)[ \t]*+\}}|{_LIST}")
_OWN_LINE = re.compile(rf"{_LIST}[ \t]*(?=\n|$)")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ALERT = re.compile(r"\[!(?P<kind>[A-Za-z]+)\][+-]?(?P<title>[ \t]*[^\s\n])?")
_NOTE = re.compile(r"\[\^(?P<label>[^\]\s]{1,200})\](?!:)")
_NOTE_DEFINITION = re.compile(r"^[ \t>]*\[\^([^\]\s]{1,200})\]:", re.M)
_CODE_SPAN = re.compile(r"`[^`]*`")
_BRACKET = re.compile(r"\\.|[\[\]]", re.S)
_MAX_HEIGHT = 8
"""Brackets in brackets that may be links: pictures in links need three."""

_WIKI = re.compile(r"\[\[(?:[^\[\]|\n]{1,300}\|)?(?P<words>[^\[\]|\n]{1,300})\]\]")
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]{1,300}\]\]")
_ICON = re.compile(rf":[a-z][\w+-]{{1,80}}:(?![\w:])(?:{_LIST})?")
_KEYS = re.compile(r"\+\+[\w\"'-]+(?:\+[\w\"'-]+)*\+\+")
_MARKED = re.compile(r"==(?=[^\s=])[^=\n]{1,500}(?<=[^\s=])==(?!=)")
_WORTH = re.compile(r"[<\[&{]|\\\\[(\[]|:[a-z]|\+\+|==")
_WORTH_QUOTED = re.compile(r"[<\[&{*_~]|\\\\[(\[]|:[a-z]|\+\+|==")
_WORDLESS = re.compile(r"<!--[ ]?-->")
_STRUCK = frozenset(("del", "s", "strike"))


class Marks(NamedTuple):
    """The markup of a stretch of text: what is not searched, and what is left out of quotes besides."""

    edits: list[Edit]
    quoted: list[Edit]


class InlineReader:
    """Reads the lines of one page; `references` are the labels of its link definitions."""

    def __init__(self, text: str, syntax: Syntax, props: Sequence[str], references: Set[str]) -> None:
        self._tags = TagReader(text)
        self._syntax = syntax
        self._props = tuple(props)
        self._notes = frozenset(_NOTE_DEFINITION.findall(text)) if "[^" in text else frozenset()
        self._references = {label: {"href": "", "title": ""} for label in references}

    def read(self, text: str, *, quoted: bool, is_heading: bool = False) -> Marks:
        """Return the markup of a paragraph, a heading, a cell or a block of HTML, as offsets into it."""
        if not (_WORTH_QUOTED if quoted else _WORTH).search(text):
            return Marks([], [])
        reader = _reader(self._syntax)
        env: dict[str, Any] = {
            "references": self._references,
            "tags": self._tags.reading(text),
            "props": self._props,
            "is_heading": is_heading,
            "notes": self._notes,
            "opens": _openings(text) if "[" in text else frozenset(),
            "absent": set(),
            "edits": [],
            "quoted": [],
            "marks": [],
            "closers": {},
            "struck": [],
        }
        state = StateInline(text, reader, env, [])
        env["state"] = state
        reader.inline.tokenize(state)
        for rule in reader.inline.ruler2.getRules(""):
            rule(state)
        _add_emphasis(env)
        _add_struck_elements(env)
        return Marks(sorted(env["edits"]), sorted(env["quoted"]))


def _openings(text: str) -> frozenset[int]:
    """Return the brackets that may begin a link: they close and hold few others, so that reading stays linear."""
    plain = _CODE_SPAN.sub(lambda span: " " * len(span[0]), text)
    found: list[int] = []
    opened: list[tuple[int, int]] = []
    for mark in _BRACKET.finditer(plain):
        if mark[0] == "[":
            opened.append((mark.start(), 1))
        elif mark[0] == "]" and opened:
            start, height = opened.pop()
            if height <= _MAX_HEIGHT:
                found.append(start)
            if opened:
                opened[-1] = (opened[-1][0], max(opened[-1][1], height + 1))
    return frozenset(found)


def _add_emphasis(env: dict[str, Any]) -> None:
    """Add the marks that became emphasis, and the text that is struck."""
    struck: list[int] = []
    for token, start, length in sorted(env["marks"], key=lambda mark: int(mark[1])):
        if token.type == "text" and token.content:
            continue
        if token.type == "s_open":
            struck.append(start)
        elif token.type == "s_close" and struck:
            env["quoted"].append(Edit(struck.pop(), start + length, "", "struck"))
        env["quoted"].append(Edit(start, start + length, "", "emphasis"))


def _add_struck_elements(env: dict[str, Any]) -> None:
    opened: list[tuple[str, int]] = []
    for name, start, end in env["struck"]:
        if not name.startswith("/"):
            opened.append((name, start))
        elif opened and opened[-1][0] == name[1:]:
            env["quoted"].append(Edit(opened.pop()[1], end, "", "struck"))


@cache
def _reader(syntax: Syntax) -> MarkdownIt:
    reader = MarkdownIt("commonmark").enable("strikethrough")
    ruler = reader.inline.ruler
    ruler.before("escape", "formula", _formula)
    ruler.before("link", "bracket", _bracket_rule(syntax))
    ruler.before("link", "brace", _brace)
    ruler.after("image", "reference", _unresolved)
    ruler.at("html_inline", _tag)
    ruler.at("entity", _entity)
    for name, rule in (("icons", _icon), ("keys", _keys), ("marks", _marked)):
        if name in syntax.inline:
            ruler.before("link", name, rule)
    for name in ("link", "image", "strikethrough", "emphasis"):
        ruler.at(name, _RECORDED[name])
    reader.inline.ruler2.disable("fragments_join")
    return reader


def _matched(pattern: re.Pattern[str], name: str, replacement: str = "") -> Rule:
    """Return a rule for what a pattern matches, which is replaced."""

    def rule(state: StateInline, silent: bool) -> bool:
        found = pattern.match(state.src, state.pos, state.posMax)
        return found is not None and _take(
            state, silent, found.end(), [(found.start(), found.end(), replacement, name)]
        )

    return rule


def _take(state: StateInline, silent: bool, end: int, edits: Sequence[tuple[int, int, str, str]]) -> bool:
    """Go on behind something, and note its edits unless it is only looked at, or is part of a description."""
    if not silent and state.env["state"] is state:
        state.env["edits"] += [Edit(*edit) for edit in edits]
    state.pos = end
    return True


def _formula(state: StateInline, silent: bool) -> bool:
    """Pass a formula; doubled backslashes at its ends are one on the page."""
    if state.src[state.pos] not in "$\\":
        return False
    if doubled := _DOUBLED.match(state.src, state.pos, state.posMax):
        start, end = doubled.span()
        ends = [(start, start + 1, "", "escape"), (end - 3, end - 2, "", "escape")]
        return _take(state, silent, end, ends)
    found = _FORMULAS.match(state.src, state.pos, state.posMax)
    return found is not None and _take(state, silent, found.end(), ())


def _bracket_rule(syntax: Syntax) -> Rule:
    has_wiki = "wiki" in syntax.inline

    def rule(state: StateInline, silent: bool) -> bool:
        """Read what begins with `[` and is no link: an alert's mark, a footnote's, a wiki link."""
        source, at, end = state.src, state.pos, state.posMax
        if source[at] == "!" and has_wiki and (found := _EMBEDDED.match(source, at, end)):
            return _take(state, silent, found.end(), [(at, found.end(), "", "image-address")])
        if source[at] != "[":
            return False
        found = _NOTE.match(source, at, end)
        if found and (found["label"].isdigit() or found["label"] in state.env["notes"]):
            return _take(state, silent, found.end(), [(at, found.end(), "", "footnote-mark")])
        if found := _ALERT.match(source, at, end):
            stop = source.index("]", at) + 1
            stop += source[stop : stop + 1] in ("+", "-")
            words = "" if found["title"] else found["kind"].capitalize() + ":"
            return _take(state, silent, stop, [(at, stop, words, "admonition-mark")])
        if found := (has_wiki and _WIKI.match(source, at, end)) or None:
            first, last = found.span("words")
            edits = [(at, first, "", "link-address"), (last, found.end(), "", "link-address")]
            return _take(state, silent, found.end(), edits)
        return False

    return rule


def _brace(state: StateInline, silent: bool) -> bool:
    """Read a tag of templates, or a list of attributes behind what it belongs to or on a line of its own."""
    source, at = state.src, state.pos
    if source[at] != "{":
        return False
    opening = next((mark for mark in _CLOSINGS if source.startswith(mark, at)), None)
    end = _closing_of(state, opening) if opening and not source.startswith("{%%", at) else -1
    if end >= 0:
        tag = source[at:end]
        words = shortcode_words(tag) if tag.startswith(("{{", "{%")) else ""
        shown = shown_template_tag(tag) or (words and f"{words}: ")
        return _take(state, silent, end, [(at, end, shown, "shortcode")])
    begins = not source[:at].rpartition("\n")[2].strip()
    found = _ATTRIBUTES.match(source, at, state.posMax)
    if found is None or not (
        found[0].startswith(("{#", "{:"))
        or source[at - 1 : at] in tuple(")]*_`:")
        or ((begins or state.env["is_heading"]) and _OWN_LINE.match(source, at))
    ):
        return False
    if "=" in found[0] and not re.search(r"=[\"']|[#.:]", found[0]) and not begins:
        return False  # `x{i=1}`
    rule = "heading-id" if found[0].startswith("{#") else "attributes"
    return _take(state, silent, found.end(), [(at, found.end(), "", rule)])


def _closing_of(state: StateInline, opening: str) -> int:
    """Return where a tag of templates ends, or -1; what the text lacks is looked for only once."""
    closing = _CLOSINGS[opening]
    if closing in state.env["absent"]:
        return -1
    found: int = state.src.find(closing, state.pos + len(opening), state.posMax)
    if found < 0:
        state.env["absent"].add(closing)
        return -1
    return found + len(closing)


def _entity(state: StateInline, silent: bool) -> bool:
    found = _ENTITY.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "&" else None
    if found is None or not (found[0].startswith("&#") or found[0][1:] in html5):
        return False
    shown = unescape(found[0]).replace("\xa0", " ")
    return _take(state, silent, found.end(), [(*found.span(), shown, "entity")])


def _tag(state: StateInline, silent: bool) -> bool:
    """Read a tag; its words stay."""
    source, at = state.src, state.pos
    if source[at] != "<":
        return False
    if empty := _WORDLESS.match(source, at, state.posMax):
        return _take(state, silent, empty.end(), [(*empty.span(), "", "comment")])
    tag = state.env["tags"].read(at, state.posMax)
    if tag is None:
        return False
    stop, gap = tag
    words = tag_words(source[at:stop], state.env["props"])
    before, after = source[at - 1 : at].strip() if at else "", source[stop : stop + 1].strip()
    if words:
        replacement = f"{' ' if before else ''}{words}{' ' if after else ''}"
    else:
        replacement = gap if before and after else ""
    name = re.match(r"</?([a-z]+)", source[at:stop])
    if name and name[1] in _STRUCK and not silent and state.env["state"] is state:
        state.env["struck"].append(("/" * source.startswith("</", at) + name[1], at, stop))
    return _take(state, silent, stop, [(at, stop, replacement, "tag")])


def _icon(state: StateInline, silent: bool) -> bool:
    at = state.pos
    if state.src[at] != ":" or (at and (state.src[at - 1].isalnum() or state.src[at - 1] in ":_")):
        return False
    return _ICON_RULE(state, silent)


_ICON_RULE = _matched(_ICON, "shortcode")


def _keys(state: StateInline, silent: bool) -> bool:
    found = _KEYS.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "+" else None
    if found is None:
        return False
    start, end = found.span()
    return _take(state, silent, end, [(start, start + 2, "", "mark"), (end - 2, end, "", "mark")])


def _marked(state: StateInline, silent: bool) -> bool:
    """Read the marks around highlighted words, one at a time: there may be markup between them."""
    at, closers = state.pos, state.env["closers"]
    if state.src[at] != "=":
        return False
    if at not in closers:
        found = _MARKED.match(state.src, at, state.posMax)
        if found is None or (at and state.src[at - 1] == "="):
            return False
        closers[found.end() - 2] = True
    return _take(state, silent, at + 2, [(at, at + 2, "", "mark")])


def _unresolved(state: StateInline, silent: bool) -> bool:
    """Read `[words][label]` whose definition stands elsewhere."""
    is_image = state.src[state.pos] == "!"
    opening = state.pos + is_image
    if opening not in state.env["opens"]:
        return False
    closing = state.md.helpers.parseLinkLabel(state, opening, True)
    label = re.compile(r"\[[^\[\]\n]*\]").match(state.src, closing + 1, state.posMax) if closing >= 0 else None
    if label is None:
        return False
    rule = "image-address" if is_image else "link-address"
    edits = [(state.pos, opening + 1, "", rule), (closing, label.end(), "", rule)]
    if not silent and not is_image:
        end, last = label.end(), state.posMax
        state.pos, state.posMax = opening + 1, closing
        state.md.inline.tokenize(state)
        state.pos, state.posMax = end, last
    return _take(state, silent, label.end(), edits)


def _recorded_link(state: StateInline, silent: bool) -> bool:
    from markdown_it.rules_inline import link

    start = state.pos
    if start not in state.env["opens"]:
        return False
    opened = not silent and state.env["state"] is state
    closing = state.md.helpers.parseLinkLabel(state, start, True) if opened else -1
    if not link(state, silent):
        return False
    edits = [(start, start + 1, "", "link-address"), (closing, state.pos, "", "link-address")] if opened else ()
    return _take(state, silent, state.pos, edits)


def _recorded_image(state: StateInline, silent: bool) -> bool:
    from markdown_it.rules_inline import image

    start = state.pos
    if state.src[start] != "!" or start + 1 not in state.env["opens"]:
        return False
    opened = not silent and state.env["state"] is state
    closing = state.md.helpers.parseLinkLabel(state, start + 1, False) if opened else -1
    if not image(state, silent):
        return False
    if opened:
        state.env["quoted"].append(Edit(start, state.pos, "", "picture"))
    edits = [(start, start + 2, "", "image-address"), (closing, state.pos, "", "image-address")] if opened else ()
    return _take(state, silent, state.pos, edits)


def _recorded_marks(name: str) -> Rule:
    from markdown_it.rules_inline import emphasis, strikethrough

    original = emphasis.tokenize if name == "emphasis" else strikethrough.tokenize

    def rule(state: StateInline, silent: bool) -> bool:
        """Read marks of emphasis, and note where each token of them stands."""
        start = state.pos
        if not original(state, silent):
            return False
        if state.env["state"] is state:
            at = state.pos
            for token in reversed(state.tokens):
                if at <= start:
                    break
                at -= len(token.content)
                state.env["marks"].append((token, at, len(token.content)))
        return True

    return rule


_RECORDED: dict[str, Rule] = {
    "link": _recorded_link,
    "image": _recorded_image,
    "strikethrough": _recorded_marks("strikethrough"),
    "emphasis": _recorded_marks("emphasis"),
}

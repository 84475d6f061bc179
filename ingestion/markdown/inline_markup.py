"""The markup inside the lines of a page, each mark with its place, so that code and formulas stay as written.

Each stretch is read once, where it stands in the page and from mark to mark: code and formulas are passed, brackets
are paired as CommonMark pairs them, and marks of emphasis by markdown-it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from functools import cache
from html import unescape
from html.entities import html5
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.autolink import AUTOLINK_RE, EMAIL_RE
from markdown_it.rules_inline.balance_pairs import processDelimiters
from markdown_it.rules_inline.entity import DIGITAL_RE, NAMED_RE
from markdown_it.rules_inline.state_inline import Delimiter

from ingestion.markdown.code_spans import end_of_code, end_of_ticks
from ingestion.markdown.fences import after_marks
from ingestion.markdown.notes import NOTE, defined_notes
from ingestion.markdown.syntax import Syntax
from ingestion.markdown.tags import TagReader, tag_name
from ingestion.markdown.visible import shortcode_words, shown_template_tag, tag_words


class Edit(NamedTuple):
    """A stretch of the page that is replaced where it is searched or quoted, and the rule that says so."""

    start: int
    end: int
    replacement: str
    rule: str


_ATTRIBUTE = r"(?:[#.][\w:-]++|[\w:-]++=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'{}]++))"
_LIST = rf"\{{:?[ \t]*+{_ATTRIBUTE}(?:[ \t]++{_ATTRIBUTE})*+[ \t]*+\}}(?!\}})"
FORMULA = re.compile(
    r"\$\$.{1,2000}?\$\$|\$(?=[^\s$])(?:[^$\n\\]|\\.|\n(?!\n)){0,500}?(?<=[^\s\\])\$(?![\d$])"
    r"|\\\((?!\s*\)).{1,2000}?\\\)|\\\[(?!\s*\]).{1,2000}?\\\]",
    re.S,
)
_DOUBLED = {r"\\(": r"\\)", r"\\[": r"\\]"}
"""What ends a formula whose marks Markdown reads as one backslash each."""

_MAX_FORMULA = 2000
_PLAIN = r"(?:[^\s()\\{]|\\\S|\{(?:[{%][^{}\n]*+\})?+)"
_NESTED = rf"\((?:{_PLAIN}|\({_PLAIN}*+\))*+\)"
TARGET = re.compile(
    rf"\(\s*+(?:<(?P<angle>[^<>\n]*+)>|(?!<)(?P<plain>(?:{_PLAIN}|{_NESTED})++))?+"
    r"(?:\s++(?:\"(?:[^\"\\]|\\.){0,500}+\"|'(?:[^'\\]|\\.){0,500}+'|\((?:[^()\\]|\\.){0,500}+\)))?+\s*+\)",
    re.S,
)
"""Where a link leads, and its title; a tag of templates in it may hold blanks."""

_LABEL = re.compile(r"\[([^\[\]]{0,999})\]")
_MAX_LABEL = 1000

_SIGNS = {"^": "carets", "~": "tildes"}
_CLOSINGS = {"{{<": "}}", "{{%": "}}", "{%": "%}", "{::": "}", "{:/": "}", "{*": "*}"}
"""What ends a shortcode of Hugo, a tag of Liquid, an extension of kramdown, and a macro."""

_ATTRIBUTES = re.compile(rf"\{{#[\w.:-]+\}}|\{{:[ \t]*+(?:[a-z_]++)[ \t]*+\}}|{_LIST}")
_OWN_LINE = re.compile(rf"{_LIST}[ \t]*(?=\n|$)")
_MAX_WIKI_LINK = 600
_NOT_IN_WIKI_LINK = frozenset("[]\n")
_ICON = re.compile(rf"(?<![\w:]):[a-z][\w+-]{{1,80}}:(?![\w:])(?:{_LIST})?")
_MAX_MARKED = 500
_CRITIC_SIGNS = ("++", "--", "~~", "==", ">>")
_WORDLESS = ("<!-- -->", "<!---->")
_STRUCK = ("del", "s", "strike")


@cache
def _beginnings(syntax: Syntax, for_quotes: bool) -> re.Pattern[str]:
    """Return a pattern of everything with which markup may begin, or end."""
    chosen = {"icons": r":(?=[a-z])", "keys": r"\+(?=\+)", "marks": "=(?==)", "annotations": r"\((?=\d)"}
    chosen |= {"carets": r"\^", "tildes": "~"}
    others = [form for name, form in chosen.items() if name in syntax.inline]
    return re.compile("|".join((r"[\\`<\[\]&{$]", r"!(?=\[(?!\^))", *others, *(["[*_~]"] if for_quotes else []))))


class InlineReader:
    """Reads stretches of one page for their markup; `references` are the labels of its link definitions.

    `edits` is what is not searched, `quoted` what a quotation lacks besides, which is read only where it is for one.
    A rule takes where something begins and returns where it ends, or what it was given where there is nothing.
    """

    def __init__(
        self, text: str, syntax: Syntax, props: Sequence[str], references: Set[str], *, for_quotes: bool = False
    ) -> None:
        self.edits: list[Edit] = []
        self.quoted: list[Edit] = []
        self.begins = _beginnings(syntax, for_quotes).search
        self._text = text
        self._end = len(text)
        self._tags = TagReader(text)
        self._has_wiki, self._has_critic = "wiki" in syntax.inline, "critic" in syntax.inline
        self._props = tuple(props)
        self._notes = defined_notes(text)
        self._references = references
        self._for_quotes = for_quotes
        self._chosen = frozenset(sign for sign, name in _SIGNS.items() if name in syntax.inline)
        has_marks = for_quotes or self._chosen
        self._emphasis = StateInline(text, _markdown_it(), {}, []) if has_marks else None

    def read(self, start: int, end: int, *, is_heading: bool = False, is_annotated: bool = False) -> None:
        """Add the markup of a paragraph, a heading, a cell or a block of HTML."""
        text, search, at = self._text, self.begins, start
        found = search(text, at, end)
        if found is None:
            return
        self._start, self._end, self._is_heading, self._is_annotated = start, end, is_heading, is_annotated
        self._brackets: list[tuple[int, int, int]] = []
        self._without_links, self._last_bracket, self._last_link_end = 0, -1, -1
        self._marks: list[Delimiter] = []
        self._places: list[int] = []
        self._struck: list[tuple[str, int]] = []
        self._absent: set[str] = set()
        self._highlights: set[int] = set()
        self._pictures: list[Edit] = []
        known = len(self.edits)
        while found:
            begins = found.start()
            at = _RULES[text[begins]](self, begins)
            found = search(text, at if at > begins else begins + 1, end)
        if self._emphasis:
            self._pair(0)
        if self._for_quotes:
            self._add_pictures(known)

    def _add_pictures(self, known: int) -> None:
        """Leave pictures out of a quotation where words stand beside them; `known` edits are not of this stretch."""
        at, words = self._start, []
        for start, end, replacement, _ in sorted([*self._pictures, *self.edits[known:]]) if self._pictures else ():
            words += [self._text[at:start], replacement if start >= at else ""]
            at = max(at, end)
        if self._pictures and any(map(str.isalnum, "".join([*words, self._text[at : self._end]]))):
            self.quoted += self._pictures

    def _take(self, start: int, end: int, rule: str, replacement: str = "") -> int:
        self.edits.append(Edit(start, end, replacement, rule))
        return end

    def _backslash(self, at: int) -> int:
        """Pass a formula or a character that is escaped; doubled backslashes at a formula's ends are one."""
        if closing := _DOUBLED.get(self._text[at : at + 3]):
            last = self._text.find(closing, at + 4, min(self._end, at + _MAX_FORMULA))
            if last >= 0:
                self._take(at, at + 1, "escape")
                self._take(last, last + 1, "escape")
                return last + 3
        return end if (end := self._formula(at)) > at else at + 2

    def _formula(self, at: int) -> int:
        found = FORMULA.match(self._text, at, self._end)
        return found.end() if found else at

    def _code(self, at: int) -> int:
        """Pass a code span, or the marks of one that never ends."""
        inner = end_of_ticks(self._text, at, self._end)
        marks = self._text[at:inner]
        end = -1 if marks in self._absent else end_of_code(self._text, at, self._end)
        if end < 0:
            self._absent.add(marks)
        return max(end, inner)

    def _exclamation(self, at: int) -> int:
        end = self._end_of_wiki_link(at + 1)
        return self._take(at, end, "image-address") if end >= 0 else self._open(at, at + 2)

    def _open(self, at: int, end: int) -> int:
        self._brackets.append((at, end, len(self._marks)))
        self._last_bracket = at
        return end

    def _bracket(self, at: int) -> int:
        """Read an alert's mark, a footnote's or a wiki link, or remember where a link may begin."""
        read = {"^": self._note, "!": self._alert, "[": self._wiki_link}.get(self._text[at + 1 : at + 2])
        end = read(at) if read else -1
        return end if end >= 0 else self._open(at, at + 1)

    def _note(self, at: int) -> int:
        found = NOTE.match(self._text, at, self._end)
        if found is None or found["defines"] or not (found["label"].isdigit() or found["label"] in self._notes):
            return -1
        return self._take(at, found.end(), "footnote-mark")

    def _alert(self, at: int) -> int:
        stop = self._text.find("]", at, self._end)
        kind = self._text[at + 2 : max(stop, 0)]
        if not (kind.isascii() and kind.isalpha()):
            return -1
        stop += 2 if self._text.startswith(("+", "-"), stop + 1) else 1
        title = self._text[stop : self._end].partition("\n")[0]
        return self._take(at, stop, "admonition-mark", "" if title.strip() else kind.capitalize() + ":")

    def _wiki_link(self, at: int) -> int:
        end = self._end_of_wiki_link(at)
        target, bar, words = self._text[at + 2 : max(end - 2, 0)].partition("|")
        if end < 0 or "|" in words or (bar and not (target and words)):
            return -1
        self._take(at, end - 2 - len(words or target), "link-address")
        return self._take(end - 2, end, "link-address")

    def _end_of_wiki_link(self, at: int) -> int:
        """Return where `[[…]]` ends that begins at `at`, or -1."""
        if not self._has_wiki or not self._text.startswith("[[", at):
            return -1
        last = self._text.find("]]", at + 3, min(self._end, at + _MAX_WIKI_LINK))
        return last + 2 if last >= 0 and not _NOT_IN_WIKI_LINK.intersection(self._text[at + 2 : last]) else -1

    def _closing_bracket(self, at: int) -> int:
        """Read the end of a link or a picture whose beginning was seen; no link holds another."""
        if not self._brackets:
            return at
        start, inner, marks = self._brackets.pop()
        depth, is_picture = len(self._brackets), inner - start == 2
        end = self._end_of_link(inner, at) if is_picture or depth >= self._without_links else -1
        if depth < self._without_links or (end > 0 and not is_picture):
            self._without_links = depth
        if end < 0:
            return at
        rule = "image-address" if is_picture else "link-address"
        self.edits += (Edit(start, inner, "", rule), Edit(at, end, "", rule))
        if marks < len(self._marks):
            self._pair(marks)
        if is_picture:
            self._pictures.append(Edit(start, end, "", "picture"))
        self._last_link_end = end
        return end

    def _end_of_link(self, inner: int, at: int) -> int:
        """Return where the link ends whose words end at `at`, or -1; a label on one line may be defined elsewhere."""
        if found := TARGET.match(self._text, at + 1, self._end):
            return found.end()
        label = _LABEL.match(self._text, at + 1, self._end)
        if label and ("\n" not in label[1] or self._is_defined(label[1])):
            return label.end()
        holds_bracket = inner < self._last_bracket
        return at + 1 if not holds_bracket and self._is_defined(self._text[inner:at]) else -1

    def _is_defined(self, label: str) -> bool:
        known = self._references
        return bool(known) and len(label) < _MAX_LABEL and normalizeReference(label) in known

    def _brace(self, at: int) -> int:
        """Read a tag of templates, or a list of attributes behind what it belongs to or on a line of its own."""
        text = self._text
        if self._has_critic and text[at + 1 : at + 3] in _CRITIC_SIGNS and (end := self._critic(at)) >= 0:
            return end
        if (end := self._end_of_template_tag(at)) >= 0:
            return self._take(at, end, "shortcode", _shown_of_template(text[at:end]))
        found = _ATTRIBUTES.match(text, at, self._end)
        if found is None or not self._belongs(found, at):
            return at
        return self._take(at, found.end(), "heading-id" if found[0].startswith("{#") else "attributes")

    def _belongs(self, found: re.Match[str], at: int) -> bool:
        """Return whether attributes have what they belong to, and are no mathematics in braces."""
        text = self._text
        begins = after_marks(text, max(text.rfind("\n", 0, at) + 1, self._start)) >= at
        if not (
            found[0].startswith(("{#", "{:"))
            or (at > self._start and text[at - 1] in ")]*_`:")
            or ((begins or self._is_heading) and _OWN_LINE.match(text, at, self._end))
        ):
            return False
        if begins or at == self._last_link_end or "=" not in found[0]:
            return True
        return re.search(r"=[\"']|[#.:]", found[0]) is not None  # not `x{i=1}`

    def _critic(self, at: int) -> int:
        """Read what a reviewer marked: words that are gone are struck, of words that are replaced the first."""
        sign, inner = self._text[at + 1 : at + 3], at + 3
        last = self._text.find("}", inner, min(self._end, inner + _MAX_MARKED)) - 2
        words, end = self._text[inner : max(last, 0)], last + 3
        if not words or self._text[last : last + 2] not in (sign, "<<") or "{" in words or "\n\n" in words:
            return -1
        gone, replaced, _ = words.partition("~>") if sign == "~~" else (words, "", "")
        new = inner + len(gone)
        self._take(at, inner, "mark")
        self._take(last, end, "mark")
        if replaced:
            self._take(new, new + 2, "mark", " ")
        if self._for_quotes and sign in ("--", "~~"):
            self.quoted.append(Edit(at, new + 2 if replaced else end, "", "struck"))
        return end

    def _end_of_template_tag(self, at: int) -> int:
        """Return where a tag of templates ends, or -1; what the text lacks is looked for only once."""
        opening = next((mark for mark in _CLOSINGS if self._text.startswith(mark, at)), None)
        if opening is None or self._text.startswith("{%%", at):
            return -1
        closing = _CLOSINGS[opening]
        found = self._text.find(closing, at + len(opening), self._end) if closing not in self._absent else -1
        if found < 0:
            self._absent.add(closing)
            return -1
        return found + len(closing)

    def _entity(self, at: int) -> int:
        found = DIGITAL_RE.match(self._text, at, self._end) or NAMED_RE.match(self._text, at, self._end)
        if found is None or not (found[0].startswith("&#") or found[0][1:] in html5):
            return at
        return self._take(at, found.end(), "entity", unescape(found[0]).replace("\xa0", " "))

    def _angle(self, at: int) -> int:
        """Read a tag, whose words stay; an address in angles stays as it is."""
        text = self._text
        if empty := next((mark for mark in _WORDLESS if text.startswith(mark, at)), ""):
            return self._take(at, at + len(empty), "comment")
        if (end := self._end_of_address(at)) >= 0:
            return end
        tag = self._tags.read(at, self._end)
        return at if tag is None else self._tag(at, *tag)

    def _tag(self, at: int, stop: int, gap: str) -> int:
        text = self._text
        if self._for_quotes:
            self._strike(tag_name(text, at), at, stop)
        words = tag_words(text[at:stop], self._props)
        before = self._gap(at - 1) if at > self._start else ""
        after = self._gap(stop) if stop < self._end else ""
        bare = gap if before and after else ""
        return self._take(at, stop, "tag", f"{before}{words}{after}" if words else bare)

    def _gap(self, at: int) -> str:
        """Return the blank that parts words from the character at a place, which may be one itself."""
        return "" if self._text[at].isspace() else " "

    def _end_of_address(self, at: int) -> int:
        """Return where `<https://…>` or `<a@b.example>` ends, as markdown-it reads them, or -1."""
        last = self._text.find(">", at, self._end)
        inside = self._text[at + 1 : max(last, 0)]
        if ("@" in inside and EMAIL_RE.match(inside)) or (":" in inside and AUTOLINK_RE.match(inside)):
            return last + 1
        return -1

    def _strike(self, name: str, at: int, stop: int) -> None:
        if name.removeprefix("/") not in _STRUCK:
            return
        if name[0] != "/":
            self._struck.append((f"/{name}", at))
        elif self._struck and self._struck[-1][0] == name:
            self.quoted.append(Edit(self._struck.pop()[1], stop, "", "struck"))

    def _icon(self, at: int) -> int:
        found = _ICON.match(self._text, at, self._end)
        return self._take(at, found.end(), "shortcode") if found else at

    def _keys(self, at: int) -> int:
        last = self._text.find("++", at + 3, min(self._end, at + _MAX_MARKED))
        keys = self._text[at + 2 : max(last, 0)].split("+")
        if not all(key and _is_key(key) for key in keys):
            return at
        self._take(at, at + 2, "mark")
        return self._take(last, last + 2, "mark")

    def _marked(self, at: int) -> int:
        """Read the marks around highlighted words, one at a time: there may be markup between them."""
        if at not in self._highlights:
            text = self._text
            last = text.find("=", at + 2, min(self._end, at + _MAX_MARKED))
            words = text[at + 2 : max(last, 0)]
            is_pair = text[at - 1 : at] != "=" and text.startswith("==", last) and not text.startswith("=", last + 2)
            if last < 0 or not is_pair or not words or words != words.strip() or "\n" in words:
                return at
            self._highlights.add(last)
        return self._take(at, at + 2, "mark")

    def _annotation(self, at: int) -> int:
        """Read `(1)`, in whose place Material for MkDocs shows a mark to click."""
        end = self._text.find(")", at, at + 5)
        if not self._is_annotated or not self._text[at + 1 : max(end, 0)].isdigit():
            return at
        return self._take(at - (self._text[at - 1 : at] == " "), end + 1, "mark")

    def _mark(self, at: int) -> int:
        """Remember marks that may be emphasis, strike words through, or set them higher, lower or as new."""
        state = self._emphasis
        assert state is not None  # since these marks are looked for only then
        state.posMax = self._end
        sign = self._text[at]
        can_open, can_close, length = state.scanDelims(at, sign != "_")
        width, marker = 2 if sign in "~^" else 1, ord(sign)
        if length == 1 and sign in self._chosen:  # raised and lowered letters stand inside words
            width, marker = 1, -marker
            can_open = not self._text[at + 1 : at + 2].isspace()
            can_close = not self._text[at - 1 : at].isspace()
        for number in range(length // width):
            place = at + length % width + number * width
            first = self._marks[-1].token + (1 if number else 2) if self._marks else 0
            size = length if width == 1 else 0  # which matters for emphasis alone
            self._marks.append(Delimiter(marker, size, first, -1, can_open, can_close))
            self._places.append(place)
        return at + length

    def _pair(self, first: int) -> None:
        """Find which marks from the number `first` on belong together, and note them."""
        marks, places = self._marks[first:], self._places[first:]
        del self._marks[first:], self._places[first:]
        if self._emphasis is None or not marks:
            return
        processDelimiters(self._emphasis, marks)
        for mark, start in zip(marks, places, strict=True):
            if mark.end >= 0:
                self._add_pair(mark.marker, start, places[mark.end])

    def _add_pair(self, marker: int, start: int, last: int) -> None:
        """Add the two marks of a pair, which begin at `start` and `last`, and what is struck between them."""
        width = 2 if marker in (ord("~"), ord("^")) else 1
        end = last + width
        if marker == ord("~") and self._for_quotes:
            self.quoted.append(Edit(start, end, "", "struck"))
        is_raised = marker < 0 and not any(map(str.isspace, self._text[start:end]))
        goes = is_raised or marker == ord("^")
        rule = "mark" if goes else "emphasis"
        both = (Edit(start, start + width, "", rule), Edit(last, last + width, "", rule))
        if goes:
            self.edits += both
        elif marker > 0 and self._for_quotes:
            self.quoted += both


def _shown_of_template(tag: str) -> str:
    """Return what a tag of templates shows: the shortcode in it, or the words that it gives a tab and the like."""
    words = shortcode_words(tag) if tag.startswith(("{{", "{%")) else ""
    return shown_template_tag(tag) or (words and f"{words}: ")


def _is_key(name: str) -> bool:
    return all(sign.isalnum() or sign in "_\"'-" for sign in name)


@cache
def _markdown_it() -> MarkdownIt:
    return MarkdownIt("commonmark")


_RULES: dict[str, Callable[[InlineReader, int], int]] = {
    "\\": InlineReader._backslash,
    "$": InlineReader._formula,
    "`": InlineReader._code,
    "!": InlineReader._exclamation,
    "[": InlineReader._bracket,
    "]": InlineReader._closing_bracket,
    "{": InlineReader._brace,
    "&": InlineReader._entity,
    "<": InlineReader._angle,
    ":": InlineReader._icon,
    "+": InlineReader._keys,
    "=": InlineReader._marked,
    "*": InlineReader._mark,
    "_": InlineReader._mark,
    "~": InlineReader._mark,
    "^": InlineReader._mark,
    "(": InlineReader._annotation,
}

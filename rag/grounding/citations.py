"""Turn the model's references into numbered ones while its answer streams, and drop those that name nothing shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from rag.grounding.shown_passages import ShownPassages

if TYPE_CHECKING:
    from rag.models import SearchResult

CiteStyle = Literal["number", "source"]
"""How an answer refers to its sources: `[1]`, or `[Source: Page Title]` (spec 000)."""

UNKNOWN = "(unknown source)"
"""What stands for an address that no passage holds."""

MAX_MARKER_CHARS = 120

_ID = r"(?:p-[0-9a-f]+|[A-Za-z]{0,3}-?\d{1,6})"
MARKER = rf"(?:\[{_ID}(?:\s*[,;]\s*{_ID}){{0,7}}\])+"
"""References as a model writes them, known or not: [p-0a1b2c], [p-0a1b2c, p-3d4e5f], [s7][12]."""

_LABEL = r"(?:[^\[\]\n]|\[[^\[\]\n]*\])"
_LINK = rf"[ \t]*!?\[(?P<label>{_LABEL}{{0,80}})\]\((?P<target>[^()\s]*)\)"
CODE = r"(?P<ticks>`+)(?:(?!(?P=ticks)).)+(?P=ticks)"
_ADDRESS = r"https?://[^\s<>()\[\]`\"']+|(?<![\w/.-])[\w.-]*(?:/[\w.-]+)*\.mdx?\b"
_NAMED = rf"(?P<marker>[ \t]*{MARKER})|(?P<address>\(?(?:{_ADDRESS})\)?)"
_FOUND = re.compile(rf"(?P<code>{CODE})|(?P<link>{_LINK})|{_NAMED}")
_IN_LINK = re.compile(_NAMED)
_IS_ADDRESS = re.compile(_ADDRESS)
_BEFORE_FENCE = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?"
FENCE = re.compile(rf"{_BEFORE_FENCE}(`{{3,}}|~{{3,}})")
"""The first line of a code block, which may stand in a quotation or in a list."""

_MAY_BE_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]?)[ \t]*)?(?:[`~].*)?")
_WORD_BEFORE = re.compile(r"[^\W_][\w.]*(?:\[\w+\])*$|[)\]]$")
_GOES_ON = re.compile(r"[(=_\[]|\.\w")
_BARE = re.compile(r"(?:\[\d+\])+")


class References:
    """Rewrites an answer piece by piece; code is left as it is.

    Each passage cited gets the next number. `cited` are the passages in the order of their numbers, `dropped` counts
    the references to ids and addresses that were not shown.
    """

    def __init__(self, shown: ShownPassages, style: CiteStyle = "number") -> None:
        self.cited: list[SearchResult] = []
        self.dropped = 0
        self._shown = shown
        self._style = style
        self._held = ""
        self._line = ""
        self._fence = ""

    def feed(self, text: str) -> str:
        """The next piece of the answer, as far as it cannot change any more."""
        self._held += text
        end = self._settled()
        ready, self._held = self._held[:end], self._held[end:]
        return self._rewritten(ready)

    def end(self) -> str:
        """What is left, the answer being complete."""
        ready, self._held = self._held, ""
        return self._rewritten(ready)

    def _settled(self) -> int:
        """How much of what is held is safe: whole words, no open bracket, code span or possible fence."""
        begin = self._held.rfind("\n") + 1
        tail = self._held[begin:]
        at_line_start = begin > 0 or not self._line
        if self._fence or (at_line_start and _MAY_BE_FENCE.fullmatch(tail)):
            return begin
        end = len(tail.rstrip())
        end = max(tail.rfind(" ", 0, end), tail.rfind("\t", 0, end), 0)
        if tail.count("`", 0, end) % 2:
            end = tail.find("`")
        while (word := _word_with_open_bracket(tail, max(0, len(tail) - MAX_MARKER_CHARS), end)) < end:
            end = word
        return begin + len(tail[:end].rstrip())

    def _rewritten(self, text: str) -> str:
        return "".join(self._line_rewritten(line) for line in text.splitlines(keepends=True))

    def _line_rewritten(self, piece: str) -> str:
        is_code = bool(self._fence)
        if not self._line and (opened := FENCE.match(piece)):
            if not self._fence:
                self._fence, is_code = opened[1], True
            elif opened[1].startswith(self._fence) and not piece[opened.end() :].strip():
                self._fence = ""
        self._line = "" if piece.endswith("\n") else self._line + piece
        return piece if is_code else _FOUND.sub(self._replaced, piece)

    def _replaced(self, found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        return self._link(found) if found["link"] else self._named(found)

    def _link(self, found: re.Match[str]) -> str:
        """A link stays as it is, unless it leads to what was not shown or its text is a reference."""
        target = found["target"]
        leads_elsewhere = _IS_ADDRESS.match(target) and not self._is_shown(target)
        if leads_elsewhere or any(self._shown.get(each) for each in marker_ids(f"[{found['label']}]")):
            return _IN_LINK.sub(self._named, found[0])
        return found[0]

    def _named(self, found: re.Match[str]) -> str:
        if found["address"]:
            return self._address(found["address"])
        return found[0] if is_text(found, self._shown) else self._marker(found["marker"])

    def _marker(self, marker: str) -> str:
        named = marker_ids(marker)
        known = [passage for each in named if (passage := self._shown.get(each))]
        self.dropped += len(named) - len(known)
        space = marker[: len(marker) - len(marker.lstrip())]
        return space + "".join(map(self._reference, known)) if known else ""

    def _reference(self, passage: SearchResult) -> str:
        if passage not in self.cited:
            self.cited.append(passage)
        if self._style == "source":
            return f"[Source: {passage.page_title}]"
        return f"[{self.cited.index(passage) + 1}]"

    def _address(self, found: str) -> str:
        named = found.strip("()").rstrip(".,;:!?")
        if self._is_shown(named):
            return found
        self.dropped += 1
        return UNKNOWN + found.strip("()")[len(named) :]

    def _is_shown(self, address: str) -> bool:
        return any(
            address in (each.source_file, each.page_url) or each.location.startswith(address) or address in each.text
            for each in self._shown
        )


def _word_with_open_bracket(tail: str, start: int, end: int) -> int:
    """Where the word begins whose bracket is not closed before `end`; `end` if there is none."""
    opened: list[int] = []
    for at in range(start, end):
        if tail[at] == "[":
            opened.append(at)
        elif tail[at] == "]" and opened:
            opened.pop()
    if not opened:
        return end
    return max(tail.rfind(" ", 0, opened[0]), tail.rfind("\t", 0, opened[0]), 0)


def is_text(found: re.Match[str], shown: ShownPassages) -> bool:
    """Whether brackets that look like references are words of the answer: an index, an interval, the book's own.

    References are ids that were shown, and whatever a model may mean as one: to print a number that is no source as
    if it were would be worse than to lose an index. So brackets that name nothing shown count as text only where no
    reference can be meant: with a zero or less, with code going on behind them, or with a passage that has them,
    behind the same word if all they hold is a number.
    """
    brackets = found[0].strip()
    named = marker_ids(brackets)
    if any(shown.get(each) or each.startswith("p-") for each in named):
        return False
    if any(each.lstrip("-").isdigit() and int(each) <= 0 for each in named):
        return True
    is_apart = found[0] != brackets
    before = None if is_apart else _WORD_BEFORE.search(found.string[: found.start()])
    if before and _GOES_ON.match(found.string, found.end()):
        return True
    written = f"{before[0] if before else ''}{brackets}"
    return not _BARE.fullmatch(written) and any(written in each.text for each in shown)


def marker_ids(marker: str) -> list[str]:
    """The ids in references."""
    return re.findall(_ID, marker)

"""Turn the model's references into numbered ones while its answer streams, and drop those that name nothing shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.events import CiteStyle
from rag.shown import ShownPassages

if TYPE_CHECKING:
    from rag.models import SearchResult

UNKNOWN = "(unknown source)"
"""What stands for an address that no passage holds."""

MAX_MARKER_CHARS = 120

_ID = r"(?:p-[0-9a-f]+|[A-Za-z]{0,3}-?\d{1,6})"
MARKER = rf"(?:\[{_ID}(?:\s*[,;]\s*{_ID}){{0,7}}\])+"
"""References as a model writes them, known or not: [p-0a1b2c], [p-0a1b2c, p-3d4e5f], [s7][12]."""

CODE = r"(?P<ticks>`+)(?:(?!(?P=ticks)).)+(?P=ticks)"
_ADDRESS = r"https?://[^\s<>()\[\]`\"']+|(?<![\w/.-])[\w.-]*(?:/[\w.-]+)*\.mdx?\b"
_FOUND = re.compile(rf"(?P<code>{CODE})|(?P<marker>[ \t]*{MARKER})|(?P<address>\(?(?:{_ADDRESS})\)?)")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


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
        if self._fence or (at_line_start and tail.lstrip(" ")[:1] in ("`", "~")):
            return begin
        end = len(tail.rstrip())
        end = max(tail.rfind(" ", 0, end), tail.rfind("\t", 0, end), 0)
        bracket = tail.rfind("[", 0, end)
        is_open = bracket > tail.rfind("]", 0, end) and len(tail) - bracket <= MAX_MARKER_CHARS
        starts = [bracket] if is_open else []
        if tail.count("`", 0, end) % 2:
            starts.append(tail.find("`"))
        return begin + min((len(tail[:start].rstrip()) for start in starts), default=len(tail[:end].rstrip()))

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
        return self._marker(found["marker"]) if found["marker"] else self._address(found["address"])

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
        for each in self._shown:
            if named in (each.source_file, each.page_url) or each.location.startswith(named) or named in each.text:
                return found
        self.dropped += 1
        return UNKNOWN + found.strip("()")[len(named) :]


def marker_ids(marker: str) -> list[str]:
    """The ids in references."""
    return re.findall(_ID, marker)

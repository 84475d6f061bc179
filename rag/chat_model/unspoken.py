"""What a model writes that is no part of its answer: its thoughts in tags, and the marks of its chat format.

unspoken = Unspoken()
show(unspoken.feed(piece))   # "" while it may be the opening of a mark
show(unspoken.end())
"""

from __future__ import annotations

import regex

_THOUGHTS = r"think|thinking|thoughts?|reasoning|reflection|scratchpad|seed:think"
_MARK = regex.compile(
    rf"<(?P<tag>{_THOUGHTS})\b[^>\n]{{0,40}}>|(?P<channel><\|channel\|>\s*analysis\s*<\|message\|>)"
    r"|<\|channel\|>(?!\s*analysis)[ \t]*[a-z]*[ \t]*|<\|(?:start|constrain|start_header_id)\|>[ \t]*[a-z]*"
    r"|<｜tool▁call▁begin｜>(?:\w{0,40}<｜tool▁sep｜>|(?=\w{0,40}[^\w<]))|<｜(?!tool▁call▁begin)[^｜<>\n]{1,40}｜>"
    rf"|<\|(?!(?:channel|start|constrain|start_header_id)\|)[a-z_][\w-]{{0,40}}\|>|</(?:{_THOUGHTS})>",
    regex.IGNORECASE,
)
_CHANNEL_END = regex.compile(r"<\|(?:end|call|return)\|>")
MAX_MARK = 120
"""No mark is longer: what may still become one is held back up to so many characters."""


class Unspoken:
    """Filters the text of one reply; thoughts that never end are dropped to the end."""

    def __init__(self) -> None:
        self._held = ""
        self._closing: regex.Pattern[str] | None = None
        self._is_after_thoughts = False

    def feed(self, text: str) -> str:
        """Take the next piece; return what of it is spoken."""
        if not self._held and not self._closing and "<" not in text:
            return self._trimmed(text)  # nearly every piece; all marks begin with this character
        self._held += text
        return self._trimmed(self._released(is_end=False))

    def end(self) -> str:
        """Return what is left, the reply being complete."""
        return self._trimmed(self._released(is_end=True))

    def _trimmed(self, spoken: str) -> str:
        """Return the text without the blank lines that part thoughts from what follows."""
        if self._is_after_thoughts:
            spoken = spoken.lstrip("\n")
            self._is_after_thoughts = not spoken
        return spoken

    def _released(self, *, is_end: bool) -> str:
        spoken = ""
        while self._held:
            if self._closing:
                closed = self._closing.search(self._held)
                if not closed:
                    self._held = "" if is_end else self._held[-MAX_MARK:]
                    break
                self._held, self._closing = self._held[closed.end() :], None
                self._is_after_thoughts = not spoken
                continue
            said, found = self._before_mark(is_end=is_end)
            spoken += said
            if not found:
                break
            self._closing = _closing_of(found)
            self._held = self._held[found.end() - found.start() :]
        return spoken

    def _before_mark(self, *, is_end: bool) -> tuple[str, regex.Match[str] | None]:
        """Return what is said before the next mark, and the mark if it has come whole."""
        found = _MARK.search(self._held, partial=not is_end)
        if not found or (found.partial and len(self._held) - found.start() > MAX_MARK):
            said, self._held = self._held, ""
            return said, None
        may_grow = found.partial or (found.end() == len(self._held) and not is_end)
        said, self._held = self._held[: found.start()], self._held[found.start() :]
        return said, None if may_grow else found


def _closing_of(mark: regex.Match[str]) -> regex.Pattern[str] | None:
    """Return what ends the thoughts that a mark begins, None for a mark that stands alone."""
    if mark["channel"]:
        return _CHANNEL_END
    return regex.compile(rf"</{regex.escape(mark['tag'])}\s*>", regex.IGNORECASE) if mark["tag"] else None

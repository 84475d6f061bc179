"""Thoughts that a model writes in lines of their own, as `Thought: …`, before its `Final Answer:`."""

from __future__ import annotations

import re

_LABELS = ("thought:", "final answer:")
_LABEL = re.compile(r"^[ \t]*(?P<label>Thought|Final Answer):[ \t]*", re.IGNORECASE | re.MULTILINE)
_ENDS = re.compile(r"^[ \t]*(?:(?P<call>Action(?: Input)?)|Final Answer|Answer):[ \t]*", re.IGNORECASE | re.MULTILINE)


class ReactLines:
    """Leaves out the thoughts of one reply, and the label of its answer; calls stay, which others take out."""

    def __init__(self) -> None:
        self._held = ""
        self._begins_line = True
        self._is_thought = False
        self._is_after_label = False

    def feed(self, text: str) -> str:
        """Take the next piece; return what of it is no thought."""
        if self._is_after_label:
            text = text.lstrip(" \t")
            self._is_after_label = not text
        self._held += text
        return self._released(is_end=False)

    def end(self) -> str:
        """Return what is left, the reply being complete."""
        return self._released(is_end=True)

    def _released(self, *, is_end: bool) -> str:
        said = ""
        while found := (_ENDS if self._is_thought else _LABEL).search(self._held, 0 if self._begins_line else 1):
            said += self._passed(found)
            if not self._is_thought and found.re is _ENDS:
                break
        if not self._is_thought:
            return said + self._spoken(is_end=is_end)
        self._held = "" if is_end else self._held[self._held.rfind("\n") + 1 :]
        return said

    def _passed(self, found: re.Match[str]) -> str:
        """Go on behind a label or the end of a thought; return what was said before it."""
        said = ""
        if self._is_thought:
            self._held = self._held[found.start() if found["call"] else found.end() :]
            self._is_thought = False
        else:
            said = self._held[: found.start()]
            self._held, self._is_thought = self._held[found.end() :], found["label"].lower() == "thought"
        self._begins_line, self._is_after_label = True, not self._held
        return said

    def _spoken(self, *, is_end: bool) -> str:
        """Return what is held, but for a last line that may become a label."""
        line = self._held.rfind("\n") + 1
        begun = self._held[line:].strip().lower()
        # Blanks are not held back: a label after them begins its line all the same.
        may_be_label = begun and (line or self._begins_line) and any(label.startswith(begun) for label in _LABELS)
        kept = line if may_be_label and not is_end else len(self._held)
        shown, self._held = self._held[:kept], self._held[kept:]
        _, newline, last = shown.rpartition("\n")
        self._begins_line = not last.strip() and bool(newline or self._begins_line)
        return shown

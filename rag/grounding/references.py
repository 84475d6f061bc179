"""The references in a model's text: in whatever form it names passages that it was shown, and what only looks so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.markdown.inline_markup import FORMULA
from rag.grounding.shown_passages import ShownPassages

if TYPE_CHECKING:
    from rag.models import SearchResult

UNKNOWN = "(unknown source)"
"""What stands for an address that no passage holds."""

MAX_MARKER_CHARS = 120

VERBATIM = rf"(?<!`)(?P<ticks>`++)(?:(?!(?P=ticks)).)+(?P=ticks)|(?P<formula>(?s:{FORMULA.pattern}))"
"""Code and formulas: nothing in them is a reference, unless it is a passage's id, or ends a sentence."""

ID = r"p-[0-9a-fA-F]{4,}"
_WORDS = r"(?:passages?|passage[_ ]?ids?|ids?|sources?|refs?|references?|see|cf\.?|from|and|#|\^)"
_FILLER = rf"(?:[\s,;:.&|#^`\"'*-]|{_WORDS})*"
_BRACKETED = rf"[\[(【〔⟦<]{_FILLER}{ID}(?:{_FILLER}{ID}){{0,7}}{_FILLER}[\])】〕⟧>]"
_SHORT = r"\[[A-Za-z]{1,3}-?\d{1,6}(?:\s*[,;]\s*[A-Za-z]{1,3}-?\d{1,6}){0,7}\]"
_NUMBERS = r"\[\^?\d{1,4}(?:\s*[,;]\s*\d{1,4}){0,7}\]"
_BARE = rf"(?<![\w-]){ID}(?![\w-])"
_COUNTING = r"(?:passage|source|reference|ref|citation|document)s?"
_NAMED_NUMBERS = (
    rf"[\[(【<](?:see\s+|from\s+)?(?:{_COUNTING}\b[\s:#]*){{1,2}}\d{{1,3}}(?:\s*(?:[,;&]|and)\s*\d{{1,3}}){{0,7}}\s*[\])】>]"
    r"|【\s*\d{1,3}(?:†[^】\n]{0,80})?\s*】"
    rf"|<(?:ref|cite|citation|sup|source)>\s*\[?(?:\d{{1,3}}|{ID})\]?\s*</(?:ref|cite|citation|sup|source)>"
    r"|(?<![\w-])(?:passage|source)\s+#?\d{1,3}(?![\w.]*\w)"
)
MARKER = rf"(?:{_NAMED_NUMBERS}|{_BRACKETED}|{_SHORT}|{_NUMBERS}|{_BARE})"
"""A reference as models write them, known or not: [p-0a1b2c], (p-0a1b2c, p-3d4e5f), [ P-0A1B2C ], [s7], [1]."""

_LABEL = r"(?:[^\[\]\n]|\[[^\[\]\n]*\])"
_LINK = rf"!?\[(?P<label>{_LABEL}{{0,200}})\]\((?P<target>[^()\s]*)\)"
_ADDRESS = r"https?://[^\s<>()\[\]`\"']+|(?<![\w/.-])[\w.-]*(?:/[\w.-]+)*\.mdx?\b"
FOUND = re.compile(
    rf"(?P<code>{VERBATIM})|(?P<link>{_LINK})|(?P<marker>(?:(?<![ \t])[ \t]++)?+{MARKER})"
    rf"|(?P<address>\(?(?:{_ADDRESS})\)?)",
    re.IGNORECASE,
)
_IS_ADDRESS = re.compile(_ADDRESS)
_WITH_ID = re.compile(rf"[ \t]*(?:{_BRACKETED}|{_BARE})", re.IGNORECASE)
_IDS = re.compile(rf"{ID}|[A-Za-z]{{1,3}}-?\d{{1,6}}|\d{{1,4}}", re.IGNORECASE)
_IS_NAMED_NUMBER = re.compile(_NAMED_NUMBERS, re.IGNORECASE)
_WORD_BEFORE = re.compile(r"[^\W_][\w.]*(?:\[\w+\])*$|[)\]]$")
_GOES_ON = re.compile(r"[(=_\[]|\.\w")
_ENDS_CLAUSE = re.compile(r"\s*(?:[.,;:!?…。！？)]|$)")


@dataclass(frozen=True, slots=True)
class Reference:
    """What stands at a place of the text: the passages that it names, and how many it names that were not shown."""

    passages: tuple[SearchResult, ...]
    unknown: int
    space: str


class ReferenceReader:
    """Tells references from text, in one answer.

    A number can only be a reference where the model uses numbers for passages: it does from the first one that stands
    alone in brackets at the end of a clause and counts one of the passages shown.
    """

    def __init__(self, shown: ShownPassages) -> None:
        self._shown = shown
        self._uses_numbers = False

    def parts(self, text: str) -> Iterator[str | Reference]:
        """Yield a line of prose, piece by piece, with the references in it; links and addresses are checked."""
        start = 0
        for found in FOUND.finditer(text):
            yield text[start : found.start()]
            start = found.end()
            if found["formula"]:
                yield from self.verbatim(found[0])
            elif found["code"]:
                yield found[0]
            elif found["link"]:
                yield from self._link(found)
            elif found["marker"]:
                yield self._marker(found)
            else:
                yield from self._address(found["address"])
        yield text[start:]

    def verbatim(self, text: str) -> Iterator[str | Reference]:
        """Yield a formula or a block of code as it stands, and behind it the passages whose ids stand in it."""
        named: list[Reference] = []

        def taken(found: re.Match[str]) -> str:
            reference = self._reference([each.lower() for each in re.findall(ID, found[0], re.IGNORECASE)], " ")
            if not reference.passages and found[0].strip().startswith("p-"):
                return found[0]  # a word of the code
            named.append(reference)
            return ""

        yield _WITH_ID.sub(taken, text)
        yield from named

    def _link(self, found: re.Match[str]) -> Iterator[str | Reference]:
        """Keep a link unless its target was not shown: then only its label stays. A label may be a reference
        itself.
        """
        label, target = found["label"], found["target"]
        leads_elsewhere = bool(_IS_ADDRESS.match(target)) and not self._is_shown(target)
        named = tuple(passage for name in _IDS.findall(label) if (passage := self._shown.get(name.lower())))
        if named:
            yield Reference(named, int(leads_elsewhere), "")
        elif not leads_elsewhere:
            yield found[0]
        else:
            yield Reference((), 1, "")
            yield label

    def _marker(self, found: re.Match[str]) -> str | Reference:
        marker = found["marker"].strip()
        space = found["marker"][: len(found["marker"]) - len(marker)]
        names = [name.lower() for name in _IDS.findall(marker)]
        # In a marker with passage ids, what is not one is a word between them.
        if ids := [name for name in names if name.startswith("p-")]:
            return self._reference(ids, space)
        if self._names_by_number(marker):
            return Reference(*self._counted(_numbers_in(marker.split("†")[0])), space)
        if marker.strip("[]^,; 0123456789"):
            is_known = any(map(self._shown.get, names))
            return self._reference(names, space) if is_known or not self._is_text(found) else found[0]
        numbers = _numbers_in(marker)
        is_reference = self._are_references(numbers, found, space)
        return Reference(*self._counted(numbers), space) if is_reference else found[0]

    def _reference(self, ids: list[str], space: str) -> Reference:
        passages = tuple(passage for each in ids if (passage := self._shown.get(each)))
        return Reference(passages, len(ids) - len(passages), space)

    def _names_by_number(self, marker: str) -> bool:
        """Return whether a marker can be nothing but a passage's number: 【1】, (source 2), [^1], passage 3."""
        is_footnote = marker.startswith("[^") and marker[2:-1].isdecimal()
        is_named = is_footnote or _IS_NAMED_NUMBER.fullmatch(marker) is not None
        return is_named and not any(marker in passage.text for passage in self._shown)

    def _counted(self, numbers: list[int]) -> tuple[tuple[SearchResult, ...], int]:
        shown = list(self._shown)
        known = tuple(shown[number - 1] for number in numbers if 1 <= number <= len(shown))
        return known, len(numbers) - len(known)

    def _are_references(self, numbers: list[int], found: re.Match[str], space: str) -> bool:
        shown = list(self._shown)
        if min(numbers) < 1 or self._is_text(found):
            return False
        if self._uses_numbers:
            return max(numbers) <= max(99, len(shown))
        is_cited = len(numbers) == 1 and _stands_alone(found, space)
        self._uses_numbers = is_cited and numbers[0] <= len(shown)
        return is_cited and (self._uses_numbers or not any(found[0].strip() in each.text for each in shown))

    def _is_text(self, found: re.Match[str]) -> bool:
        """Return whether brackets are words of the answer: code goes on behind them, or a passage has them too."""
        brackets = found[0].strip()
        is_apart = found[0] != brackets
        before = None if is_apart else _WORD_BEFORE.search(found.string[: found.start()])
        if before and _GOES_ON.match(found.string, found.end()):
            return True
        written = f"{before[0] if before else ''}{brackets}"
        is_lone_number = not before and brackets[1:-1].isdigit()
        return not is_lone_number and any(written in passage.text for passage in self._shown)

    def _address(self, found: str) -> Iterator[str | Reference]:
        named = found.strip("()").rstrip(".,;:!?")
        if self._is_shown(named):
            yield found
            return
        yield Reference((), 1, "")
        yield UNKNOWN + found.strip("()")[len(named) :]

    def _is_shown(self, address: str) -> bool:
        return any(
            address in (passage.source_file, passage.page_url)
            or passage.location.startswith(address)
            or address in passage.text
            for passage in self._shown
        )


def _numbers_in(marker: str) -> list[int]:
    return [int(number) for number in "".join(char if char.isdecimal() else " " for char in marker).split()]


def _stands_alone(found: re.Match[str], space: str) -> bool:
    """Return whether a number in brackets ends a clause, behind a word from which it is parted or that is none."""
    before = found.string[: found.start()]
    ends_clause = _ENDS_CLAUSE.match(found.string, found.end()) or found.string[found.end() :].startswith("[")
    return bool(ends_clause and before.strip() and (space or not _WORD_BEFORE.search(before)))

"""The answer as the reader gets it, made sentence by sentence from what the model writes.

    text = AnswerText(shown, "number")
    text.add(piece)                                # what the model wrote next
    while sentence := text.next_sentence():        # complete, and to be judged
        show(text.close(sentence, verdict))
    show(text.settled())                           # what of the sentence under way cannot change any more
    checked = text.finish()                        # once all of it is shown

What is shown can never be taken back, so a sentence is shown up to its last word, which waits for the verdict: behind
it stands the number of its source, or that nothing holds it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ingestion.markdown.fences import after_marks, closes_fence, opening_run
from rag.grounding.citations import Citations, CiteStyle, Source
from rag.grounding.references import ID, MARKER, MAX_MARKER_CHARS, VERBATIM, Reference, ReferenceReader
from rag.grounding.said_before import SaidBefore
from rag.grounding.sentence_parts import STOPS, Part, cited_by, is_whole, joined, says_something, split_tail, stop_of
from rag.grounding.sentences import STOP, STOP_UNSPACED, ends_sentence
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.stating import is_gap, states_something

if TYPE_CHECKING:
    from rag.grounding.support import State, Verdict
    from rag.models import SearchResult

CONTRADICTED = "(the book says otherwise)"
NOT_CONFIRMED = "(not confirmed)"
"""Stand right behind a sentence that the book contradicts, and behind one that no passage holds."""

NOT_CHECKED = "(not checked: the book is in {})"
"""Stands once, behind an answer in another language than the book's."""

MAX_SOURCES = 2
"""How many sources a sentence gets that names none itself."""

Kind = Literal["statement", "code", "gap", "other"]

_END = re.compile(
    rf"{STOP}(?:[ \t]*{MARKER})*(?:\s+|\Z)|{STOP_UNSPACED}(?:[ \t]*{MARKER})*\s*"
    r"|(?:(?<![ \t])[ \t]++)?+(?P<lines>\n\s*)",
    re.IGNORECASE,
)
_MAY_END = frozenset(f"{STOPS}\n")

_PASSAGE_ID = re.compile(ID, re.IGNORECASE)
_VERBATIM = re.compile(VERBATIM)
_OPENS_VERBATIM = re.compile(r"(?P<code>`)|\$(?=[^\s$])|\$\$|\\[(\[]")
_MAX_FORMULA = 2000
_FORMULAS = {"$$": "$$", "\\[": "\\]"}
"""A line of such marks alone begins a formula, and its end is that of a line: it is judged as a block of code is."""

_CONTAINER_MARKS = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?"
_CONTAINER = re.compile(rf"{_CONTAINER_MARKS}(?::{{3,}}|/{{3,}}|!!![ \t]|\?\?\?\+?[ \t]|<\w[^<>\n]*>\s*$)")
"""A line that opens or closes a box, a tab or an element: it has a title at most, which states nothing."""

_ONLY_REFERENCES_BEHIND = re.compile(
    rf"(?:(?<![ \t])[ \t]++)?+{MARKER}(?:[ \t]*{MARKER})*[ \t.,;]*\s*\Z", re.IGNORECASE
)
_MAY_BE_REFERENCE = re.compile(rf"!?\[|[(【〔⟦<]|{MARKER}|https?:|[\w./-]*\.mdx?\b", re.IGNORECASE)
_CLOSERS = {"[": "]", "(": ")", "【": "】", "〔": "〕", "⟦": "⟧", "<": ">"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A complete sentence, or a block of code. `text` is without references, `cited` are the passages it names."""

    raw: str
    parts: tuple[Part, ...]
    text: str
    kind: Kind
    cited: tuple[SearchResult, ...]


MIN_HELD = 0.25
"""Share of an answer's sentences of which the book must speak; below it the book is quoted instead."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A whole answer as the reader got it, with the sources that it names.

    `dropped` counts the references to what was not shown or does not hold the sentence; `not_held` are the sentences
    that nothing holds, among them those `contradicted`. The others are counted: those that something holds, those of
    which the book says less, those in another language than the book's, and those that say it does not tell.
    """

    text: str = ""
    sources: tuple[Source, ...] = ()
    dropped: int = 0
    held: int = 0
    says_less: int = 0
    unchecked: int = 0
    gaps: int = 0
    not_held: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()

    @property
    def statements(self) -> int:
        """How many sentences were judged."""
        return self.held + len(self.not_held)

    @property
    def may_stand(self) -> bool:
        """Return whether the book speaks of enough of it, and contradicts no more than that."""
        kept = self.held + self.says_less + self.unchecked
        return kept > 0 and kept >= max(MIN_HELD * (self.statements + self.unchecked), len(self.contradicted))


class AnswerText:
    """Builds the answer. `shown` are the passages that references may name."""

    def __init__(self, shown: ShownPassages, style: CiteStyle = "number") -> None:
        self._text = ""
        self._citations = Citations(style)
        self._dropped = 0
        self._judged: list[tuple[State, str]] = []
        self._gaps = 0
        self._reader = ReferenceReader(shown)
        self._said_before = SaidBefore()
        self._break = ""
        self._raw = ""
        self._masked: str | None = None
        self._told = 0
        self._fence = ""
        self._in_table = False
        self._ended = False
        self._is_cut_off = False
        self._cited_by_block: frozenset[SearchResult] = frozenset()

    def add(self, piece: str) -> None:
        """Take the next piece of the model's text."""
        self._raw += piece
        self._masked = None

    def end(self, *, is_cut_off: bool = False) -> None:
        """Say that no more of the model's text comes; one that is cut off loses its last sentence if that is half."""
        self._ended = True
        self._is_cut_off = is_cut_off

    def finish(self) -> CheckedAnswer:
        """Return the answer as far as it was closed and settled."""
        states = Counter(state for state, _ in self._judged)
        return CheckedAnswer(
            self._text,
            tuple(self._citations.sources),
            self._dropped,
            states["held"],
            states["says_less"],
            states["unchecked"],
            self._gaps,
            tuple(text for state, text in self._judged if state not in ("held", "unchecked")),
            tuple(text for state, text in self._judged if state == "contradicted"),
        )

    def remark(self, language: str) -> str:
        """Return what is said once behind a whole answer that was not checked; `language` is the book's."""
        is_checked = all(state != "unchecked" for state, _ in self._judged)
        return "" if is_checked else self._shown(f"\n\n{NOT_CHECKED.format(language)}")

    def next_sentence(self) -> Sentence | None:
        """Return the next complete sentence that was not said before.

        It must be closed before another is asked for.
        """
        while raw := self._next_raw():
            if self._is_half(raw):
                return None
            if not self._is_repeated(raw):
                return self._read(raw)
            self._raw = self._raw[len(raw) :]
            self._break = self._break or raw[len(raw.rstrip()) :]
        return None

    def drop_half(self) -> int:
        """Forget half a sentence at the end and return how much of it was shown, in characters.

        An answer that is nothing else keeps it.
        """
        if not self._is_half(self._raw):
            return 0
        shown, self._raw, self._told = self._told, "", 0
        self._text = self._text[: len(self._text) - shown].rstrip()
        return shown

    def _is_half(self, raw: str) -> bool:
        is_last = self._is_cut_off and raw == self._raw and not self._fence
        return is_last and bool(self._text[: len(self._text) - self._told].strip()) and not is_whole(raw)

    def _is_repeated(self, raw: str) -> bool:
        if self._fence or self._told:
            return False
        is_last = self._ended and raw == self._raw
        return self._said_before.repeats(raw) or (is_last and self._said_before.may_repeat(raw))

    def _next_raw(self) -> str:
        end = self._end_of_code() if self._is_code() else self._end_of_sentence()
        if end is None:
            end = len(self._raw) if self._ended else 0
        return self._raw[:end]

    def close(self, sentence: Sentence, verdict: Verdict | None) -> str:
        """Return the rest of the sentence, with the number of what holds it, or that nothing does."""
        whole = self._closed_code(sentence, verdict) if sentence.kind == "code" else self._closed(sentence, verdict)
        self._gaps += sentence.kind == "gap"
        if verdict:
            self._judged.append((verdict.state, sentence.text))
        piece = whole[self._told :]
        self._said_before.add(sentence.raw)
        self._raw, self._told, self._fence = self._raw[len(sentence.raw) :], 0, ""
        self._masked = self._masked and self._masked[len(sentence.raw) :]
        return self._shown(piece)

    def settled(self) -> str:
        """Return what of the sentence under way can be shown: whole words before anything that may be a reference."""
        if not self._told and self._said_before.may_repeat(self._raw):
            return ""
        end = self._settled_code() if self._is_code() else self._settled_end()
        piece = self._raw[self._told : end]
        self._told = max(self._told, end)
        return self._shown(piece)

    def _shown(self, piece: str) -> str:
        if piece and "\n" in self._break and not self._text.endswith("\n"):
            piece = self._break + piece  # what was left out ended a line
        self._break = "" if piece else self._break
        self._text += piece
        return piece

    def _read(self, raw: str) -> Sentence:
        """Return the sentence with its references taken out."""
        if self._fence:
            parts = tuple(joined(self._reader.verbatim(raw)))
            return Sentence(raw, parts, str(parts[0]).strip(), "code", cited_by(parts))
        parts = tuple(joined(self._reader.parts(raw)))
        text = "".join(part for part in parts if isinstance(part, str)).strip()
        return Sentence(raw, parts, text, self._kind(text), cited_by(parts))

    def _kind(self, text: str) -> Kind:
        was_in_table, self._in_table = self._in_table, text.startswith("|")
        is_head = not was_in_table and not any(map(str.isdigit, text))
        if self._in_table and (is_head or not text.strip("|-: \t")):
            return "other"  # the head of a table, or the line below it
        if _CONTAINER.match(text):
            return "other"
        if is_gap(text):
            return "gap"
        return "statement" if states_something(text) else "other"

    def _closed(self, sentence: Sentence, verdict: Verdict | None) -> str:
        """Return the whole sentence: its words, the numbers of its sources, its stop, and the mark if nothing holds
        it.
        """
        body, tail, end = split_tail(sentence.parts)
        if not says_something(body):
            body, tail, end = list(sentence.parts), [], ""  # it stays in its order
            if sentence.cited and self._cited_by_block.issuperset(sentence.cited):
                # The block of code above has them already.
                return sentence.raw[len(sentence.raw.rstrip()) :].removeprefix("\n")
        holders = _holders(verdict)
        self._dropped += _dropped(sentence, holders)
        text = "".join(part if isinstance(part, str) else self._numbers(part, holders, verdict) for part in body)
        numbers = self._cite(_sources(tail, sentence.cited, holders), verdict)
        if numbers and _wants_space(text, tail):
            numbers = f" {numbers}"
        mark = _mark(verdict) and f" {_mark(verdict)}"
        return _laid_out(text, numbers, mark, end, is_row=sentence.text.startswith("|"))

    def _numbers(self, part: Reference, holders: tuple[SearchResult, ...], verdict: Verdict | None) -> str:
        known = _holding(part.passages, holders)
        return f"{part.space}{self._cite(known, verdict)}" if known else ""

    def _cite(self, passages: list[SearchResult], verdict: Verdict | None) -> str:
        blocks = verdict.blocks if verdict else ()
        return "".join(dict.fromkeys(self._citations.cite(passage, blocks) for passage in passages))

    def _closed_code(self, sentence: Sentence, verdict: Verdict | None) -> str:
        self._dropped += _dropped(sentence, ())
        if not verdict and not sentence.cited:
            return str(sentence.parts[0])
        holders = _holders(verdict)
        named = _holding(sentence.cited, holders) or list(holders[:1])
        mark = _mark(verdict)
        self._cited_by_block = frozenset(() if mark else named)
        code, space = str(sentence.parts[0]).rstrip(), sentence.raw[len(sentence.raw.rstrip()) :] or "\n"
        return self._with_line_below(code, mark or self._cite(named, verdict)) + space

    def _with_line_below(self, code: str, line: str) -> str:
        """Return a block of code with a line behind it, as deep in its container as its last line is."""
        _, newline, last = code.rpartition("\n")
        indent = last[: len(last) - len(last.lstrip(" \t>"))]
        if not (newline and self._closes(last)):
            code += f"\n{_FORMULAS.get(self._fence, self._fence)}"  # one that was cut off must not hold the line
        return f"{code}\n{indent}{line}"

    def _is_code(self) -> bool:
        """Return whether the text under way is a block of code; only a whole line tells."""
        line, newline, _ = self._raw[self._blank_lines() :].partition("\n")
        if not self._fence and not self._has_begun() and (newline or self._ended):
            self._fence = _opening(line)
        return bool(self._fence)

    def _blank_lines(self) -> int:
        """Return where the first line begins that is not blank: a block of code may stand behind some."""
        text = self._raw.lstrip()
        return self._raw.rfind("\n", 0, len(self._raw) - len(text)) + 1

    def _has_begun(self) -> bool:
        """Return whether any of the sentence under way was shown."""
        return self._told > 0 and not self._raw[: self._told].isspace()

    def _end_of_code(self) -> int | None:
        begin = self._raw.find("\n", self._blank_lines()) + 1
        while begin:
            end = self._raw.find("\n", begin) + 1
            is_whole = bool(end) or self._ended
            if is_whole and self._closes(self._raw[begin : end or len(self._raw)]):
                return end or len(self._raw)
            begin = end
        return None

    def _closes(self, line: str) -> bool:
        """Return whether a line ends the block of code; references may follow."""
        found = _ONLY_REFERENCES_BEHIND.search(line)
        line = line[: found.start()] if found else line.rstrip("\n")
        return line.endswith(_FORMULAS[self._fence]) if self._fence in _FORMULAS else closes_fence(line, self._fence)

    def _end_of_sentence(self) -> int | None:
        """Return where the first sentence ends, once what follows cannot belong to it."""
        if not self._ended and _MAY_END.isdisjoint(self._raw):
            return None  # nearly always, so that a word costs little
        begin = self._blank_lines()
        if not self._has_begun() and _opening(self._raw[begin:].partition("\n")[0]):
            return None  # the end of the line tells whether it opens a block of code
        if _CONTAINER.match(self._raw, begin):
            return self._raw.find("\n", begin) + 1 or None
        if self._masked is None:
            self._masked = _VERBATIM.sub(self._mask, self._raw)
        return self._first_end(self._masked)

    def _first_end(self, masked: str) -> int | None:
        for found in _END.finditer(masked):
            if not self._raw[: found.end()].strip():
                continue
            following = self._raw[found.end() : found.end() + MAX_MARKER_CHARS + 1]
            if self._may_go_on(found, following):
                return None
            if self._is_end(found, following):
                return found.end()
        return None

    def _may_go_on(self, found: re.Match[str], following: str) -> bool:
        """Return whether what is yet to come may belong before this end."""
        is_open = not following or _may_go_on(following) or self._is_in_verbatim(found.start())
        return is_open and not self._ended

    def _is_end(self, found: re.Match[str], following: str) -> bool:
        """Return whether a stop, or an end of lines, before a text ends a sentence; a wrapped line goes on."""
        if found["lines"] is None:
            return ends_sentence(self._raw[: found.start()], following)
        return found["lines"].count("\n") > 1 or not following[:1].islower()

    def _settled_code(self) -> int:
        """Return the end of the last whole line, before the first that has a passage's id."""
        end = self._raw.rfind("\n") + 1
        found = _PASSAGE_ID.search(self._raw, self._told, end)
        return self._raw.rfind("\n", 0, found.start()) + 1 if found else end

    def _mask(self, found: re.Match[str]) -> str:
        is_whole = self._ended or found.end() < len(found.string)  # what follows tells a formula from a price
        return "x" * len(found[0]) if is_whole else found[0]

    def _is_in_verbatim(self, at: int) -> bool:
        """Return whether code or a formula may be under way at an offset, of which the end has yet to come."""
        opened = _OPENS_VERBATIM.search(self._masked or "", max(0, at - _MAX_FORMULA), at)
        return opened is not None and ("\n" if opened["code"] else "\n\n") not in self._raw[opened.start() :]

    def _settled_end(self) -> int:
        text = self._raw
        line = text[self._blank_lines() :].partition("\n")[0]
        if not self._has_begun() and _may_be_fence(line):
            return 0
        end = len(text.rstrip())
        end = max(text.rfind(" ", 0, end), text.rfind("\t", 0, end), text.rfind("\n", 0, end), 0)
        if text.count("`", 0, end) % 2:
            end = text.rfind("`", 0, end)
        # What was shown holds no reference.
        if reference := _MAY_BE_REFERENCE.search(text, self._told, end):
            end = reference.start()
        # The stop waits too: the number of the source stands before it.
        return self._told + stop_of(text[self._told : end])


def _may_be_fence(beginning: str) -> bool:
    """Return whether a line that begins so may open a block of code or a formula."""
    rest = beginning[after_marks(beginning) :]
    return not rest or rest[0] in "`~$\\" or rest.rstrip(".)").isdecimal()


def _opening(line: str) -> str:
    """Return the marks with which a line opens a block of code or a formula, or an empty text."""
    marks = line.strip(" \t>\r\n")
    return opening_run(line) or (marks if marks in _FORMULAS else "")


def _holders(verdict: Verdict | None) -> tuple[SearchResult, ...]:
    return verdict.passages if verdict and verdict.held else ()


def _holding(named: Iterable[SearchResult], holders: tuple[SearchResult, ...]) -> list[SearchResult]:
    """Return those of the passages named that hold the sentence, all if none is known to."""
    return [passage for passage in named if not holders or passage in holders]


def _dropped(sentence: Sentence, holders: tuple[SearchResult, ...]) -> int:
    """Return how many references name nothing that was shown, or nothing that holds the sentence."""
    references = [part for part in sentence.parts if isinstance(part, Reference)]
    wrong = (cited for part in references for cited in part.passages if holders and cited not in holders)
    return sum(part.unknown for part in references) + sum(1 for _ in wrong)


def _laid_out(text: str, numbers: str, mark: str, end: str, *, is_row: bool) -> str:
    """Return a sentence, its numbers before its stop, the mark behind it; in a row of a table, in its last cell."""
    if (numbers or mark) and is_row:
        return f"{text.rstrip().removesuffix('|').rstrip()}{numbers}{mark} |{end}"
    stop, space = end.rstrip(), end[len(end.rstrip()) :]
    return f"{text}{numbers}{stop}{mark}{space}"


def _sources(
    tail: list[Reference], cited: tuple[SearchResult, ...], holders: tuple[SearchResult, ...]
) -> list[SearchResult]:
    """Return what the numbers behind a sentence name: its own sources that hold it, else some that do."""
    named = _holding((passage for part in tail for passage in part.passages), holders)
    if named or any(passage in holders for passage in cited):
        return named
    return list(holders[:MAX_SOURCES])


def _wants_space(text: str, tail: list[Reference]) -> bool:
    """Return whether numbers are parted from the text before them: not if the model wrote them without a space."""
    return bool(text.strip()) and not text.endswith((" ", "\n")) and bool(not tail or tail[0].space)


def _mark(verdict: Verdict | None) -> str:
    if verdict is None or verdict.state in ("held", "unchecked"):
        return ""
    return CONTRADICTED if verdict.state == "contradicted" else NOT_CONFIRMED


def _may_go_on(text: str) -> bool:
    """Return whether a text may begin with a reference that is not complete."""
    closer = _CLOSERS.get(text[0])
    return closer is not None and closer not in text and len(text) <= MAX_MARKER_CHARS

"""What a page hides: the stretches whose words the built page shows nobody, even after a click.

This is the one place that decides it; everything behind a parsed page has the shown text alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.code_spans import end_of_code
from ingestion.markdown.fences import after_marks
from ingestion.markdown.references import is_remark
from ingestion.markdown.syntax import Syntax
from ingestion.markdown.tags import TagReader, tag_name


class Hidden(NamedTuple):
    """A stretch that nobody sees, as offsets into the page, and the rule that says so.

    `closed` is False where its closing mark is missing, so that it runs to the end of its container.
    """

    start: int
    end: int
    rule: str
    closed: bool = True


class Part(NamedTuple):
    """A stretch of a page of templates: a tag or comment that stands for nothing, or what is kept as it is."""

    start: int
    end: int
    is_kept: bool = False
    closed: bool = True
    is_condition: bool = False


_LIQUID = r"\{{%-?[ \t]*{name}[ \t]*-?%\}}"
_FORMS = {
    "kramdown": (r"\{::comment\b[^{}\n]*\}", r"\{:/(?:comment)?\}"),
    "liquid": (_LIQUID.format(name="comment"), _LIQUID.format(name="endcomment")),
    "shortcode": (r"\{\{[<%][ \t]*comment\b[^{}\n]*[>%]\}\}", r"\{\{[<%][ \t]*/comment[ \t]*[>%]\}\}"),
    "template": (r"\{\{-?[ \t]*/\*", r"\*/[ \t]*-?\}\}"),
    "jinja": (r"\{#(?=\s)", r"#\}"),
    "mdx": (r"\{[ \t]*/\*", r"\*/[ \t]*\}"),
    "percent": (r"(?<![\w%\\])%%(?!%)", r"%%"),
}
"""What opens and closes each form of comment; of two that begin at one place the first."""

_OVER_BLANK_LINES = frozenset(("kramdown", "liquid", "shortcode", "template", "jinja"))
"""Forms that templates read, which know no paragraphs; others go over blank lines only where they begin a line."""

_RAW = (_LIQUID.format(name="raw"), _LIQUID.format(name="endraw"))
_BRANCH = (
    r"(?m:^[ \t]*\{%-?[ \t]*(?:(?P<condition>if|unless|case)|elsif|else|when|endif|endunless|endcase)\b"
    r"[^%\n]{0,500}%\}[ \t]*$)"
)
"""A line that parts what is shown from what is not, as only the build can decide."""

_HIDDEN_TAG = re.compile(
    r"\s(?:hidden(?=[\s/>]|=(?![\"']until-found|\{\s*false))"
    r"|style=(?:\{\{\s*|[\"'])[^>]{0,200}?display[\"']?\s*:\s*[\"']?none\b)",
    re.I,
)
_UNSEARCHED = re.compile(r"\sdata-(?:pagefind-ignore|search-exclude)(?=[\s/>=}])")
"""Elements and sections that the site's own search leaves out."""

_CLOSED_BY_OTHERS = frozenset(("dd", "dt", "li", "p", "td", "th", "tr"))
_VOID = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
_NEVER_SHOWN = frozenset(("script", "style", "template", "title", "desc", "metadata"))
"""Elements whose words no browser shows; `title` is that of an `<svg>`."""

_PASSED = frozenset(("fence", "code", "math", "comment", "import"))
"""Blocks in which nothing opens or closes."""


def template_parts(text: str, templates: str) -> list[Part]:
    """Return the comments of a page's templates, and what `raw` keeps between its tags, in order.

    Templates are read before Markdown, so that code hides nothing from them.
    """
    comment = _FORMS[templates]
    liquid = f"|(?P<raw>{_RAW[0]})|(?P<branch>{_BRANCH})" if templates == "liquid" else ""
    openings = re.compile(f"(?P<comment>{comment[0]}){liquid}")
    parts: list[Part] = []
    at = 0
    while found := openings.search(text, at):
        if "branch" in openings.groupindex and found["branch"]:
            parts.append(Part(*found.span(), is_condition=found["condition"] is not None))
            at = found.end()
            continue
        is_raw = found.lastgroup == "raw"
        closing = _pattern(_RAW[1] if is_raw else comment[1]).search(text, found.end())
        at = closing.end() if closing else len(text)
        if not is_raw:
            parts.append(Part(found.start(), at, closed=closing is not None))
        else:
            inner_end = closing.start() if closing else len(text)
            parts += [Part(*found.span()), Part(found.end(), inner_end, is_kept=True), Part(inner_end, at)]
    return parts


def hidden_in_page(page: Page, top: Sequence[Block], syntax: Syntax) -> list[Hidden]:
    """Return what a page hides, in order and without overlap, given its top-level blocks.

    Code and formulas hide nothing, but for the lines of code that the site's generator leaves out.
    """
    blocks = walk(top)
    found = [*_hidden_blocks(page, blocks, syntax), *_unsearched_sections(page, top)]
    if _openings(syntax).search(page.text):
        found += _Scan(page, top, blocks, syntax).run()
    found.sort()
    kept: list[Hidden] = []
    for hidden in found:
        if not kept or hidden.end > kept[-1].end:
            start = max(hidden.start, kept[-1].end) if kept else hidden.start
            kept.append(hidden._replace(start=start))
    return kept


def is_hidden(tag: str) -> bool:
    """Return whether the attributes of a tag hide its element; a panel of tabs shows after a click.

    What they take out of the site's own search counts as hidden.
    """
    if "data-" in tag and _UNSEARCHED.search(tag):
        return True
    return ("hidden" in tag or "display" in tag) and "tabpanel" not in tag and _HIDDEN_TAG.search(tag) is not None


def _hidden_blocks(page: Page, blocks: Sequence[Block], syntax: Syntax) -> Iterator[Hidden]:
    for block in blocks:
        if block.kind in ("comment", "import") or (block.kind == "reference" and is_remark(page.source(block))):
            start, end = page.span(block)
            rule = "import" if block.kind == "import" else "comment"
            yield Hidden(after_marks(page.text, start), end, rule, block.closed)
        elif block.kind == "fence" and syntax.hidden_code:
            yield from _hidden_code(page, block, dict(syntax.hidden_code))


def _unsearched_sections(page: Page, top: Sequence[Block]) -> Iterator[Hidden]:
    """Yield the sections whose heading takes them out of the site's search, each up to the next heading."""
    if "data-search-exclude" not in page.text:
        return
    headings = [block for block in top if block.kind == "heading"]
    for block, following in zip_longest(headings, headings[1:]):
        if block and "{" in (source := page.source(block)) and _UNSEARCHED.search(source):
            end = page.starts[following.start] if following else len(page.text)
            yield Hidden(page.starts[block.start], end, "hidden-element")


def _hidden_code(page: Page, block: Block, prefixes: dict[str, str]) -> Iterator[Hidden]:
    """Yield the lines of a listing that begin as the generator's hidden lines do; such a mark alone is one too."""
    info = page.lines[block.start].strip(" \t>").lstrip("`~").strip()
    named = re.search(r"\bhidelines=([^\s,{}]+)", info)
    prefix = named[1] if named else prefixes.get(re.split(r"[\s,{]", info, maxsplit=1)[0].lower())
    for number in range(block.start + 1, block.end if prefix else block.start):
        code = page.lines[number].lstrip(" \t>").rstrip("\r")
        if prefix and (code.startswith(prefix) or code == prefix.rstrip()):
            yield Hidden(page.starts[number], page.starts[number + 1], "hidden-code")
        elif prefix == "# " and code.startswith("##"):  # which shows one of them
            start = page.starts[number] + page.lines[number].index("##")
            yield Hidden(start, start + 1, "hidden-code")


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


@cache
def _openings(syntax: Syntax) -> re.Pattern[str]:
    """Return a pattern of everything that may hide something, or that hides such a thing.

    It looks at one character first: most of a page begins nothing.
    """
    forms = [f"(?P<{name}>{opening})" for name, (opening, _) in _FORMS.items() if name in syntax.comments]
    raw = [f"(?P<raw>{_RAW[0]})"] if "liquid" in syntax.comments else []
    several = "|".join((r"(?P<html><!--)", r"(?P<tag><[A-Za-z])", *raw, *forms))
    return re.compile(rf"(?=[<{{%])(?:{several})")


class _Scan:
    """Reads a page once, from its beginning to its end, for everything inside of lines and elements that hides."""

    def __init__(self, page: Page, top: Sequence[Block], blocks: Sequence[Block], syntax: Syntax) -> None:
        self._page, self._text, self._syntax = page, page.text, syntax
        self._openings = re.compile(
            rf"(?=[\\`<{{%])(?:(?P<escape>\\[`<{{%])|(?P<ticks>`+)|{_openings(syntax).pattern})"
        )
        self._verbatim = [page.span(block) for block in blocks if block.kind in _PASSED]
        self._verbatim_ends = [end for _, end in self._verbatim]
        self._leaves = [block for block in blocks if not block.children]
        self._leaf_starts = [page.starts[block.start] for block in self._leaves]
        self._containers = [block for block in blocks if block.children]
        self._container_ends: list[int] = []
        self._never_closed: dict[int, set[str]] = {}
        self._tags = TagReader(page.text, frozenset())
        self._found: list[Hidden] = []
        self._absent: set[str] = set()

    def run(self) -> list[Hidden]:
        """Return what is found."""
        at = 0
        while found := self._openings.search(self._text, at):
            skipped = self._end_of_verbatim(found.start())
            at = skipped if skipped >= 0 else self._read(found, found.lastgroup or "")
        return self._found

    def _read(self, found: re.Match[str], kind: str) -> int:
        """Add what one match hides, and return where to read on."""
        if kind == "escape":
            return found.end()
        if kind == "ticks":
            return self._end_of_code(found)
        if kind == "tag":
            return self._element(found.start())
        return self._raw(found) if kind == "raw" else self._comment(found, kind)

    def _comment(self, found: re.Match[str], kind: str) -> int:
        closing = "-->" if kind == "html" else _FORMS[kind][1]
        start, is_block = found.start(), self._begins_line(found.start())
        anywhere = is_block or kind in _OVER_BLANK_LINES
        end = self._closing(closing, found.end() - (2 if kind == "html" else 0), None if anywhere else start)
        if end >= 0:
            return self._add(start, end, "comment")
        if not anywhere or kind in ("percent", "template", "jinja"):
            return found.end()
        return self._add(start, self._container_end(start), "comment", closed=False)

    def _add(self, start: int, end: int, rule: str, *, closed: bool = True) -> int:
        self._found.append(Hidden(start, end, rule, closed))
        return end

    def _raw(self, found: re.Match[str]) -> int:
        """Leave out the two tags of `raw`, and read nothing between them."""
        closing = _pattern(_RAW[1]).search(self._text, found.end())
        if closing is None:
            return found.end()
        self._add(*found.span(), "shortcode")
        return self._add(*closing.span(), "shortcode")

    def _element(self, start: int) -> int:
        """Add the element that begins at `start` if nobody sees it."""
        name = tag_name(self._text, start)
        stop = self._tags.end_of(start, self._leaf_end(start))
        if not name[:1].islower() or stop is None:
            return start + 1
        tag = self._text[start:stop]
        never_shown = self._is_never_shown(name)
        if not never_shown and not is_hidden(tag):
            return stop
        if name in _VOID or tag.endswith("/>"):
            return self._add(start, stop, "hidden-element")
        end = self._end_of_element(name, stop)
        if end >= 0:
            return self._add(start, end, "hidden-element")
        return self._open_element(start, stop, name, never_shown=never_shown)

    def _is_never_shown(self, name: str) -> bool:
        return name in _NEVER_SHOWN and not (name == "template" and self._syntax.shows_templates)

    def _open_element(self, start: int, stop: int, name: str, *, never_shown: bool) -> int:
        """Add a hidden element that nothing closes, where browsers take it for one."""
        if name in _CLOSED_BY_OTHERS:
            return self._add(start, self._leaf_end(start), "hidden-element")
        if never_shown and not (name in ("script", "style") and self._begins_line(start)):
            return stop
        return self._add(start, self._container_end(start), "hidden-element", closed=False)

    def _end_of_element(self, name: str, at: int) -> int:
        """Return where the closing tag of an element ends, those of the same name inside counted, or -1."""
        if name in self._absent:
            return -1
        depth = 1
        tags = re.compile(rf"<(?P<close>/?){re.escape(name)}(?=[\s/>])", re.I if name.islower() else 0)
        while found := tags.search(self._text, at):
            at = self._end_of_verbatim(found.start())
            if at >= 0:
                continue
            at = self._tags.end_of(found.start(), self._leaf_end(found.start())) or found.end()
            if self._text[at - 2 : at] != "/>":
                depth += -1 if found["close"] else 1
            if depth == 0:
                return at
        self._absent.add(name)
        return -1

    def _closing(self, closing: str, at: int, paragraph: int | None) -> int:
        """Return where a closing mark ends, or -1: in the block around the offset `paragraph`, or anywhere."""
        if paragraph is not None:
            found = _pattern(closing).search(self._text, at, self._leaf_end(paragraph))
            return found.end() if found else -1
        if closing in self._absent:
            return -1
        found = _pattern(closing).search(self._text, at)
        if found is None:
            self._absent.add(closing)
        return found.end() if found else -1

    def _end_of_verbatim(self, at: int) -> int:
        """Return where the code or formula around an offset ends, -1 where it stands in none."""
        number = bisect_right(self._verbatim_ends, at)
        return self._verbatim[number][1] if number < len(self._verbatim) and self._verbatim[number][0] <= at else -1

    def _end_of_code(self, opened: re.Match[str]) -> int:
        """Return where a code span ends, or its opening run where nothing closes it."""
        leaf = self._leaf(opened.start())
        if leaf is not None and leaf.kind in ("html", "jsx"):
            return opened.end()
        end = self._leaf_end(opened.start())
        if leaf is not None and leaf.kind == "table":
            line_end = self._text.find("\n", opened.end())
            end = min(end, line_end) if line_end >= 0 else end
        never_closed = self._never_closed.setdefault(end, set())
        if opened[0] in never_closed or (closed := end_of_code(self._text, opened.start(), end)) < 0:
            never_closed.add(opened[0])
            return opened.end()
        return closed

    def _leaf(self, at: int) -> Block | None:
        number = bisect_right(self._leaf_starts, at) - 1
        return self._leaves[number] if number >= 0 else None

    def _leaf_end(self, at: int) -> int:
        """Return where the innermost block around an offset ends; the end of its line where it stands in none."""
        leaf = self._leaf(at)
        end = self._page.starts[leaf.end] if leaf else 0
        if end > at:
            return end
        line_end = self._text.find("\n", at)
        return line_end if line_end >= 0 else len(self._text)

    def _container_end(self, at: int) -> int:
        """Return where the innermost container around an offset ends, else the page."""
        if not self._container_ends:
            self._container_ends = [len(self._page.lines)] * (len(self._page.lines) + 1)
            for block in self._containers:
                self._container_ends[block.start : block.end] = [block.end] * (block.end - block.start)
        line = bisect_right(self._page.starts, at, hi=len(self._page.lines)) - 1
        return self._page.starts[self._container_ends[line]]

    def _begins_line(self, at: int) -> bool:
        """Return whether nothing but marks of containers stands before an offset in its line."""
        return after_marks(self._text, self._text.rfind("\n", 0, at) + 1) >= at


def hidden_around(hidden: Sequence[Hidden], at: int) -> bool:
    """Return whether an offset lies in something hidden, of stretches in order."""
    number = bisect_left(hidden, at + 1, key=lambda stretch: stretch.end)
    return number < len(hidden) and hidden[number].start <= at

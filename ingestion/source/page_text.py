"""From a page's body to the text that its readers see: what it includes is read in, and what it hides is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingestion.errors import LessonError
from ingestion.markdown.anchors import HeadingIds
from ingestion.markdown.blocks import Block, Page, TooMuchWork, walk
from ingestion.markdown.headings import Outline, outline_of
from ingestion.markdown.hidden import Hidden
from ingestion.markdown.parser import parse_page
from ingestion.markdown.shown import ShownText, shown_text
from ingestion.markdown.syntax import Syntax
from ingestion.models import PublishedPage
from ingestion.settings import Settings
from ingestion.source.built_site.anchors import built_anchors
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.expansion import Expanded, Problem
from ingestion.source.includes.pages import expand_page
from ingestion.source.metadata.front_matter import FrontMatter
from ingestion.source.reader import SourceText

_OPENS_CONFLICT, _CLOSES_CONFLICT = "<<<<<<<", ">>>>>>>"
_CONFLICT = "holds both sides of a merge that was not finished; choose one, and remove the marks"

_SHOWN_MARKDOWN = frozenset(
    (
        "",
        "django",
        "go-html-template",
        "html",
        "html+jinja",
        "jinja",
        "liquid",
        "markdown",
        "md",
        "mdx",
        "text",
        "txt",
    )
)
"""Languages of fences that show how a page is written, which no listing of code has."""


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page that its readers see.

    `origins` holds the line of the body for each of its lines, from 1, and is empty where they are the body's own.
    `whole` is the page before the cut, and `hidden` what was cut, as offsets into it. `anchors` are those of the
    headings that are shown, None where they follow from the text; a built page tells them.
    """

    text: str
    origins: tuple[int, ...]
    whole: Expanded
    hidden: tuple[Hidden, ...] = ()
    anchors: tuple[str, ...] | None = None


def read_page_text(
    source: SourceText, front: FrontMatter, settings: Settings, syntax: Syntax, ids: HeadingIds
) -> PageText:
    """Return what readers see of a page; raises LessonError where its blocks take too much work to read."""
    origins: Sequence[int] = ()
    try:
        whole = expand_page(source, front.body, settings, syntax.templates, PageFacts(source.path, front.values))
        whole = replace(whole, problems=tuple(_real_problems(whole.problems, front.body, syntax)))
        origins = whole.origins
        if line := _conflict(whole.text, syntax):
            raise LessonError(source.path, _CONFLICT, _in_file(line, whole.origins) + front.body_offset)
        shown = shown_text(whole.text, syntax)
        anchors = _shown_anchors(whole.text, shown, syntax, ids)
        if source.published:
            anchors = _anchors_on(source.published, shown.text, syntax, ids, anchors)
    except TooMuchWork as error:
        raise LessonError(source.path, str(error), _in_file(error.line, origins) + front.body_offset) from error
    return PageText(shown.text, _composed(shown.lines, whole.origins), whole, shown.hidden, anchors)


def _in_file(line: int, origins: Sequence[int]) -> int:
    return origins[line - 1] if origins else line


def _conflict(text: str, syntax: Syntax) -> int:
    """Return the line, from 1, of the first mark of a merge that was not finished; 0 where code alone holds one."""
    if _OPENS_CONFLICT not in text or _CLOSES_CONFLICT not in text:
        return 0
    page, blocks = parse_page(text, syntax)
    marks = {number: _mark(page.lines[number]) for number in _lines_outside_code(page, blocks)}
    opened, closed = (
        [number for number, each in marks.items() if each == mark] for mark in (_OPENS_CONFLICT, _CLOSES_CONFLICT)
    )
    return opened[0] + 1 if opened and closed and closed[-1] > opened[0] else 0


def _lines_outside_code(page: Page, blocks: Sequence[Block]) -> list[int]:
    code = [range(block.start, block.end) for block in walk(blocks) if block.kind in ("fence", "code")]
    return sorted(set(range(len(page.lines))).difference(*code))


def _mark(line: str) -> str:
    """Return what a line begins with, as git marks the sides of a merge: seven signs, alone or before a blank."""
    return line.rstrip("\r\n").partition(" ")[0]


def _composed(lines: tuple[int, ...], origins: tuple[int, ...]) -> tuple[int, ...]:
    """Return the line of the body for each line that is shown."""
    return tuple([origins[line - 1] for line in lines]) if lines and origins else lines or origins


def _shown_anchors(whole: str, shown: ShownText, syntax: Syntax, ids: HeadingIds) -> tuple[str, ...] | None:
    """Return the anchors of the headings that are shown, with what is hidden in their own lines.

    Numbers for repeats count headings that are hidden too; but where the inside of a block of HTML is no Markdown,
    what is hidden in it has none.
    """
    if shown.headings is None:
        return None
    page, blocks = parse_page(whole, syntax)
    everything = walk(blocks)
    if syntax.raw_html:
        headings = [block for block in everything if block.kind == "heading"]
        return tuple(Outline(page, blocks, [headings[number] for number in shown.headings], ids).anchors)
    anchors = Outline(page, blocks, everything, ids).anchors
    return tuple(anchors[number] for number in shown.headings)


def _anchors_on(
    published: PublishedPage, text: str, syntax: Syntax, ids: HeadingIds, anchors: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the anchors that the built page has for the headings that are shown."""
    _, outline = outline_of(text, syntax, ids, anchors)
    return built_anchors(outline.titles, outline.anchors, published)


def _real_problems(problems: Sequence[Problem], body: str, syntax: Syntax) -> list[Problem]:
    """Return the problems of a page without those of examples: includes in a fence that shows Markdown."""
    if not problems:
        return []
    page, blocks = parse_page(body, syntax)
    fences = [block for block in walk(blocks) if block.kind == "fence"]
    examples = [block for block in fences if _is_example(page.lines[block.start])]
    return [
        problem
        for problem in problems
        if problem.rule != "unresolved-include"
        or not any(block.start < problem.line <= block.end for block in examples)
    ]


def _is_example(opening: str) -> bool:
    language = opening.strip(" \t>*+-").lstrip("`~").strip(" \t{.").partition(" ")[0].rstrip("}").lower()
    return language in _SHOWN_MARKDOWN

"""Put the text of included files in the place of each include, within bounds, and keep the lines it came from."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ingestion.markdown.blocks import Block
from ingestion.markdown.fences import fenced
from ingestion.markdown.hidden import Part, template_parts
from ingestion.markdown.parser import parse_page
from ingestion.markdown.syntax import ANY_MDX
from ingestion.source.includes.directives import Directive, Finder, PageFolders, Variables, find_variables, whole
from ingestion.source.includes.files import MISSING, NOT_THERE, BookFiles, CannotInclude, decoded
from ingestion.source.metadata.front_matter import UnreadableMetadata, split_front_matter

MAX_DEPTH = 10
"""Files that include files: as deep as mdBook goes."""

MAX_CHARACTERS = 4_000_000
"""Characters of included files that a page may read in all, each file counted whole each time."""

COST = 200
"""Characters that each include counts beside its file, so that empty files are bounded too."""


MAX_PROBLEMS = 100
"""Problems that a page reports."""


class Problem(NamedTuple):
    """An include that is not read, or a mistake in the page's templates; `line` counts from 1 in the page's body."""

    line: int
    message: str
    rule: str = "unresolved-include"


@dataclass(frozen=True, slots=True)
class Expanded:
    """A body with its includes read in.

    `origins` holds the line of the body for each line of `text`, from 1, and is empty where nothing was included.
    `files` maps each file that was asked for to its hash.
    """

    text: str
    origins: tuple[int, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def expand(
    body: str,
    finders: tuple[Finder, ...],
    folders: PageFolders,
    files: BookFiles,
    templates: str | None = None,
    variables: Variables | None = None,
) -> Expanded:
    """Return the body of a page with what it includes; an include that cannot be read stays, and is a problem.

    With `templates`, the page's templates are read too: their comments stand for nothing, and what they keep as it is
    written includes nothing. `variables` are filled, in included files too.
    """
    return _Expansion(finders, folders, files, templates, variables).run(body)


class _Expansion:
    """Expands one page."""

    def __init__(
        self,
        finders: tuple[Finder, ...],
        folders: PageFolders,
        files: BookFiles,
        templates: str | None,
        variables: Variables | None,
    ) -> None:
        self._finders = finders
        self._templates = templates
        self._variables = variables
        self._folders = folders
        self._files = files
        self._hashes: dict[str, str] = {}
        self._texts: dict[Path, str] = {}
        self._refusals: dict[Path, CannotInclude] = {}
        self._left = MAX_CHARACTERS

    def run(self, body: str) -> Expanded:
        """Return the whole page."""
        out, origins, problems = [], [1], []
        at, line = 0, 1
        for directive in self._directives(body, self._folders.page):
            before = body[at : directive.start]
            out.append(before)
            origins += range(line + 1, line + 1 + before.count("\n"))
            line += before.count("\n")
            source = body[directive.start : directive.end]
            text, unread = self._read(directive, source, (self._folders.page,))
            problems += [Problem(line, message, directive.rule) for message in unread]
            out.append(text)
            origins += [line] * text.count("\n")
            at = directive.end
            line += source.count("\n")
        if not out:
            return Expanded(body)
        out.append(body[at:])
        origins += range(line + 1, line + 1 + body.count("\n", at))
        return Expanded("".join(out), tuple(origins), self._hashes, tuple(problems[:MAX_PROBLEMS]))

    def _directives(self, text: str, file: Path) -> list[Directive]:
        """Return the directives of a text in order, without those that lie in another, in a comment or in `raw`."""
        parts = template_parts(text, self._templates) if self._templates else []
        found = [*self._found_in(text, file), *(_standing_for_nothing(part) for part in parts if not part.is_kept)]
        if self._variables:
            found += find_variables(text, self._variables)
        return _outermost(sorted(found, key=attrgetter("start")), deque(part for part in parts if part.is_kept))

    def _found_in(self, text: str, file: Path) -> Iterator[Directive]:
        for finder in self._finders:
            yield from finder(text, file, self._folders)

    def _read(self, directive: Directive, source: str, stack: tuple[Path, ...]) -> tuple[str, list[str]]:
        """Return what takes the place of an include, and what is wrong with it or with those in its file."""
        if directive.text is not None:
            return directive.text, [directive.warning] if directive.warning else []
        try:
            location = self._locate(directive)
            if location in stack:
                raise CannotInclude("includes itself")
            if len(stack) > MAX_DEPTH:
                raise CannotInclude(f"is more than {MAX_DEPTH} files deep")
            text = self._part(directive, location)
        except CannotInclude as error:
            by = f" in {self._files.name(stack[-1])}" if len(stack) > 1 else ""
            return source, [f"`{directive.target[:200]}`{by} {error.reason}; its text is not searched"]
        if directive.fence is not None:
            return _indented(fenced(text, directive.fence), directive), []
        out, problems, at = [], [], 0
        for inner in self._directives(text, location):
            inside, unread = self._read(inner, text[inner.start : inner.end], (*stack, location))
            out += [text[at : inner.start], inside]
            problems += unread
            at = inner.end
        text = "".join(out) + text[at:]
        if directive.is_page:
            text = f"\n{_without_imports(text).strip()}\n"
        return _indented(text, directive), problems

    def _locate(self, directive: Directive) -> Path:
        """Return the file that is meant; remembers those that might have been, since one may appear later."""
        if not directive.places:
            raise CannotInclude("is an address, which is never fetched")
        refusals = []
        for place in directive.places:
            location = Path(os.path.normpath(place))
            if location not in self._texts and location not in self._refusals:
                self._open(location)
            if location in self._texts:
                return location
            refusals.append(self._refusals[location])
        raise next((refusal for refusal in refusals if refusal.reason != NOT_THERE), refusals[0])

    def _open(self, location: Path) -> None:
        name = self._files.name(location)
        self._hashes[name] = MISSING
        try:
            source = self._files.read(location)
            self._hashes[name] = source.sha256
            self._texts[location] = _without_front_matter(decoded(source), location)
        except CannotInclude as error:
            self._refusals[location] = error

    def _part(self, directive: Directive, location: Path) -> str:
        text = self._texts[location]
        self._left -= len(text) + COST
        if self._left < 0:
            raise CannotInclude(f"is too much: a page includes {MAX_CHARACTERS} characters at most")
        return directive.select(text, directive.selection)


def _outermost(found: Sequence[Directive], literal: deque[Part]) -> list[Directive]:
    """Return the directives that lie neither in another one nor in what is kept as it is written."""
    kept: list[Directive] = []
    end = 0
    for directive in found:
        while literal and directive.start >= literal[0].end:
            literal.popleft()
        is_literal = literal and literal[0].start <= directive.start
        if not is_literal and directive.start >= end:
            kept.append(directive)
            end = directive.end
    return kept


def _standing_for_nothing(part: Part) -> Directive:
    warning = "" if part.closed else "this comment is never closed: everything below it is hidden"
    rule = "unclosed-comment"
    if part.is_condition:
        rule, warning = (
            "undecided-condition",
            "what is shown here depends on the build: its branches stand side by side",
        )
    return Directive(part.start, part.end, "", (), whole, text="", warning=warning, rule=rule)


def _without_front_matter(text: str, location: Path) -> str:
    if location.suffix.lower() not in (".md", ".mdx", ".markdown"):
        return text
    try:
        return split_front_matter(text).body
    except UnreadableMetadata:
        return text


def _without_imports(text: str) -> str:
    page, blocks = parse_page(text, ANY_MDX)
    imports: list[Block] = [block for block in blocks if block.kind == "import"]
    at, kept = 0, []
    for block in imports:
        start, end = page.span(block)
        kept.append(text[at:start])
        at = end
    return "".join(kept) + text[at:]


def _indented(text: str, directive: Directive) -> str:
    """Return the text with the include's own indentation, which is part of what is replaced, before each line."""
    if not directive.indent:
        return text
    lines = text.split("\n")
    return "\n".join(f"{directive.indent}{line}" if line.strip() else line for line in lines)

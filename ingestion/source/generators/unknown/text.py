"""Marks of note-taking programs (Obsidian, Logseq), which their readers do not see, and includes of GitBook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.fences import are_code
from ingestion.markdown.parser import parse_page
from ingestion.markdown.syntax import ANY
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, whole
from ingestion.source.includes.files import CannotInclude
from ingestion.source.includes.template_tags import template_tags

SYNTAX = ANY

_PROPERTY = re.compile(
    r"[ \t]*(?:id:: [\w-]{8,}|collapsed:: (?:true|false)|background-color:: \S+|logseq\.[\w.-]+:: .*)[ \t]*$"
)
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9][A-Za-z0-9-]{0,60}[ \t]*$")
_EMBEDDED = re.compile(r"!\[\[(?P<target>[^\[\]\n|]{1,300})(?:\|[^\[\]\n]{0,200})?\]\]")
_REFERENCE = re.compile(r"\(\([0-9a-f]{8}-[0-9a-f-]{27}\)\)")
_MARK = re.compile(r"::[ \t]|[ \t]\^[A-Za-z0-9]|\(\([0-9a-f]{8}-|!\[\[")
"""What stands in each of these, so that of most pages no line is looked at."""

_GITBOOK = ".gitbook/"


def find_gitbook(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield GitBook's `{% include "../.gitbook/includes/file.md" %}`; that folder lies in the book's own."""
    for tag in template_tags(text, "{%") if _GITBOOK in text else ():
        kind, written = tag.words
        _, folder, path = written.partition(_GITBOOK)
        if kind == "include" and folder and written[0] == written[-1] == '"':
            target = f"{folder}{path[:-1]}"[:MAX_TARGET]
            yield Directive(tag.start, tag.end, target, (folders.docs / target,), whole)


def find_vault_marks(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield ids of blocks, properties that show nothing, references by an id, and embedded notes, outside of code."""
    if not _MARK.search(text):
        return
    lines, at = text.split("\n"), 0
    for line, is_code in zip(lines, are_code(lines), strict=True):
        if not is_code and _MARK.search(line):
            yield from _marks_in(line, at, file, folders)
        at += len(line) + 1


def _marks_in(line: str, at: int, file: Path, folders: PageFolders) -> Iterator[Directive]:
    if at and _PROPERTY.match(line):
        yield _nothing(at - 1, at + len(line))
    elif found := _BLOCK_ID.search(line):
        yield _nothing(at + found.start(), at + found.end())
    for found in _REFERENCE.finditer(line):
        yield _nothing(at + found.start(), at + found.end())
    for found in _EMBEDDED.finditer(line):
        if not line.count("`", 0, found.start()) % 2:
            yield _embedded(found["target"].strip(), (at + found.start(), at + found.end()), file, folders)


def _embedded(target: str, span: tuple[int, int], file: Path, folders: PageFolders) -> Directive:
    """Return what is embedded: a note or a part of it, from its own folder or one above; of other files nothing."""
    note, _, part = target.partition("#")
    if PurePosixPath(note).suffix.lower() not in ("", ".md") or not note:
        return _nothing(*span)
    name = note if note.endswith(".md") else f"{note}.md"
    above = (folder for folder in file.parents if folder.is_relative_to(folders.docs))
    return Directive(*span, target, tuple(folder / name for folder in above), select_note, part, is_page=True)


def select_note(text: str, selection: str) -> str:
    """Return the section with a title, or the block with an id (`^id`); raises CannotInclude where there is none."""
    from ingestion.markdown.headings import Outline

    if not selection:
        return whole(text, selection)
    page, blocks = parse_page(text, ANY)
    everything, wanted = walk(blocks), selection.rpartition("#")[2].strip()
    if wanted.startswith("^"):
        return _block_with_id(page, everything, wanted)
    headings = iter(Outline(page, blocks, everything).headings)
    if first := next((each for each in headings if each.title.casefold() == wanted.casefold()), None):
        end = next((each.start for each in headings if each.level <= first.level), len(text))
        return text[first.start : end].rstrip()
    raise CannotInclude(f"has no section `{wanted}`")


def _block_with_id(page: Page, blocks: Sequence[Block], wanted: str) -> str:
    texts = (page.source(block).rstrip() for block in reversed(blocks))
    if found := next((text for text in texts if text.endswith(f" {wanted}")), None):
        return found.removesuffix(wanted).rstrip()
    raise CannotInclude(f"has no block `{wanted}`")


def _nothing(start: int, end: int) -> Directive:
    return Directive(start, end, "", (), whole, text="")

"""The syntax that mdBook reads pages by, and the includes of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingestion.markdown.syntax import NONE, Syntax
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders
from ingestion.source.includes.files import CannotInclude
from ingestion.source.includes.selection import lines_of, region
from ingestion.source.includes.template_tags import template_tags

SYNTAX = Syntax(name="mdbook", comments=NONE, containers=NONE, inline=NONE, hidden_code=(("rust", "# "),))

_LISTINGS = ("#playground", "#playpen")
_KINDS = ("#include", "#rustdoc_include", *_LISTINGS)
_MDBOOK_MARK = re.compile(r"ANCHOR(?P<end>_END)?:\s*(?P<name>[\w-]+)")


def find_mdbook(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `{{#include file:anchor}}` and its like; paths begin at the file that includes."""
    for tag in template_tags(text, "{{"):
        kind, target = tag.words
        if kind not in _KINDS or not target or text[tag.start - 1 : tag.start] == "\\":
            continue
        is_listing, target = kind in _LISTINGS, target[:MAX_TARGET]
        path, selection = (target.split()[0], "") if is_listing else split_mdbook(target)
        yield Directive(
            tag.start,
            tag.end,
            target,
            (file.parent / path,),
            select_mdbook,
            selection,
            fence="rust" if is_listing else None,
        )


def split_mdbook(target: str) -> tuple[str, str]:
    """Return the path and the selection of `file.rs:anchor`, `file.rs:2:9`."""
    path, _, selection = target.partition(":")
    return path, selection


def select_mdbook(text: str, selection: str) -> str:
    """Return the lines that mdBook shows; raises CannotInclude where there are none.

    `2:9` are lines 2 to 9, `2` is one line, `2:` and `:9` are open at an end, and anything else is an anchor.
    """
    lines = lines_of(text)
    first, colon, last = selection.partition(":")
    last = last.partition(":")[0]
    if first and not first.isdecimal():
        return "\n".join(region(lines, _MDBOOK_MARK, first, "anchor"))
    start = max(int(first) - 1, 0) if first else 0
    stop = int(last) if last.isdecimal() else len(lines)
    if first and not colon:
        stop = start + 1
    chosen = lines[start:stop]
    if selection and not chosen:
        raise CannotInclude(f"has no line {first or last}")
    return "\n".join(chosen)


FINDERS = (find_mdbook,)

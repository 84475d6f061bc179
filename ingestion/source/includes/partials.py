"""Find the partials of an MDX page: `import Setup from './_setup.mdx'`, and `<Setup />` where its text goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

from ingestion.markdown.attributes import attributes
from ingestion.markdown.blocks import walk
from ingestion.markdown.parser import parse_page
from ingestion.markdown.syntax import ANY_MDX
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, whole

_IMPORT = re.compile(
    r"^import[ \t]+(?P<name>[A-Za-z_$][\w$]*)[ \t]+from[ \t]+(?P<quote>['\"])(?P<target>[^'\"\n]+)(?P=quote)", re.M
)
_PAGE = re.compile(r"\.mdx?$", re.I)
_RAW = re.compile(r"^!!raw-loader!(?P<path>.+)|(?P<vite>.+)\?raw$")
_CODE_SPAN = re.compile(r"(?<!`)(?P<run>`++)[^\n]{1,1000}?(?<!`)(?P=run)(?!`)")
_TAG = re.compile(r"<(?P<name>[A-Za-z_$][\w$]*)(?P<attributes>(?:[\s/][^<>]*)?)>(?P<empty>\s*</(?P=name)\s*>)?")
_CLOSING_TAG = re.compile(r"</(?P<name>[A-Za-z_$][\w$]*)\s*>")
_CHILDREN = re.compile(r"\{[ \t]*(?:props\.)?children[ \t]*\}")
_PROP = re.compile(r"\{[ \t]*props\.(?P<name>[A-Za-z_$][\w$]*)[ \t]*\}")
WHOLE, BEFORE, AFTER = range(3)
"""The part of a page that a tag stands for: all, or what stands before or after the children that it is given."""
_LISTING = re.compile(r"<CodeBlock(?P<attributes>(?:\s[^<>]*)?)>\s*\{(?P<name>[A-Za-z_$][\w$]*)\}\s*</CodeBlock>")


def find_partials(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield the tags of imported pages, and code blocks that show an imported file; those in code stay."""
    if "import" not in text or not _IMPORT.search(text):
        return
    page, top = parse_page(text, ANY_MDX)
    blocks = walk(top)
    imported = {
        found["name"]: found["target"][:MAX_TARGET]
        for block in blocks
        if block.kind == "import"
        for found in _IMPORT.finditer(page.source(block))
    }
    pages = {name: target for name, target in imported.items() if _PAGE.search(target)}
    listings = {name: raw["path"] or raw["vite"] for name, target in imported.items() if (raw := _RAW.match(target))}
    if not pages and not listings:
        return
    hidden = [page.span(block) for block in blocks if block.kind in ("fence", "comment", "import", "math")]
    hidden += [found.span() for found in _CODE_SPAN.finditer(text)]
    found = [*_tags(text, pages, file, folders), *_listings(text, listings, file, folders)]
    for directive in sorted(found, key=lambda each: each.start):
        if not any(start <= directive.start < end for start, end in hidden):
            yield directive


def _tags(text: str, pages: dict[str, str], file: Path, folders: PageFolders) -> Iterator[Directive]:
    props: dict[str, Mapping[str, str]] = {}
    for tag, part in _parts_shown(text, pages):
        name = tag["name"]
        if part != AFTER:
            props[name] = {prop: value for prop, value, *_ in attributes(tag["attributes"]) if value is not None}
        indent = _blanks_before(text, tag.start())
        span = tag.start() - len(indent), tag.end()
        places = (_place(pages[name], file, folders),)
        select = partial(_select, part=part, props=props.get(name, {}))
        yield Directive(*span, pages[name], places, select, indent=indent, is_page=True)


def _parts_shown(text: str, pages: Collection[str]) -> list[tuple[re.Match[str], int]]:
    """The tags of these pages in order, and which part of its page each shows."""
    found: list[tuple[re.Match[str], int]] = []
    for tag in _TAG.finditer(text):
        if tag["name"] in pages:
            stands_alone = tag["empty"] is not None or tag["attributes"].endswith("/")
            found.append((tag, WHOLE if stands_alone else BEFORE))
    if any(part == BEFORE for _, part in found):
        alone = {tag.end() for tag, part in found if part == WHOLE}
        closing = (tag for tag in _CLOSING_TAG.finditer(text) if tag["name"] in pages and tag.end() not in alone)
        found += ((tag, AFTER) for tag in closing)
    return sorted(found, key=lambda each: each[0].start())


def _select(text: str, selection: str, *, part: int, props: Mapping[str, str]) -> str:
    """Return the part of a page, with the props that its tag passes in their places."""
    before, *after = _CHILDREN.split(text, maxsplit=1)
    chosen = (text, before, "".join(after))[part]
    return _PROP.sub(lambda found: props.get(found["name"], found[0]), chosen)


def _listings(text: str, listings: dict[str, str], file: Path, folders: PageFolders) -> Iterator[Directive]:
    for found in _LISTING.finditer(text):
        if target := listings.get(found["name"]):
            places = (_place(target, file, folders),)
            languages = (value for name, value, *_ in attributes(found["attributes"]) if name == "language")
            fence = next(languages, None) or ""
            indent = _blanks_before(text, found.start())
            span = found.start() - len(indent), found.end()
            yield Directive(*span, target, places, whole, indent=indent, fence=fence)


def _place(target: str, file: Path, folders: PageFolders) -> Path:
    """`@site/` is the folder of the site; other paths begin at the file that imports."""
    if target.startswith("@site/"):
        return folders.base / target.removeprefix("@site/")
    return file.parent / target


def _blanks_before(text: str, start: int) -> str:
    """The blanks that a line begins with, if nothing else stands before `start` in it."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if not before.strip() else ""

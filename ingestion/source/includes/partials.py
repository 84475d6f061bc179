"""Find the partials of an MDX page: `import Setup from './_setup.mdx'`, and `<Setup />` where its text goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingestion.markdown.blocks import walk
from ingestion.markdown.parser import parse_page
from ingestion.source.includes.directives import Directive, PageFolders, whole
from ingestion.source.includes.selection import MAX_TARGET

_IMPORT = re.compile(
    r"^import[ \t]+(?P<name>[A-Za-z_$][\w$]*)[ \t]+from[ \t]+(?P<quote>['\"])(?P<target>[^'\"\n]+)(?P=quote)", re.M
)
_PAGE = re.compile(r"\.mdx?$", re.I)
_RAW = re.compile(r"^!!raw-loader!(?P<path>.+)|(?P<vite>.+)\?raw$")
_CODE_SPAN = re.compile(r"(?<!`)(?P<run>`++)[^\n]{1,1000}?(?<!`)(?P=run)(?!`)")
_TAG = re.compile(r"<(?P<name>[A-Za-z_$][\w$]*)(?P<attributes>(?:\s[^<>]*)?)(?:/>|>\s*</(?P=name)\s*>)")
_LISTING = re.compile(r"<CodeBlock(?P<attributes>(?:\s[^<>]*)?)>\s*\{(?P<name>[A-Za-z_$][\w$]*)\}\s*</CodeBlock>")
_LANGUAGE = re.compile(r"\blanguage=['\"](?P<name>[\w+-]+)")


def find_partials(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield the tags of imported pages, and code blocks that show an imported file; those in code stay."""
    if "import" not in text:
        return
    page, top = parse_page(text, mdx=True)
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
    for found in _TAG.finditer(text):
        if target := pages.get(found["name"]):
            places = (_place(target, file, folders),)
            indent = _indent(text, found.start())
            span = found.start() - len(indent), found.end()
            yield Directive(*span, target, places, whole, indent=indent, is_page=True)


def _listings(text: str, listings: dict[str, str], file: Path, folders: PageFolders) -> Iterator[Directive]:
    for found in _LISTING.finditer(text):
        if target := listings.get(found["name"]):
            language = _LANGUAGE.search(found["attributes"])
            places = (_place(target, file, folders),)
            fence = language["name"] if language else ""
            indent = _indent(text, found.start())
            span = found.start() - len(indent), found.end()
            yield Directive(*span, target, places, whole, indent=indent, fence=fence)


def _place(target: str, file: Path, folders: PageFolders) -> Path:
    """`@site/` is the folder of the site; other paths begin at the file that imports."""
    if target.startswith("@site/"):
        return folders.base / target.removeprefix("@site/")
    return file.parent / target


def _indent(text: str, start: int) -> str:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if not before.strip() else ""

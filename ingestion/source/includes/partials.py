"""Find the partials of an MDX page: `import Setup from './_setup.mdx'`, and `<Setup />` where its text goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ingestion.markdown.attributes import attributes
from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.code_spans import code_spans
from ingestion.markdown.parser import parse_page
from ingestion.markdown.syntax import ANY_MDX
from ingestion.markdown.tags import CLOSING_NAMES
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, blanks_before, whole

_IMPORT = re.compile(
    r"^import[ \t]+(?P<name>[A-Za-z_$][\w$]*)[ \t]+from[ \t]+(?P<quote>['\"])(?P<target>[^'\"\n]+)(?P=quote)", re.M
)
_TAG = re.compile(r"<(?P<name>[A-Za-z_$][\w$]*)(?P<attributes>(?:[\s/][^<>]*)?)>(?P<empty>\s*</(?P=name)\s*>)?")
_EXPRESSION = re.compile(r"\{[ \t]*(?P<props>props\.)?(?P<name>[A-Za-z_$][\w$]*)[ \t]*\}")
WHOLE, BEFORE, AFTER = range(3)
"""The part of a page that a tag stands for: all, or what stands before or after the children that it is given."""
_LISTING, _END_OF_LISTING = "CodeBlock", "</CodeBlock>"
_RAW_LOADER, _RAW_QUERY = "!!raw-loader!", "?raw"


def find_partials(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield the tags of imported pages, and code blocks that show an imported file; those in code stay."""
    if "import" not in text or not _IMPORT.search(text):
        return
    page, top = parse_page(text, ANY_MDX)
    blocks = walk(top)
    imported = _imported(page, blocks)
    pages = {name: target for name, target in imported.items() if target.lower().endswith((".md", ".mdx"))}
    found = [*_tags(text, pages, file, folders), *_listings(text, imported, file, folders)]
    code = _code_in(page, blocks) if found else []
    shown = (each for each in found if not any(start <= each.start < end for start, end in code))
    yield from sorted(shown, key=lambda each: each.start)


def _code_in(page: Page, blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Return where a page has code, comments and the like, in which a tag is none."""
    code = [page.span(block) for block in blocks if block.kind in ("fence", "comment", "import", "math")]
    for start, line in zip(page.starts, page.lines, strict=False):
        code += [(start + first, start + end) for first, end in code_spans(line)]
    return code


def _imported(page: Page, blocks: Sequence[Block]) -> Mapping[str, str]:
    """Return what the page imports: each name with the path of its file."""
    imports = (page.source(block) for block in blocks if block.kind == "import")
    return {found["name"]: found["target"][:MAX_TARGET] for source in imports for found in _IMPORT.finditer(source)}


def _raw_file(target: str) -> str:
    """Return the file that is imported as it is written, or ""."""
    if target.startswith(_RAW_LOADER):
        return target.removeprefix(_RAW_LOADER)
    return target.removesuffix(_RAW_QUERY) if target.endswith(_RAW_QUERY) else ""


def _tags(text: str, pages: dict[str, str], file: Path, folders: PageFolders) -> Iterator[Directive]:
    props: dict[str, Mapping[str, str]] = {}
    for tag, part in _parts_shown(text, pages):
        name = tag["name"]
        if part != AFTER:
            props[name] = {prop: value for prop, value, *_ in attributes(tag["attributes"]) if value is not None}
        indent = blanks_before(text, tag.start())
        span = tag.start() - len(indent), tag.end()
        places = (_place(pages[name], file, folders),)
        select = partial(_select, part=part, props=props.get(name, {}))
        yield Directive(*span, pages[name], places, select, indent=indent, is_page=True)


def _parts_shown(text: str, pages: Collection[str]) -> list[tuple[re.Match[str], int]]:
    """The tags of these pages in order, and which part of its page each shows."""
    if not pages:
        return []
    found = [(tag, WHOLE if _stands_alone(tag) else BEFORE) for tag in _named(_TAG.finditer(text), pages)]
    alone = {tag.end() for tag, part in found if part == WHOLE}
    if len(alone) < len(found):
        closing = _named(CLOSING_NAMES.finditer(text), pages)
        found += ((tag, AFTER) for tag in closing if tag.end() not in alone)
    return sorted(found, key=lambda each: each[0].start())


def _named(tags: Iterator[re.Match[str]], names: Collection[str]) -> Iterator[re.Match[str]]:
    return (tag for tag in tags if tag["name"] in names)


def _stands_alone(tag: re.Match[str]) -> bool:
    return tag["empty"] is not None or tag["attributes"].endswith("/")


def _select(text: str, selection: str, *, part: int, props: Mapping[str, str]) -> str:
    """Return the part of a page, with the props that its tag passes in their places."""
    children = next((found for found in _EXPRESSION.finditer(text) if found["name"] == "children"), None)
    before, after = (text[: children.start()], text[children.end() :]) if children else (text, "")
    chosen = (text, before, after)[part]
    return _EXPRESSION.sub(lambda found: props.get(found["name"], found[0]) if found["props"] else found[0], chosen)


def _listings(text: str, imported: Mapping[str, str], file: Path, folders: PageFolders) -> Iterator[Directive]:
    for tag in _TAG.finditer(text) if _END_OF_LISTING in text else ():
        last = text.find(_END_OF_LISTING, tag.end()) if tag["name"] == _LISTING else -1
        shown = _EXPRESSION.fullmatch(text[tag.end() : max(last, 0)].strip())
        if shown and (target := _raw_file(imported.get(shown["name"], ""))):
            places = (_place(target, file, folders),)
            languages = (value for name, value, *_ in attributes(tag["attributes"]) if name == "language")
            fence = next(languages, None) or ""
            indent = blanks_before(text, tag.start())
            span = tag.start() - len(indent), last + len(_END_OF_LISTING)
            yield Directive(*span, target, places, whole, indent=indent, fence=fence)


def _place(target: str, file: Path, folders: PageFolders) -> Path:
    """`@site/` is the folder of the site; other paths begin at the file that imports."""
    if target.startswith("@site/"):
        return folders.base / target.removeprefix("@site/")
    return file.parent / target

"""The syntax that Hugo reads pages by, and the includes of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingestion.markdown.attributes import attributes
from ingestion.markdown.fences import fenced
from ingestion.markdown.syntax import INLINE, NONE, Syntax
from ingestion.source.generators.hugo.config import facts_of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.directives import Directive, PageFolders, Variables, whole
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import texts_below, values_of

SYNTAX = Syntax(
    name="hugo", comments=NONE, containers=NONE, inline=INLINE - {"wiki", "keys", "critic"}, templates="shortcode"
)

_SHORTCODE = re.compile(
    r"\{\{(?P<mark>[<%])\s*(?P<name>include|readfile)\s(?P<arguments>[^\n{}]{1,1000}?)/?[>%]\}\}", re.I
)


_TABS = re.compile(r"\{\{<\s*(?P<end>/?)\s*(?P<name>tab(?:pane)?)\b(?P<arguments>[^\n{}]{0,1000}?)>\}\}")


_VARIABLE = re.compile(r"\{\{[<%]\s{0,9}param\s{1,9}[\"`]?(?P<name>[\w.-]{1,100})[\"`]?\s{0,9}[>%]\}\}")


def variables_of(page: PageFacts, site: Site | None) -> Variables:
    """Return what `param` shows: a parameter of the page, else one of the site, in any case of letters."""
    own = values_of(page.values)
    found = (*facts_of(site).params, *texts_below(own), *texts_below(own, "params"))
    return Variables(_VARIABLE, {name.lower(): text for name, text in found}, str.lower)


def find_tabs(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield the insides of tabs that are code, as Docsy has them, unless the pane or the tab says `text=true`."""
    pane: dict[str, str] | None = None
    opened: re.Match[str] | None = None
    for tag in _TABS.finditer(text) if "tabpane" in text else ():
        if tag["name"] == "tabpane":
            pane, opened = (None if tag["end"] else _values(tag["arguments"])), None
        elif not tag["end"]:
            opened = tag
        elif pane is not None and opened:
            values = {**pane, **_values(opened["arguments"])}
            inside = text[opened.end() : tag.start()].strip("\n")
            if values.get("text") != "true" and inside.strip():
                code = f"\n{fenced(inside, values.get('lang', ''))}\n"
                yield Directive(opened.end(), tag.start(), "tab", (), whole, text=code)
            opened = None


def _values(arguments: str) -> dict[str, str]:
    """The arguments of a shortcode by name, those without one by number."""
    values: dict[str, str] = {}
    for number, (name, value, *_) in enumerate(attributes(arguments)):
        is_named = name and value is not None
        values.setdefault(name if is_named else str(number), name if value is None else value)
    return values


def find_shortcodes(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield Hugo's `readfile` and `include`, which themes define: a path from the page, its folders or the site."""
    for found in _SHORTCODE.finditer(text):
        values = _values(found["arguments"])
        path = values.get("file") or values.get("path") or values.get("0")
        if path:
            fence = values.get("lang", "") if values.get("code") == "true" else None
            places = _hugo_places(path, folders)
            is_late = found["mark"] == "<" and found["name"].lower() == "readfile" and fence is None
            select = _as_element if is_late else whole
            yield Directive(found.start(), found.end(), path, places, select, fence=fence)


def _as_element(text: str, selection: str) -> str:
    """Return a text as an element: put in after Markdown was read, its `##` makes no section."""
    lines = "\n".join(line for line in text.splitlines() if line.strip())
    return f"\n<div>\n{lines}\n</div>\n"


def _hugo_places(path: str, folders: PageFolders) -> tuple[Path, ...]:
    if path.startswith("/"):
        return (folders.docs / path[1:], folders.base / path[1:])
    page = folders.page.parent
    inside = [folder for folder in (page, *page.parents) if folder.is_relative_to(folders.docs)]
    shared = [folder / name / path for folder in inside for name in ("_includes", "includes")]
    return (page / path, *shared, folders.docs / path, folders.base / path)


FINDERS = (find_shortcodes, find_tabs)

"""The syntax that Hugo reads pages by, and the includes of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ingestion.markdown.attributes import attributes
from ingestion.markdown.fences import fenced
from ingestion.markdown.syntax import INLINE, NONE, Syntax
from ingestion.source.generators.hugo.config import facts_of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.directives import Directive, PageFolders, Variables, whole
from ingestion.source.includes.template_tags import TemplateTag, template_tags
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import texts_below, values_of

SYNTAX = Syntax(
    name="hugo", comments=NONE, containers=NONE, inline=INLINE - {"wiki", "keys", "critic"}, templates="shortcode"
)

_SHORTCODES = ("{{<", "{{%")


def variables_of(page: PageFacts, site: Site | None) -> Variables:
    """Return what `param` shows: a parameter of the page, else one of the site, in any case of letters."""
    own = values_of(page.values)
    found = (*facts_of(site).params, *texts_below(own), *texts_below(own, "params"))
    return Variables(_name_of, {name.lower(): text for name, text in found}, _SHORTCODES)


def _name_of(inside: str) -> str:
    word, *names = inside.split()
    return names[0].strip('"`').lower() if word == "param" and len(names) == 1 else ""


def find_tabs(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield the insides of tabs that are code, as Docsy has them, unless the pane or the tab says `text=true`."""
    pane: dict[str, str] | None = None
    opened: TemplateTag | None = None
    for tag in template_tags(text, "{{<") if "tabpane" in text else ():
        name, arguments = tag.words
        if name == "tabpane" or _closes(tag, "tabpane"):
            pane, opened = _values(arguments) if name == "tabpane" else None, None
        elif name == "tab":
            opened = tag
        elif _closes(tag, "tab"):
            if pane is not None and opened:
                yield from _code_in(text, opened, tag, {**pane, **_values(opened.words[1])})
            opened = None


def _code_in(text: str, opened: TemplateTag, closed: TemplateTag, values: Mapping[str, str]) -> Iterator[Directive]:
    inside = text[opened.end : closed.start].strip("\n")
    if values.get("text") != "true" and inside.strip():
        code = f"\n{fenced(inside, values.get('lang', ''))}\n"
        yield Directive(opened.end, closed.start, "tab", (), whole, text=code)


def _closes(tag: TemplateTag, name: str) -> bool:
    return tag.inside.startswith("/") and tag.inside[1:].strip() == name


def _values(arguments: str) -> dict[str, str]:
    """The arguments of a shortcode by name, those without one by number."""
    values: dict[str, str] = {}
    for number, (name, value, *_) in enumerate(attributes(arguments)):
        is_named = name and value is not None
        values.setdefault(name if is_named else str(number), name if value is None else value)
    return values


def find_shortcodes(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield Hugo's `readfile` and `include`, which themes define: a path from the page, its folders or the site."""
    for tag in template_tags(text, *_SHORTCODES):
        name, arguments = tag.words
        values = _values(arguments.removesuffix("/")) if name.lower() in ("include", "readfile") else {}
        path = values.get("file") or values.get("path") or values.get("0")
        if path:
            fence = values.get("lang", "") if values.get("code") == "true" else None
            places = _hugo_places(path, folders)
            is_late = tag.mark == "{{<" and name.lower() == "readfile" and fence is None
            select = _as_element if is_late else whole
            yield Directive(tag.start, tag.end, path, places, select, fence=fence)


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

"""The syntax that Jekyll reads pages by, and the includes of a page."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from ingestion.markdown.attributes import attributes
from ingestion.markdown.syntax import NONE, Syntax
from ingestion.source.generators.jekyll.config import facts_of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, Variables, whole
from ingestion.source.includes.files import CannotInclude
from ingestion.source.metadata.plain_yaml import MAX_NODES, YamlProblem, read_yaml
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import MAX_VALUE, texts_below, values_of

SYNTAX = Syntax(
    name="jekyll",
    comments=frozenset(("kramdown",)),
    containers=NONE,
    inline=frozenset(("attributes", "icons")),
    templates="liquid",
    raw_html=True,
)

_LIQUID = re.compile(
    r"\{%-?[ \t]*include(?P<relative>_relative)?[ \t]+(?P<target>[^\s%{}]+)(?P<parameters>[^%]{0,2000})%\}"
)
_LIQUID_VALUE = re.compile(r"\{\{-?\s*include\.(?P<key>[\w-]+)[^{}\n]*\}\}")


_VARIABLE = re.compile(r"\{\{-?\s{0,9}(?P<name>(?:site|page)\.[\w.-]{1,100})\s{0,9}-?\}\}")


def variables_of(page: PageFacts, site: Site | None) -> Variables:
    """Return the texts that a page shows as `{{ site.x }}` and `{{ page.x }}`, where no filter changes them."""
    of_page = {f"page.{name}": text for name, text in texts_below(values_of(page.values))}
    return Variables(_VARIABLE, {f"site.{name}": text for name, text in facts_of(site).texts} | of_page)


def find_liquid(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield Jekyll's `{% include file %}`, of the folder `_includes`, and `{% include_relative file %}`."""
    for found in _LIQUID.finditer(text):
        target = found["target"][:MAX_TARGET]
        folder = folders.page.parent if found["relative"] else folders.base / "_includes"
        parameters = {name: value or "" for name, value, _, is_text in attributes(found["parameters"]) if is_text}
        yield Directive(*found.span(), target, (folder / target,), partial(_with_parameters, parameters=parameters))


_DATA = re.compile(
    r"\{\{-?\s{0,9}site\.data(?P<keys>(?:\.[\w-]{1,100}|\[(?:\d{1,6}|\"[^\"\n]{1,100}\"|'[^'\n]{1,100}')\]){2,20})"
    r"\s{0,9}-?\}\}"
)
_KEY = re.compile(r"\.([\w-]+)|\[[\"']?([^\"'\]]+)")


def find_data(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `{{ site.data.file.key }}`, a text of a file of the folder `_data`, or of a folder in it."""
    data = folders.docs / "_data"
    for found in _DATA.finditer(text) if "site.data" in text and data.is_dir() else ():
        folder = data
        first, *keys = map("".join, _KEY.findall(found["keys"]))
        while keys and (folder / first).is_dir():
            folder, first, *keys = folder / first, *keys
        places = tuple(folder / f"{first}.{ending}" for ending in ("yml", "yaml", "json", "csv", "tsv"))
        select = partial(_datum, keys=tuple(keys))
        yield Directive(*found.span(), found[0], places, select, rule="unresolved-variable")


def _datum(text: str, selection: str, *, keys: tuple[str, ...]) -> str:
    value = _document(text)
    for key in keys:
        if isinstance(value, list) and key.isdecimal():
            value = value[int(key)] if int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    if not isinstance(value, str) or len(value) > MAX_VALUE:
        raise CannotInclude("has no text there")
    return value


@lru_cache(maxsize=8)
def _document(text: str) -> Any:
    """Return what a file of data holds; rows of a table by the names in its first line."""
    try:
        value = read_yaml(text).value  # which JSON is too
    except YamlProblem:
        value = None
    if isinstance(value, (list, Mapping)):
        return value
    lines = text.split("\n")
    return list(islice(csv.DictReader(lines, delimiter="\t" if "\t" in lines[0] else ","), MAX_NODES))


def _with_parameters(text: str, selection: str, *, parameters: Mapping[str, str]) -> str:
    """Return a file with the texts that its include passes where it shows them (`{{ include.title }}`)."""
    shown = _LIQUID_VALUE.sub(lambda found: parameters.get(found["key"], ""), text)
    return whole(shown, selection)


FINDERS = (find_liquid, find_data)

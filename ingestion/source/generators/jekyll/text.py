"""The syntax that Jekyll reads pages by, and the includes of a page."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
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
from ingestion.source.includes.template_tags import MAX_TAG, TemplateTag, is_name, replace_tags, template_tags
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


def variables_of(page: PageFacts, site: Site | None) -> Variables:
    """Return the texts that a page shows as `{{ site.x }}` and `{{ page.x }}`, where no filter changes them."""
    of_page = {f"page.{name}": text for name, text in texts_below(values_of(page.values))}
    return Variables(_name_of, {f"site.{name}": text for name, text in facts_of(site).texts} | of_page)


def _name_of(inside: str) -> str:
    return inside if inside.startswith(("site.", "page.")) else ""


def find_liquid(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield Jekyll's `{% include file %}`, of the folder `_includes`, and `{% include_relative file %}`."""
    bases = {"include": folders.base / "_includes", "include_relative": folders.page.parent}
    for tag in template_tags(text, "{%") if "include" in text else ():
        kind, rest = tag.words
        target, *written = rest[:MAX_TAG].split(None, 1) or [""]
        if kind in bases and target and "{" not in target:
            target = target[:MAX_TARGET]
            parameters = {name: value or "" for name, value, _, is_text in attributes("".join(written)) if is_text}
            select = partial(_with_parameters, parameters=parameters)
            yield Directive(tag.start, tag.end, target, (bases[kind] / target,), select)


_KEY = re.compile(r"\.([\w-]{1,100})|\[(?:(\d{1,6})|\"([^\"\n]{1,100})\"|'([^'\n]{1,100})')\]")
MAX_KEYS = 20


def find_data(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `{{ site.data.file.key }}`, a text of a file of the folder `_data`, or of a folder in it."""
    data = folders.docs / "_data"
    for tag in template_tags(text, "{{") if "site.data" in text and data.is_dir() else ():
        before, _, written = tag.inside.partition("site.data")
        keys = ["".join(key) for key in _KEY.findall(written)]
        if before or _KEY.sub("", written) or not 2 <= len(keys) <= MAX_KEYS:
            continue
        places, below = _data_files(data, keys)
        source = text[tag.start : tag.end]
        select = partial(_datum, keys=below)
        yield Directive(tag.start, tag.end, source, places, select, rule="unresolved-variable")


def _data_files(folder: Path, keys: Sequence[str]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return the files that the first keys may name, and the keys that are in the file."""
    first, *below = keys
    while below and (folder / first).is_dir():
        folder, first, *below = folder / first, *below
    return tuple(folder / f"{first}.{ending}" for ending in ("yml", "yaml", "json", "csv", "tsv")), tuple(below)


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

    def value_of(tag: TemplateTag) -> str | None:
        before, _, key = tag.inside.partition("|")[0].rstrip().partition("include.")
        return parameters.get(key, "") if not before and is_name(key) else None

    return whole(replace_tags(text, "{{", value_of), selection)


FINDERS = (find_liquid, find_data)

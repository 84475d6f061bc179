"""The syntax that Jekyll reads pages by, and the includes of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from ingestion.markdown.syntax import NONE, Syntax
from ingestion.source.generators.jekyll.config import facts_of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, Variables, whole
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import texts_below, values_of

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
_LIQUID_PARAMETER = re.compile(r"(?P<key>[\w-]+)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')")
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
        given = _LIQUID_PARAMETER.finditer(found["parameters"])
        parameters = {each["key"]: each["double"] or each["single"] or "" for each in given}
        yield Directive(*found.span(), target, (folder / target,), partial(_with_parameters, parameters=parameters))


def _with_parameters(text: str, selection: str, *, parameters: Mapping[str, str]) -> str:
    """Return a file with the texts that its include passes where it shows them (`{{ include.title }}`)."""
    shown = _LIQUID_VALUE.sub(lambda found: parameters.get(found["key"], ""), text)
    return whole(shown, selection)

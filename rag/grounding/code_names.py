"""The names of code in a text: what must stand in a source letter by letter."""

from __future__ import annotations

import re
from functools import lru_cache

from rag.grounding.formulas import without_formulas

_SPAN = re.compile(r"(?<!`)(`++)(.+?)\1")
_NAME = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[^\s,;.)]+)?"  # flags
    r"|(?<![A-Za-z0-9_])[A-Za-z_]\w*+(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\))?"  # dotted
    r"|(?<![A-Za-z0-9_])[A-Za-z_]\w*+<[\w, &']+>"  # generics
    r"|(?<![A-Za-z0-9_])[A-Za-z_]\w*+\(\)"  # calls
    r"|\b\w*[A-Za-z0-9]_[\w*]*|\b_\w+"  # snake_case and checked_*
    r"|\b[A-Z]*[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*"  # camelCase
    r"|\b[A-Za-z]+\d\w*|\b0x[0-9A-Fa-f]+"  # i8, TMP117
    r"|\b\d+(?:\.\d+){2,}\b"  # versions
)
_PROSE = ("e.g", "i.e", "a.k.a")
_QUOTES = "\"'“”‘’"


@lru_cache(maxsize=4096)
def code_names_in(text: str) -> tuple[str, ...]:
    """Return the names in their order, without backticks and without the arguments of a call; none of formulas."""
    prose = without_formulas(text)
    names = [_bare(found[2]) for found in _SPAN.finditer(prose)]
    names += [_bare(found[0]) for found in _NAME.finditer(_SPAN.sub(" ", prose)) if found[0] not in _PROSE]
    return tuple(dict.fromkeys(filter(None, names)))


def stands_in(name: str, text: str) -> bool:
    """Return whether the name is in the text, letter by letter and not as a part of a longer name."""
    before = r"(?<![\w-])" if name[0].isalnum() or name[0] in "_-" else ""
    before += "v?" if name[0].isdigit() else ""
    after = r"(?![\w]|-\w)" if name[-1].isalnum() or name[-1] == "_" else ""
    return bool(_pattern(before + re.escape(name) + after).search(text))


@lru_cache(maxsize=4096)
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


def _bare(name: str) -> str:
    name = " ".join(name.split()).strip(_QUOTES)
    return (name.partition("(")[0] if name.endswith(")") else name).strip()

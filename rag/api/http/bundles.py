"""The modules and style sheets of a page as one file each, so that a browser makes one request for each.

Modules are joined in the order of their imports. Their top-level names must differ, except for a module's private
constants in capitals, which get its number.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

SCRIPTS: Mapping[str, str] = {"app.bundle.js": "app.js", "panel.bundle.js": "widget/panel.js"}
"""Each bundle of modules, and its entry module."""

_CHAT = ("tokens", "controls", "chat", "welcome", "composer", "prose", "panels", "search", "threads")
STYLES: Mapping[str, Sequence[str]] = {
    "page.bundle.css": tuple(f"styles/{name}.css" for name in (*_CHAT, "page")),
    "widget.bundle.css": (*(f"styles/{name}.css" for name in _CHAT), "widget/widget.css"),
}

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.M)
_DECLARED = re.compile(
    r"^(?P<export>export )?(?:async )?(?:function\*?|class|const|let) (?:(?P<name>\w+)|\[(?P<names>[\w, ]+)\])", re.M
)


def script_bundle(files: Mapping[str, str], entry: str) -> str:
    """Return a module and all its imports as one; raises ValueError if two of them use the same name."""
    order: list[str] = []
    _visit(entry, files, order)
    taken: dict[str, str] = {}
    parts = []
    for number, name in enumerate(order):
        text = _IMPORT.sub("", files[name])
        for own, is_exported in _names(text):
            if own.isupper() and not is_exported:
                text = re.sub(rf"\b{own}\b", f"{own}_{number}", text)
            elif taken.setdefault(own, name) != name:
                raise ValueError(f"{own} is in {taken[own]} and in {name}; rename one of them")
        parts.append(text if name == entry else re.sub(r"^export ", "", text, flags=re.M))
    return "\n".join(parts)


def style_bundle(files: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the style sheets joined."""
    return "\n".join(files[name] for name in names)


def _visit(name: str, files: Mapping[str, str], order: list[str]) -> None:
    for imported in _IMPORT.findall(files[name]):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))
        if path not in order:
            _visit(path, files, order)
    if name not in order:
        order.append(name)


def _names(text: str) -> list[tuple[str, bool]]:
    return [
        (name.strip(), bool(found["export"]))
        for found in _DECLARED.finditer(text)
        for name in (found["name"] or found["names"]).split(",")
    ]

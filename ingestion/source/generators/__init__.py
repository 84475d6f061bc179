"""The site generators, each in a folder of its own, which is loaded when its site is found or its style is set.

The `__init__` of a folder is data: the names of its configuration files, the folders beside the lessons that a site
may lie in (`BESIDE`), the styles of addresses that the setting
`book.style` calls it by, and its rank in the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol, cast

from ingestion.errors import ConfigurationError

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.markdown.syntax import Syntax
    from ingestion.source.generators.protocol import Generator
    from ingestion.source.site import Site

UNKNOWN = "unknown"
"""The generator of books whose site is not known."""


class Folder(Protocol):
    """What the `__init__` of a generator's folder says of it."""

    CONFIGS: Sequence[str]
    BESIDE: Sequence[str]
    STYLES: Sequence[str]
    RANK: int


@cache
def known() -> dict[str, Folder]:
    """Return the generators by name, in the order in which their sites are looked for."""
    names = [module.name for module in iter_modules(__path__) if module.ispkg]
    folders = {name: cast(Folder, import_module(f"{__name__}.{name}")) for name in names}
    return dict(sorted(folders.items(), key=lambda item: item[1].RANK))


@cache
def styles() -> dict[str, str]:
    """Return the styles of addresses, each with the generator whose it is."""
    return {style: name for name, folder in known().items() for style in folder.STYLES}


def require_style(style: str) -> None:
    """Raise ConfigurationError where the setting `book.style` names no style."""
    if style == "auto" or style in styles():
        return
    near = get_close_matches(style, styles(), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ConfigurationError(f"book.style: no style is called {style!r}: {hint}Choose auto, {', '.join(styles())}")


def of(site: Site | None) -> Generator:
    """Return the generator of a site, `unknown` where none is found."""
    return named(site.generator if site else UNKNOWN)


def of_style(style: str) -> Generator:
    """Return the generator that makes addresses of a style; raises ConfigurationError for a style that none has."""
    require_style(style)
    return _styled(styles()[style])[style]


def every() -> list[Generator]:
    """Return all generators that have a style, in the order in which their sites are looked for."""
    return [named(name) for name, folder in known().items() if folder.STYLES]


def every_heading_ids() -> list[HeadingIds]:
    """Return how each generator names headings."""
    return [of_style(style).heading_ids(None) for style in styles()]


def syntax_named(name: str) -> Syntax:
    """Return the syntax with a name that a chunk holds; that of any generator for one that is not known."""
    generator, *added = name.split("+")
    return named(generator if generator in known() else UNKNOWN).own_syntax().adding(*added)


def named(name: str) -> Generator:
    """Return a generator by the name of its folder."""
    return next(iter(_styled(name).values()))


@cache
def _styled(name: str) -> dict[str, Generator]:
    return cast("dict[str, Generator]", import_module(f"{__name__}.{name}.generator").STYLED)

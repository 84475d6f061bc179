"""The site generators, each in a folder of its own, which is loaded when its site is found or its style is set.

The `__init__` of a folder is data: the names of its configuration files, the styles of addresses that the setting
`book.style` calls it by, and its rank in the search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol, cast

from ingestion.errors import ConfigurationError
from ingestion.markdown.syntax import ANY, MDX, Syntax

if TYPE_CHECKING:
    from ingestion.source.generators.page_names import AddressStyle
    from ingestion.source.site import Site


class Folder(Protocol):
    """What the `__init__` of a generator's folder says of it."""

    CONFIGS: Sequence[str]
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


def style_of(style: str) -> AddressStyle:
    """Return how addresses of a style are made."""
    require_style(style)
    module = import_module(f"{__name__}.{styles()[style]}.addresses")
    return cast("dict[str, AddressStyle]", module.STYLED)[style]


def reader_of(name: str) -> Callable[[Path, Path], Site | None]:
    """Return what reads the configuration file of a generator."""
    return cast("Callable[[Path, Path], Site | None]", import_module(f"{__name__}.{name}.config").read)


def generator_of(site: Site | None, style: str) -> str:
    """Return the generator that makes a page: of its site, else the one whose style of addresses the book names."""
    return site.generator if site else styles().get(style, style)


@cache
def syntax_of(generator: str, *, mdx: bool = False) -> Syntax:
    """Return how the pages of a generator are read; where it is not known, by the rules of any."""
    is_known = generator in known() and find_spec(f"{__name__}.{generator}.text")
    syntax = cast(Syntax, import_module(f"{__name__}.{generator}.text").SYNTAX) if is_known else ANY
    return syntax.as_mdx() if mdx else syntax


def syntax_named(name: str) -> Syntax:
    """Return the syntax with a name that a chunk holds."""
    return syntax_of(name.removesuffix(MDX), mdx=name.endswith(MDX))

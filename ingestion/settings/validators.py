"""How raw setting values are read: each reader returns the value or raises ValueError that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from ingestion.settings.path_patterns import compile_pattern

MODULE_KEYS = ("name", "title", "path", "aliases", "hardware_tier", "proficiency_level", "layer")


def setting(default: Any, read: Callable[[Any], Any], *, env: str = "", in_file: bool = True, help: str) -> Any:
    """Declare a field of the settings: its environment variable, how a raw value is read, and what it is for.

    With `in_file` false no configuration file may hold it, as for secrets.
    """
    metadata = {"read": read, "env": env, "in_file": in_file, "help": help}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that never shows: only `reveal` gives it away."""

    _value: str

    def reveal(self) -> str:
        """The secret itself, for the client that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """An entry of the book's vocabulary; the last three are what its lessons get where they declare none."""

    name: str
    title: str | None = None
    path: str | None = None
    aliases: tuple[str, ...] = ()
    hardware_tier: int | None = None
    proficiency_level: str | None = None
    layer: str | None = None


BUILT_IN_MODULES = (
    Module(name="intro", aliases=("introduction",)),
    Module(name="ros2"),
    Module(name="gazebo", aliases=("simulation",)),
    Module(name="isaac"),
    Module(name="vla", aliases=("vision-language-action",)),
)
"""The vocabulary `physical-ai` of the specifications, which counts only for a book that asks for it."""


def text(raw: Any) -> str:
    """Non-empty text."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(f"{raw!r} is not text")
    return raw.strip()


def texts(raw: Any) -> tuple[str, ...]:
    """A list of text; one text is a list of one."""
    items = [raw] if isinstance(raw, str) else raw
    if not isinstance(items, list | tuple):
        raise ValueError(f"{raw!r} is not a list of text")
    return tuple(text(item) for item in items)


def path_patterns(raw: Any) -> tuple[str, ...]:
    """A list of path patterns such as `{module}/week-{chapter}-*`."""
    patterns = texts(raw)
    for pattern in patterns:
        compile_pattern(pattern)
    return patterns


def url(raw: Any) -> str:
    """An http(s) address without a trailing slash."""
    try:
        parts = urlsplit(text(raw))
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        # The address may carry a password, so that it is not repeated.
        raise ValueError("is not an http:// or https:// address")
    return text(raw).rstrip("/")


def secret(raw: Any) -> Secret:
    """A secret; a wrong one is not repeated in the message."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError("is not text")
    return Secret(raw.strip())


def switch(raw: Any) -> bool:
    """True or false, in the spellings of shells and TOML."""
    spellings = {
        "true": True,
        "1": True,
        "yes": True,
        "on": True,
        "false": False,
        "0": False,
        "no": False,
        "off": False,
    }
    try:
        return spellings[str(raw).strip().lower()]
    except KeyError:
        raise ValueError(f"{raw!r} is neither true nor false") from None


def number(lowest: int, highest: int) -> Callable[[Any], int]:
    """A reader of whole numbers within bounds."""

    def read(raw: Any) -> int:
        if isinstance(raw, bool) or not re.fullmatch(r"[+-]?\d{1,18}", str(raw).strip()):
            raise ValueError(f"{raw!r} is not a whole number")
        if not lowest <= int(raw) <= highest:
            raise ValueError(f"{raw} is not between {lowest} and {highest}")
        return int(raw)

    return read


def share(raw: Any) -> float:
    """A number from 0 to 1."""
    try:
        value = float(str(raw))
    except ValueError:
        raise ValueError(f"{raw!r} is not a number") from None
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{raw} is not between 0 and 1")
    return value


def amount(raw: Any) -> float:
    """A number that is not negative."""
    try:
        value = float(raw)
    except (TypeError, ValueError):
        raise ValueError(f"{raw!r} is not a number") from None
    if isinstance(raw, bool) or not 0.0 <= value < float("inf"):
        raise ValueError(f"{raw!r} is not an amount")
    return value


def numbers(*counts: int) -> Callable[[Any], tuple[float, ...]]:
    """A reader of a list of so many finite numbers, or of one of several counts."""

    def read(raw: Any) -> tuple[float, ...]:
        usable = isinstance(raw, list) and all(
            isinstance(each, int | float) and not isinstance(each, bool) and isfinite(each) for each in raw
        )
        if not usable or len(raw) not in counts:
            raise ValueError(f"{raw!r} is not a list of {' or '.join(map(str, counts))} numbers")
        return tuple(float(each) for each in raw)

    return read


def choice(*known: str) -> Callable[[Any], str]:
    """A reader of one of the known words."""

    def read(raw: Any) -> str:
        if raw not in known:
            raise ValueError(f"{raw!r} is none of {', '.join(known)}")
        return str(raw)

    return read


def modules(raw: Any) -> tuple[Module, ...]:
    """The `[[modules]]` tables of `bookwise.toml`."""
    if not isinstance(raw, list) or not all(isinstance(each, dict) for each in raw):
        raise ValueError("is not a list of tables, write [[modules]]")
    read = tuple(_module(each) for each in raw)
    names = [name for each in read for name in (each.name, *each.aliases)]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"used for more than one module: {', '.join(repeated)}")
    return read


def _module(raw: Mapping[str, Any]) -> Module:
    unknown = sorted(set(raw) - set(MODULE_KEYS))
    if unknown:
        raise ValueError(f"unknown key {', '.join(unknown)}; known are {', '.join(MODULE_KEYS)}")
    if "name" not in raw:
        raise ValueError("a module without a name")
    return Module(
        name=text(raw["name"]),
        title=text(raw["title"]) if "title" in raw else None,
        path=text(raw["path"]) if "path" in raw else None,
        aliases=texts(raw.get("aliases", [])),
        hardware_tier=number(1, 4)(raw["hardware_tier"]) if "hardware_tier" in raw else None,
        proficiency_level=choice("A1", "A2", "B1", "B2", "C1", "C2")(raw["proficiency_level"])
        if "proficiency_level" in raw
        else None,
        layer=choice("L1", "L2", "L3", "L4")(raw["layer"]) if "layer" in raw else None,
    )

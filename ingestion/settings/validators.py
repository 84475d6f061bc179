"""Parsers of raw setting values: each returns the value or raises ValueError that says what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ingestion.errors import ConfigurationError
from ingestion.settings.path_patterns import compile_pattern

T = TypeVar("T")

MODULE_KEYS = ("name", "title", "path", "aliases", "hardware_tier", "proficiency_level", "layer")


def setting(
    default: Any,
    read: Callable[[Any], Any],
    *,
    env: str = "",
    in_file: bool = True,
    is_path: bool = False,
    is_table: bool = False,
    by_book: Callable[[Any], bool] | None = None,
    help: str,
) -> Any:
    """Declare a field of the settings: its environment variable, how a raw value is read, and what it is for.

    With `in_file` false no configuration file may hold it, as for secrets. Of a table each key comes from the first
    source that has it; in the environment a table is written as JSON. A path is relative to the book's folder,
    but from a flag or the environment to the current one. `by_book` says of a value whether the file of a book that
    the user does not trust may set it; without it none may (see `ingestion.settings.trust`).
    """
    metadata = {
        "read": read,
        "env": env,
        "in_file": in_file,
        "is_path": is_path,
        "is_table": is_table,
        "by_book": by_book or _never,
        "help": help,
    }
    return field(default=default, metadata=metadata)


def book_setting(default: Any, read: Callable[[Any], Any], **more: Any) -> Any:
    """Declare a setting that says what a book is and how it is read, which any book's own file may set."""
    return setting(default, read, by_book=always, **more)


def table_setting(kind: type[Any], **more: Any) -> Any:
    """Declare a setting that is a table of its own, whose keys are the fields of `kind`."""
    return setting(kind(), parse_fields(kind), is_table=True, **more)


def always(value: Any) -> bool:
    """Return true: a book may set any value."""
    return True


def _never(value: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that is never shown: only `reveal` returns it, unless it is withheld for a reason.

    The reason is reported only when the secret is needed, so commands that do not need it work.
    """

    _value: str
    refusal: str | None = None

    def reveal(self) -> str:
        """Return the secret itself, for the client that needs it; raises ConfigurationError if it is withheld."""
        if self.refusal:
            raise ConfigurationError(self.refusal)
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


def parse_text(raw: Any) -> str:
    """Parse text that is not empty."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(f"{raw!r} is not text")
    return raw.strip()


def parse_texts(raw: Any) -> tuple[str, ...]:
    """Parse a list of texts; one text is a list of one."""
    items = [raw] if isinstance(raw, str) else raw
    if not isinstance(items, list | tuple):
        raise ValueError(f"{raw!r} is not a list of text")
    return tuple(parse_text(item) for item in items)


def parse_path_patterns(raw: Any) -> tuple[str, ...]:
    """Parse a list of path patterns such as `{module}/week-{chapter}-*`."""
    patterns = parse_texts(raw)
    for pattern in patterns:
        compile_pattern(pattern)
    return patterns


def parse_url(raw: Any) -> str:
    """Parse an http(s) address; a slash at its end is removed."""
    try:
        parts = urlsplit(parse_text(raw))
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        # The URL may contain a password, so it is not repeated.
        raise ValueError("is not an http:// or https:// address")
    return parse_text(raw).rstrip("/")


def parse_secret(raw: Any) -> Secret:
    """Parse a secret; the message for a wrong one does not repeat it."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError("is not text")
    return Secret(raw.strip())


def parse_bool(raw: Any) -> bool:
    """Parse true or false, in the spellings of shells and TOML."""
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
        raise ValueError(f"{raw!r} must be true or false") from None


def parse_int(lowest: int, highest: int) -> Callable[[Any], int]:
    """Return a parser of whole numbers within bounds."""

    def read(raw: Any) -> int:
        if isinstance(raw, bool) or not re.fullmatch(r"[+-]?\d{1,18}", str(raw).strip()):
            raise ValueError(f"{raw!r} is not a whole number")
        if not lowest <= int(raw) <= highest:
            raise ValueError(f"{raw} is not between {lowest} and {highest}")
        return int(raw)

    return read


def parse_fraction(raw: Any) -> float:
    """Parse a number from 0 to 1."""
    try:
        value = float(str(raw))
    except ValueError:
        raise ValueError(f"{raw!r} is not a number") from None
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{raw} is not between 0 and 1")
    return value


def parse_amount(raw: Any) -> float:
    """Parse a number that is not negative."""
    try:
        value = float(raw)
    except (TypeError, ValueError):
        raise ValueError(f"{raw!r} is not a number") from None
    if isinstance(raw, bool) or not 0.0 <= value < float("inf"):
        raise ValueError(f"{raw!r} must be a positive amount")
    return value


def parse_numbers(*counts: int) -> Callable[[Any], tuple[float, ...]]:
    """Return a parser of a list of finite numbers with one of the given lengths."""

    def read(raw: Any) -> tuple[float, ...]:
        usable = isinstance(raw, list) and all(
            isinstance(item, int | float) and not isinstance(item, bool) and isfinite(item) for item in raw
        )
        if not usable or len(raw) not in counts:
            raise ValueError(f"{raw!r} is not a list of {' or '.join(map(str, counts))} numbers")
        return tuple(float(item) for item in raw)

    return read


def parse_choice(*known: str) -> Callable[[Any], str]:
    """Return a parser of one of the allowed values."""

    def read(raw: Any) -> str:
        if raw not in known:
            raise ValueError(f"{raw!r} is not valid: choose {', '.join(known[:-1])} or {known[-1]}")
        return str(raw)

    return read


def parse_table(raw: Any) -> Mapping[str, Any]:
    """Parse a table, which in the environment is written as JSON."""
    try:
        value = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{raw!r} is not a table")
    return value


def parse_fields(kind: type[T]) -> Callable[[Any], T]:
    """Return a parser of a table with the fields of `kind`, which are settings; what it lacks keeps its default."""
    parsers = {each.name: each.metadata["read"] for each in fields(kind)}  # type: ignore[arg-type]

    def read(raw: Any) -> T:
        table = parse_table(raw)
        if unknown := sorted(table.keys() - parsers.keys()):
            raise ValueError(f"unknown key {', '.join(unknown)}; known are {', '.join(parsers)}")
        values = {}
        for name, value in table.items():
            try:
                values[name] = parsers[name](value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
        return kind(**values)

    return read


def parse_tier_names(raw: Any) -> tuple[str, ...]:
    """Parse up to four names of hardware tiers, the first of tier 1."""
    names = parse_texts(raw)
    if len(names) > MAX_TIERS:
        raise ValueError(f"names {len(names)} tiers, there are {MAX_TIERS}")
    return names


MAX_TIERS = 4


def parse_modules(raw: Any) -> tuple[Module, ...]:
    """Parse the `[[modules]]` tables of `bookwise.toml`."""
    if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
        raise ValueError("is not a list of tables, write [[modules]]")
    read = tuple(_module(item) for item in raw)
    names = [name for module in read for name in (module.name, *module.aliases)]
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
        name=parse_text(raw["name"]),
        title=parse_text(raw["title"]) if "title" in raw else None,
        path=parse_text(raw["path"]) if "path" in raw else None,
        aliases=parse_texts(raw.get("aliases", [])),
        hardware_tier=parse_int(1, 4)(raw["hardware_tier"]) if "hardware_tier" in raw else None,
        proficiency_level=parse_choice("A1", "A2", "B1", "B2", "C1", "C2")(raw["proficiency_level"])
        if "proficiency_level" in raw
        else None,
        layer=parse_choice("L1", "L2", "L3", "L4")(raw["layer"]) if "layer" in raw else None,
    )

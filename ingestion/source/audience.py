"""For whom a page is: hardware tier, proficiency levels and teaching layers, out of what authors really write.

Integers, ranges and words become a tier and two sets. What cannot be read is reported: an unusable level or layer
leaves the default, an unusable tier counts as the highest (docs/design.md, decision 2).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ingestion.models import LAYERS, LEVELS, TIERS
from ingestion.settings.validators import Module
from ingestion.source.metadata.keys import LAYER_KEYS, LEVEL_KEYS, TIER_KEYS, meant_key
from ingestion.source.site_reading.values import items

NO_LEVEL = "names no level A1 to C2; the default stands"
NO_LAYER = "names no layer L1 to L4; the default stands"
CLOSED_TIER = max(TIERS)
"""What a tier counts as that is written but cannot be used: a mistake must not show a page to more readers."""

_WORDS = {
    "beginner": ("A1", "A2"),
    "elementary": ("A1", "A2"),
    "basic": ("A1", "A2"),
    "intermediate": ("B1", "B2"),
    "advanced": ("C1", "C2"),
    "expert": ("C1", "C2"),
}
_LEVEL_TOKEN = re.compile(r"\b[ABC][12]\b|" + "|".join(_WORDS), re.I)
_BETWEEN = ("-", "–", "—", "→", "to")
"""What stands between both ends of a range."""

_LAYER_TOKEN = re.compile(r"\bL(?:ayers?)?[ _-]?([1-4])\b|(?<=[→-])\s*([1-4])\b", re.I)
_TIER = re.compile(r"(?:(?:tier|t)[ _-]*)?0*([1-9]\d*)(?:\.0+)?", re.I)


@dataclass(frozen=True, slots=True)
class Audience:
    """Tier, and the level and layer sets in ascending order, never empty; `declared` names what the author wrote.

    `unusable` are (key, value, what is wrong) of values that could not be read.
    """

    hardware_tier: int
    levels: tuple[str, ...]
    layers: tuple[str, ...]
    declared: tuple[str, ...]
    unusable: tuple[tuple[str, str, str], ...]


def read_audience(front_matter: Mapping[str, Any], module: Module | None, repeated: Collection[str] = ()) -> Audience:
    """Return the page's audience; what it does not declare is its module's, else tier 1, level A2 and layer L1.

    `repeated` are keys that the metadata has twice.
    """
    values = with_custom_tables(front_matter)
    unusable: list[tuple[str, str, str]] = []
    tier = _read_tier(values, repeated, unusable)
    levels = _read_set(values, LEVEL_KEYS, _levels_in, LEVELS, NO_LEVEL, unusable)
    layers = _read_set(values, LAYER_KEYS, _layers_in, LAYERS, NO_LAYER, unusable)
    named = (("hardware_tier", tier), ("proficiency_level", levels), ("layer", layers))
    module = module or Module(name="")
    return Audience(
        hardware_tier=tier or module.hardware_tier or 1,
        levels=levels or (module.proficiency_level or "A2",),
        layers=layers or (module.layer or "L1",),
        declared=tuple(name for name, value in named if value),
        unusable=tuple(unusable),
    )


CUSTOM_TABLES = ("params", "extra", "sidebar_custom_props")
"""Where Hugo, Zola and Docusaurus want keys that are not theirs."""


def with_custom_tables(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata with the keys of the tables in which generators want those of others."""
    tables = (values[name] for name in CUSTOM_TABLES if isinstance(values.get(name), Mapping))
    custom = {key: value for table in tables for key, value in table.items()}
    return {**custom, **values} if custom else values


def whole_number(value: Any) -> int | None:
    """Return the whole number that a scalar such as `3`, `03` or `3.0` stands for, else None."""
    match = re.fullmatch(r"(-?\d{1,9})(?:\.0+)?", str(value).strip())
    return int(match[1]) if match else None


def _read_tier(
    values: Mapping[str, Any], repeated: Collection[str], unusable: list[tuple[str, str, str]]
) -> int | None:
    """Return the tier that a page declares, also under a misspelt key; the highest where what it says cannot be
    used.
    """
    written = [key for key in values if key in TIER_KEYS or meant_key(key) == "hardware_tier"]
    found: list[int] = []
    for key in written:
        match = _TIER.fullmatch(str(values[key]).strip())
        if match and int(match[1]) in TIERS and key not in repeated:
            found.append(int(match[1]))
            continue
        wrong = "is there twice" if key in repeated else "is no tier 1 to 4"
        value = "" if values[key] is None else str(values[key])
        unusable.append((key, value, f"{wrong}; treated as tier {CLOSED_TIER}"))
        found.append(CLOSED_TIER)
    return max(found, default=None)


def _read_set(
    front_matter: Mapping[str, Any],
    keys: tuple[str, ...],
    read: Any,
    order: tuple[str, ...],
    wrong: str,
    unusable: list[tuple[str, str, str]],
) -> tuple[str, ...]:
    """Top-level keys decide; without any, those in nested maps (skills, objectives) do."""
    for nested in (False, True):
        found: set[str] = set()
        for key, value in _scalars(front_matter, keys, nested=nested):
            values = read(value)
            found |= values
            if not values:
                unusable.append((key, value, wrong))
        if found:
            return tuple(sorted(found, key=order.index))
    return ()


def _scalars(value: Any, keys: tuple[str, ...], *, nested: bool, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the scalars under these keys: of the top level, or of nested maps only."""
    entries = value.items() if isinstance(value, Mapping) else [(None, each) for each in items(value)]
    for key, inner in entries:
        if key in keys and bool(depth) == nested:
            written = inner if isinstance(inner, list) else [inner]
            yield from ((key, item) for item in written if isinstance(item, str))
        elif nested:
            yield from _scalars(inner, keys, nested=True, depth=depth + 1)


def _levels_in(text: str) -> set[str]:
    """`A2-B1` is both ends and all between; a word is its two levels."""
    tokens = list(_LEVEL_TOKEN.finditer(text))
    levels = {level for token in tokens for level in _WORDS.get(token[0].lower(), (token[0].upper(),))}
    if len(tokens) == 2 and text[tokens[0].end() : tokens[1].start()].strip().lower() in _BETWEEN:
        ranks = [LEVELS.index(level) for level in levels]
        return set(LEVELS[min(ranks) : max(ranks) + 1])
    return levels


def _layers_in(text: str) -> set[str]:
    if re.fullmatch(r"\s*[1-4]\s*", text):
        return {f"L{text.strip()}"}
    return {f"L{match[1] or match[2]}" for match in _LAYER_TOKEN.finditer(text)}

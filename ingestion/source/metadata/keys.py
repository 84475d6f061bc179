"""The metadata keys that mean something to us or to a site generator, and the key that a misspelt one stands for."""

from __future__ import annotations

import difflib
import re
from functools import cache

TIER_KEYS = ("hardware_tier", "tier")
LEVEL_KEYS = (
    "proficiency_level",
    "proficiency",
    "cefr_level",
    "cefr_entry_level",
    "difficulty",
    "difficulty_level",
    "complexity",
    "level",
)
LAYER_KEYS = ("layer", "layers", "primary_layer", "teaching_layer")
KNOWN_KEYS = (
    *("title", "description", "keywords", "tags", "slug", "id", "lang", "chapter", "lesson", "module"),
    *("sidebar_position", "sidebar_label", "draft", "unlisted", "published", "weight", "date", "layout", "permalink"),
    *TIER_KEYS,
    *LEVEL_KEYS,
    *LAYER_KEYS,
)

NEAR = 0.85
"""Likeness from which an unknown key is taken for a misspelt one: `hardware_teir`, not `hardware`."""

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@cache
def meant_key(key: str) -> str | None:
    """Return the known key that an unknown one is a spelling of: `hardwareTier`, `hardware-tier`, `hardware_teir`."""
    if key in KNOWN_KEYS:
        return None
    spelled = re.sub(r"[-\s.]+", "_", _CAPITAL.sub("_", key.strip())).lower()
    near = difflib.get_close_matches(spelled, KNOWN_KEYS, n=1, cutoff=NEAR)
    return near[0] if near else None

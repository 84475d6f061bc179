"""Fences that are set once: whoever asks may narrow them, never widen them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingestion.errors import UsageError
from ingestion.setting_values import Module
from rag.fences import module_name


def narrowed(fences: Mapping[str, Any], asked: Mapping[str, Any], modules: Sequence[Module]) -> dict[str, Any]:
    """The fences with what is asked for inside them; both are fields of SearchQuery, None where not set.

    Raises UsageError for a value outside, and for an empty choice, which a search would take for no fence.
    """
    result = dict(fences)
    for name, value in asked.items():
        if value is None:
            continue
        fence = fences.get(name)
        if fence is not None and not _is_inside(name, value, fence, modules):
            raise UsageError(
                f"{name} {_shown(value)} is outside the fence {_shown(fence)}, which is set where the server was "
                "started; ask within it, or leave the argument out"
            )
        if value in ([], ()):
            raise UsageError(f"{name} is empty; name at least one, or leave the argument out")
        result[name] = value
    return result


def _is_inside(name: str, value: Any, fence: Any, modules: Sequence[Module]) -> bool:
    match name:
        case "hardware_tier_filter":
            return bool(value <= fence)
        case "proficiency_levels":
            return set(value) <= set(fence)
        case "module_filter":
            return module_name(value, modules) == module_name(fence, modules)
        case _:
            return bool(value == fence)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else repr(value)

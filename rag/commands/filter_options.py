"""The options by which a command narrows a search, derived from the fields of `Filters`."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ingestion.errors import UsageError
from ingestion.models import TIERS
from rag.filters import Filters

PANEL = "Filters"
CHAPTER = "chapter"

Command = Callable[..., None]


def with_filters(*names: str) -> Callable[[Command], Command]:
    """Replace a command's parameter `filters` by the options of the named filters, by default of all."""
    wanted = names or (CHAPTER, *(field.name for field in fields(Filters)))

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        options = _options(wanted)

        @functools.wraps(command)
        def run(**values: Any) -> None:
            chosen = {option.name: values.pop(option.name) for option in options}
            command(**values, filters=_filters(chosen))

        kept = list(signature.parameters.values())
        at = list(signature.parameters).index("filters")
        run.__signature__ = signature.replace(parameters=[*kept[:at], *options, *kept[at + 1 :]])  # type: ignore[attr-defined]
        run.__annotations__ = {
            parameter.name: parameter.annotation for parameter in (*kept, *options) if parameter.name != "filters"
        }
        return run

    return decorate


def chapter_range(text: str | None) -> tuple[int | None, int | None]:
    """Parse a chapter or range: `3` alone, `2-4` inclusive, `2-` and `-4` open-ended; raises UsageError."""
    if text is None:
        return None, None
    match = re.fullmatch(r"\s*(\d+)?\s*(-)?\s*(\d+)?\s*", text)
    if not match or not (match[1] or match[3]):
        raise UsageError(f"invalid --chapter {text!r}: give a number, or a range such as 2-4")
    first = int(match[1]) if match[1] else None
    last = int(match[3]) if match[3] else None
    return (first, last) if match[2] else (first, first)


def _options(names: tuple[str, ...]) -> list[inspect.Parameter]:
    hints = get_type_hints(Filters)
    options = [_option(field, hints[field.name]) for field in fields(Filters) if field.name in names if _flag(field)]
    if CHAPTER in names:
        chapter = Annotated[
            str | None, typer.Option("--chapter", help="A chapter, or a range such as 2-4.", rich_help_panel=PANEL)
        ]
        options.insert(2, inspect.Parameter(CHAPTER, KEYWORD, default=None, annotation=chapter))
    return options


KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _flag(each: Field[Any]) -> str | None:
    flag: str | None = each.metadata["flag"]
    return flag


def _option(each: Field[Any], hint: Any) -> inspect.Parameter:
    is_tier = each.name == "hardware_tier"
    kind, choices = _read(hint)
    option = typer.Option(
        _flag(each),
        help=each.metadata["description"],
        metavar=f"<{'|'.join(choices)}>" if choices else None,
        autocompletion=(lambda: list(choices)) if choices else None,
        rich_help_panel=PANEL,
        min=min(TIERS) if is_tier else None,
        max=max(TIERS) if is_tier else None,
    )
    return inspect.Parameter(each.name, KEYWORD, default=each.default, annotation=Annotated[kind, option])


def _read(hint: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the type for Typer, and the allowed values, if any. Case is ignored."""
    inner = next((kind for kind in get_args(hint) if kind is not NoneType), hint)
    many = get_origin(inner) is tuple
    choices = get_args(get_args(inner)[0] if many else inner)
    if many:
        return list[str] | None, choices
    return (str | None if choices else hint), choices


def _filters(chosen: Mapping[str, Any]) -> Filters:
    hints = get_type_hints(Filters)
    values: dict[str, Any] = {}
    for name, value in chosen.items():
        choices = _read(hints[name])[1] if name in hints else ()
        spelled = {choice.lower(): choice for choice in choices}
        if isinstance(value, list):
            values[name] = tuple(spelled.get(item.lower(), item) for item in value) or None
        else:
            values[name] = spelled.get(value.lower(), value) if choices and value else value
    first, last = chapter_range(values.pop(CHAPTER, None))
    return Filters(**values, chapter_min=first, chapter_max=last)

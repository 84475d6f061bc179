"""Usage errors of the command line in our words: the flag, its value and the allowed values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, get_args, get_origin

from ingestion.commands.parsing.conversion import types_of
from ingestion.errors import UsageError


def usage_error(error: Any, arguments: Sequence[str]) -> UsageError:
    """Return one of Typer's usage errors as ours, with the usage of its command as the hint."""
    ours = UsageError(_message(error, arguments))
    if error.ctx is not None:
        ours.hint = f"see `{error.ctx.command_path} --help`"
    return ours


def _message(error: Any, arguments: Sequence[str]) -> str:
    param = getattr(error, "param", None)
    if param is not None and "issing" not in type(error).__name__:
        said = f"invalid {_name(param)}{_given(param, error, arguments)}"
        kind = types_of(error.ctx.command).get(param.name) if error.ctx else None
        if get_origin(kind) is Literal:
            return f"{said}: choose {either([str(choice) for choice in get_args(kind)])}"
        low, high = getattr(param, "min", None), getattr(param, "max", None)
        if low is not None or high is not None:
            return f"{said}: choose a number {_range(low, high)}"
        return f"{said}: {_lower(error.message.removeprefix('Value error, '))}"
    if param is not None:
        return f"missing {_name(param)}"
    if command := _command_with(error, arguments):
        return f"{error.option_name} must come after the command: `bookwise {command} {error.option_name} …`"
    return _lower(error.format_message())


def _command_with(error: Any, arguments: Sequence[str]) -> str:
    """Return the intended command if one of its options precedes its name, else an empty text."""
    option, ctx = getattr(error, "option_name", None), error.ctx
    if option is None or ctx is None or ctx.parent is not None:
        return ""
    name = next((word for word in arguments if word in ctx.command.list_commands(ctx)), "")
    params = ctx.command.get_command(ctx, name).params if name else ()
    return name if any(option in param.opts for param in params) else ""


def _name(param: Any) -> str:
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name.upper()).strip("[]{}.")


def _given(param: Any, error: Any, arguments: Sequence[str]) -> str:
    """Return the value that was refused: as the message quotes it, else as it stands behind the flag."""
    if quoted := re.search(r"('(?:[^'\\]|\\.)*') is not", error.message):
        return f" {quoted[1]}"
    for at, argument in enumerate(arguments):
        flag, equals, value = argument.partition("=")
        if flag in param.opts:
            value = value if equals else next(iter(arguments[at + 1 :]), "")
            return f" {value!r}"
    return ""


def _range(low: float | None, high: float | None) -> str:
    if high is None:
        return f"of {low:g} or more"
    return f"of {high:g} or less" if low is None else f"from {low:g} to {high:g}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def either(words: Sequence[str]) -> str:
    """Return the words as a choice: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))

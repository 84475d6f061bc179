"""Take the arguments that need no conversion as they are, and leave the others to Typer.

Typer makes a pydantic validator for each parameter, given or not, and pydantic takes as long to import as the rest of
a run with nothing to do. Where Typer no longer asks `process_value`, all of this does nothing.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from typer.core import TyperCommand as _Base
else:
    _Base = object


class ConvertsWhereNeeded(_Base):
    """A command, or a group of them, whose parameters convert only values that are of another type."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, that of --help included."""
        parameters: list[Any] = super().get_params(ctx)
        types = types_of(self)
        for parameter in parameters:
            # Those that are not the command's own, --help and --install-completion, are flags.
            kind = types.get(parameter.name, bool)
            vars(parameter).setdefault("process_value", _Conversion(parameter, kind))
        return parameters


def types_of(command: Any) -> dict[str, Any]:
    """Return the type of each parameter of a command, without None."""
    if command.callback is None:
        return {}
    given = inspect.signature(command.callback, eval_str=True).parameters
    return {name: _without_none(parameter.annotation) for name, parameter in given.items()}


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        [annotation] = [kind for kind in get_args(annotation) if kind is not NoneType]
    return annotation


class _Conversion:
    """Processes the value of one parameter of a type; a value of another type is converted by Typer."""

    def __init__(self, parameter: Any, kind: Any) -> None:
        self._parameter = parameter
        self._kind = kind
        self._by_typer = parameter.process_value

    def __call__(self, ctx: Any, value: Any) -> Any:
        try:
            plain = _plain(value, self._kind)
        except (TypeError, ValueError):
            return self._by_typer(ctx, value)
        if self._parameter.required and (plain is None or plain == []):
            return self._by_typer(ctx, value)
        return self._parameter.callback(ctx, self._parameter, plain) if self._parameter.callback else plain


def _plain(value: Any, kind: Any) -> Any:
    """Return a value that needs no conversion, or a path; raises TypeError for any other."""
    if get_origin(kind) is list:
        return [_plain(item, get_args(kind)[0]) for item in value or ()]
    if value is None or type(value) is kind:
        return value
    if get_origin(kind) is Literal and value in get_args(kind):
        return value
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise TypeError(f"{value!r} is no {kind}")

"""Take the arguments that need no conversion as they are, and leave the others to Typer.

Typer makes a pydantic validator for each parameter, given or not, and pydantic takes as long to import as the rest of
a run with nothing to do.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

if TYPE_CHECKING:
    from typer.core import TyperCommand as _Base
else:
    _Base = object


class ConvertsWhereNeeded(_Base):
    """A command, or a group of them, whose parameters convert only values that are of another type."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, that of --help included."""
        parameters: list[Any] = super().get_params(ctx)
        for parameter in parameters:
            vars(parameter).setdefault("get_runtime_param", _Conversion(parameter).itself)
        return parameters


class _Conversion:
    """Stands for the conversion of one parameter, which Typer builds at the first value that needs it."""

    def __init__(self, parameter: Any) -> None:
        self._annotation = parameter.type_descriptor.annotation
        self._takes_several = parameter.multiple or parameter.nargs == -1
        self._build = parameter.get_runtime_param

    def itself(self) -> _Conversion:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            if not self._takes_several:
                return _plain(value, self._annotation)
            [inner] = get_args(self._annotation)
            return [_plain(each, inner) for each in value] if value else ()
        except (TypeError, ValueError):
            return self._build().coerce(value, param=param, ctx=ctx)


def _plain(value: Any, annotation: Any) -> Any:
    """Return a value that needs no conversion, or a path; raises TypeError for any other."""
    if value is None or type(value) is annotation:
        return value
    if get_origin(annotation) is Literal and value in get_args(annotation):
        return value
    if annotation is Path and isinstance(value, str):
        return Path(value)
    raise TypeError(f"{value!r} is no {annotation}")

"""`[qdrant.options]`: what is passed through to the client for a new collection, and what is left out."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from qdrant_client import models as rest

from ingestion.errors import ConfigurationError
from ingestion.settings.qdrant import QdrantSettings

NOT_OPTIONS = ("metadata", "sparse_vectors", "strict_mode_config", "vectors")
"""Parts of a collection that an index depends on, and that no option replaces."""


def options_of(settings: QdrantSettings) -> dict[str, Any]:
    """Return what a collection is made with beside its vectors, by the names of Qdrant's interface.

    That is `[qdrant.options]` without what the client does not know. Texts are on disk unless it says otherwise;
    indexed fields are in memory all the same. Raises ConfigurationError for a value that the client refuses.
    """
    given = settings.options or {}
    for name in NOT_OPTIONS:
        if name in given:
            raise ConfigurationError(f"qdrant.options.{name} is set by bookwise itself; leave it out")
    options = {"on_disk_payload": True} | _known(rest.CreateCollection, given)
    try:
        TypeAdapter(rest.CreateCollection).validate_python(options)
    except ValidationError as error:
        raise _refused(error) from error
    return options


def unknown_options(settings: QdrantSettings) -> Iterator[str]:
    """Yield a sentence for each option that the client does not know, and that is therefore not sent."""
    for path, names in _unknown(rest.CreateCollection, settings.options or {}):
        near = difflib.get_close_matches(path[-1], names, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "remove it, or install a newer qdrant-client"
        yield f"qdrant.options.{'.'.join(path)} is not known to the Qdrant client and was not sent; {hint}"


def _known(model: type[BaseModel], options: Mapping[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, value in options.items():
        field = _field(model, name)
        if field is None:
            continue
        below = _model_of(field, value)
        known[name] = _known(below, value) if below else value
    return {name: value for name, value in known.items() if value != {}}


def _unknown(
    model: type[BaseModel], options: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the path of each unknown option, with the names that are known in its place."""
    for name, value in options.items():
        field = _field(model, name)
        if field is None:
            yield (*above, name), [known for known in model.model_fields if known not in NOT_OPTIONS]
        elif below := _model_of(field, value):
            yield from _unknown(below, value, (*above, name))


def _field(model: type[BaseModel], name: str) -> Any:
    """Return the type of a field, None for one that the model does not have."""
    field = model.model_fields.get(name)
    return field and field.annotation


def _model_of(annotation: Any, value: Any) -> type[BaseModel] | None:
    """Return the model that reads a table: of several, such as the quantizations, the one that knows a name of it."""
    if not isinstance(value, Mapping):
        return None
    models = list(_models_in(annotation))
    fitting = (model for model in models if model.model_fields.keys() & value.keys())
    return next(fitting, models[0] if models else None)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _refused(error: ValidationError) -> ConfigurationError:
    first = error.errors()[0]
    # Behind the name of the option come its own field, or the alternatives that were tried.
    alternatives = len(first["loc"]) > 2
    name = ".".join(map(str, first["loc"][:1] if alternatives else first["loc"]))
    reason = "in no form that the Qdrant client knows" if alternatives else first["msg"].lower()
    return ConfigurationError(f"qdrant.options.{name}: {reason}")

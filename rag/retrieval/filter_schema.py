"""The filters as a pydantic model: what the API and MCP accept, derived from the fields of `Filters`."""

from __future__ import annotations

from dataclasses import Field as DataclassField
from dataclasses import fields
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model, model_validator

from ingestion.models import TIERS
from rag.filters import QUERY_FIELDS, Filters
from rag.models import LessonId

_NUMBER = Annotated[int, Field(strict=True, ge=-1000, le=1000)]
_WORD = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class FilterFields(BaseModel):
    """Base of the requests that carry filters; `filter_schema` derives one with the fields."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _accept_query_fields(cls, data: Any) -> Any:
        """Accept a filter by the name that SearchQuery gives it too."""
        if not isinstance(data, dict):
            return data
        names = {query_field: name for name, query_field in QUERY_FIELDS.items() if name in cls.model_fields}
        return {key if names.get(key, key) in data else names.get(key, key): value for key, value in data.items()}

    def given_filters(self) -> dict[str, Any]:
        """Return the filters that the request sets, by name."""
        given = {name: getattr(self, name) for name in QUERY_FIELDS if name in self.model_fields_set}
        return {
            name: str(value) if name == "parent_doc_id" else value
            for name, value in given.items()
            if value is not None
        }

    def as_filters(self) -> Filters:
        """Return the filters of the request as one value."""
        return Filters(**self.given_filters())


def filter_schema(*names: str, is_narrowing: bool = False) -> type[FilterFields]:
    """Derive a pydantic model with these fields of `Filters` (all, unless named), bounded as input from outside.

    Without `is_narrowing` the fields have the defaults of `Filters`, with it None.
    """
    hints = get_type_hints(Filters)
    chosen = [field for field in fields(Filters) if not names or field.name in names]
    made: dict[str, Any] = {field.name: _field(field, hints[field.name], is_narrowing) for field in chosen}
    return create_model("FilterFields", __base__=FilterFields, **made)


def _field(each: DataclassField[Any], hint: Any, is_narrowing: bool) -> tuple[Any, Any]:
    default = None if is_narrowing else each.default
    kind = _bounded(each.name, hint)
    return kind | None if default is None else kind, Field(default, description=each.metadata["description"])


def _bounded(name: str, hint: Any) -> Any:
    """Return the type of a filter as it comes from outside."""
    if name == "parent_doc_id":
        return LessonId
    if name == "hardware_tier":
        return Annotated[int, Field(strict=True, ge=min(TIERS), le=max(TIERS))]
    inner = get_args(hint)[0]
    if get_origin(inner) is tuple:
        return Annotated[inner, Field(min_length=1, max_length=6)]
    return {int: _NUMBER, str: _WORD}.get(inner, inner)

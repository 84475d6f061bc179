"""Tables of fields, made from the JSON schemas of pydantic models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.docs.markdown import table, text

Schema = Mapping[str, Any]
_LIMITS = (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " items"))
_ANY_INTEGER = 2**31 - 1
"""A limit of the database, which tells a reader nothing."""


def fields_table(schema: Schema) -> str:
    """Return the fields of an object: name, type, default and meaning; "" where it has none."""
    required = schema.get("required", ())
    rows = [
        (f"`{name}`", type_of(field), default_of(field, is_required=name in required), meaning_of(field))
        for name, field in schema.get("properties", {}).items()
    ]
    columns: tuple[str, ...] = ("field", "type", "default", "meaning")
    filled = [index for index in range(4) if index < 2 or any(row[index] for row in rows)]
    return table([columns[index] for index in filled], [[row[index] for index in filled] for row in rows])


def type_of(schema: Schema) -> str:
    """Return the type in words; the name of an object leads to its fields on the same page."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_of(choice) for choice in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        items = list(dict.fromkeys(type_of(item) for item in schema.get("prefixItems", [schema.get("items", {})])))
        return f"list of {', '.join(items)}"
    return str(schema.get("format") or schema.get("type") or "any")


def default_of(schema: Schema, *, is_required: bool) -> str:
    """Return the default as JSON would show it."""
    if is_required:
        return "required"
    default = schema.get("default")
    if default is None or default == "" or isinstance(default, list | dict):
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def meaning_of(schema: Schema) -> str:
    """Return the description, followed by the limits that it does not name itself."""
    description = text(str(schema.get("description", "")))
    branches = [schema, *schema.get("anyOf", ())]
    limits = [told for branch in branches for limit in _LIMITS if (told := _limit(branch, *limit))]
    return " ".join(
        [
            description,
            *(
                f"{told[:1].upper()}{told[1:]}."
                for told in limits
                if told.rpartition(" to ")[2].rpartition("at most ")[2] not in description
            ),
        ]
    ).strip()


def _limit(schema: Schema, least: str, most: str, unit: str) -> str:
    low, high = (int(schema[key]) if key in schema else None for key in (least, most))
    high = None if high == _ANY_INTEGER else high
    low = None if unit and low == 1 else low
    if low is not None and high is not None:
        return f"{low} to {high}{unit}" if low < high else f"only {low}{unit}"
    if high is not None:
        return f"at most {high}{unit}"
    return "" if low is None else f"at least {low}{unit}"


def references(schema: Any) -> Iterator[str]:
    """Yield the names of the objects that a schema refers to."""
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)

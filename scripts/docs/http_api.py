"""The reference page of the HTTP API, made from the document at `/openapi.json` and the rights that routes ask for."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from fastapi.routing import APIRoute

from ingestion.settings.loader import load_settings
from rag.api import dependencies, routes
from rag.api.app import create_app
from rag.api.http.problems import TYPES
from rag.api.openapi import TAGS, operations
from rag.api.routes import health
from scripts.docs.json_schema import default_of, fields_table, meaning_of, references, type_of
from scripts.docs.markdown import table, text

_TITLES = {"openai": "OpenAI"}
_ANY_KEY = "any key"
RIGHTS: Mapping[Any, str] = {
    get_args(dependencies.CurrentCaller)[1].dependency: _ANY_KEY,
    get_args(dependencies.Questioner)[1].dependency: f"{_ANY_KEY}; counts as a question",
    get_args(dependencies.Ingester)[1].dependency: "a key made with `--may-ingest`",
    get_args(dependencies.Owner)[1].dependency: "a key made with `--owner`",
    health.may_read_metrics: "a key made with `--owner`; none at `api.metrics_address`",
    dependencies.services_of: "",
}
"""What each dependency of a route asks of the caller."""
CHECKED_BY_ROUTE: Mapping[str, str] = {
    "search": f"{_ANY_KEY}; counts as a question, or as a read if ranked by keyword"
}
"""What the routes ask that look at the body before they ask for the key."""

_HEAD = """# HTTP API

The API of `bookwise serve` ([guide](../guides/serving.md)). The server's own description is at `/openapi.json`, and in
readable form at `/docs`.

Send a key as `Authorization: Bearer KEY` or `X-API-Key: KEY`; [its rights](../guides/serving.md#api-keys) are set when
it is created. A server without keys can only be used from the same machine, and allows everything. Bodies are JSON.
"""
_PROBLEMS = """## Problems

Every failure is a problem document (RFC 9457, `application/problem+json`). Its `type` is a URL on the server that
explains it. Under `/v1/`, errors have the shape of the OpenAI API, `{"error": {"message", "type", "code"}}`.
"""


def http_api() -> str:
    """Return every operation by group, then the objects that they take and give, then the problems."""
    document = create_app(load_settings({}, environ={}), Path("docs"), open_to_all=True).openapi()
    schemas = document["components"]["schemas"]
    rights = _rights()
    parts = [_HEAD]
    for tag, description in TAGS.items():
        found = [entry for entry in operations(document) if tag in entry[2]["tags"]]
        parts.append(f"## {_TITLES.get(tag, tag.capitalize())}\n\n{description}\n")
        parts += [_operation(*entry, rights[entry[2]["operationId"]]) for entry in found]
    parts.append(_problems(schemas["Problem"]))
    parts.append("## Objects\n")
    parts += [_object(name, schemas[name]) for name in sorted(schemas) if name != "Problem"]
    return "\n".join(parts)


def _rights() -> dict[str, str]:
    found = {}
    for name in [each.name for each in pkgutil.iter_modules(routes.__path__)]:
        for route in import_module(f"{routes.__name__}.{name}").router.routes:
            if isinstance(route, APIRoute) and route.operation_id:
                told = [RIGHTS[dependency.call] for dependency in route.dependant.dependencies]
                found[route.operation_id] = "; ".join(filter(None, told)) or "no key"
    return found | CHECKED_BY_ROUTE


def _operation(method: str, path: str, operation: dict[str, Any], right: str) -> str:
    prose = "\n\n".join(text(paragraph) for paragraph in operation["description"].split("\n\n"))
    parts = [f"### `{method.upper()} {path}`\n\n{prose}\n\nNeeds {right}.\n"]
    rows = [
        (f"`{item['name']}`", item["in"], type_of(item["schema"]), _default(item), meaning_of(item["schema"]))
        for item in operation.get("parameters", ())
    ]
    parts.append(table(("parameter", "in", "type", "default", "meaning"), rows))
    parts += [_body(operation["requestBody"])] if "requestBody" in operation else []
    parts.append(f"Answers {', or '.join(_answers(operation))}.\n")
    return "\n".join(part for part in parts if part)


def _default(parameter: dict[str, Any]) -> str:
    return default_of(parameter["schema"], is_required=parameter.get("required", False))


def _body(body: dict[str, Any]) -> str:
    schema = body["content"]["application/json"]["schema"]
    [name] = references(schema)
    return f"Takes [{name}](#{name.lower()}){'' if body.get('required') else ', or no body'}.\n"


def _answers(operation: dict[str, Any]) -> Iterator[str]:
    for status, response in operation["responses"].items():
        if int(status) >= 400:
            continue
        told = f"{status} {HTTPStatus(int(status)).phrase}"
        contents = [_content(media, content) for media, content in response.get("content", {}).items()]
        yield f"{told} with {' or '.join(contents)}" if contents else told


def _content(media: str, content: dict[str, Any]) -> str:
    schema = content.get("schema", {})
    return type_of(schema) if media == "application/json" and schema else f"`{media}`"


def _problems(problem: dict[str, Any]) -> str:
    rows = [(str(status), f"`{kind.name}`", text(kind.advice)) for status, kind in TYPES.items()]
    types = table(("status", "`type` ends in", "what to do"), rows)
    return f"{_PROBLEMS}\n{types}\n### Problem\n\n{fields_table(problem)}"


def _object(name: str, schema: dict[str, Any]) -> str:
    prose = "\n\n".join(text(paragraph) for paragraph in schema.get("description", "").split("\n\n"))
    return f"### {name}\n\n{prose}\n\n{fields_table(schema)}"

"""Complete FastAPI's OpenAPI description: examples, problems, and how to send a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rag.api.http.problems import OPENAI_PATH, openai_error
from rag.api.openapi_examples import RESULTS

if TYPE_CHECKING:
    from fastapi import FastAPI

PROBLEM = "application/problem+json"
_NULLABLE = {"type": ["string", "null"]}
_OPENAI_ERROR = {
    "type": "object",
    "title": "OpenAIError",
    "description": "What went wrong, in the shape of the OpenAI API.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code", "request_id"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": _NULLABLE,
                "code": _NULLABLE,
                "request_id": {"type": "string"},
            },
        }
    },
}
_PROBLEM_SCHEMA = "#/components/schemas/Problem"
_DESCRIPTION = """\
Every answer names the passages of the book that it rests on; what the book does not answer is refused.

Filters, such as the hardware tier of the reader, are set by the caller and cannot be widened by a question. Failures
are problem documents (RFC 9457) whose `type` explains them; below `/v1` they have the shape of the OpenAI API.
"""
_CONTACT = {"name": "The owner of this server"}
_OPEN = ("/health", "/ready", "/metrics", "/shared/{thread_id}/{number}")
"""Routes that need no key."""

TAGS = {
    "chat": "Questions and their answers.",
    "threads": "Conversations that the server keeps, and what readers think of the answers.",
    "books": "What can be asked and read: books, pages, lessons and passages.",
    "ingestion": "Runs that make the index equal to the lessons.",
    "openai": "The same answers in the shapes of the OpenAI API.",
    "owner": "What readers ask and what it costs; needs an owner's key.",
    "operation": "For whoever runs the server.",
}
"""The groups of operations, in the order in which they are shown."""

_KEYS = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key of `bookwise keys add`."},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same key."},
}


def describe(app: FastAPI) -> None:
    """Make the app serve the complete description, which is built once."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _complete(plain())
        return plain()

    app.openapi = openapi  # type: ignore[method-assign]


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and description of every operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def _complete(document: dict[str, Any]) -> None:
    document["info"] |= {"description": _DESCRIPTION, "contact": _CONTACT}
    document["components"]["securitySchemes"] = _KEYS
    document["components"]["schemas"]["OpenAIError"] = _OPENAI_ERROR
    document["tags"] = [{"name": name, "description": description} for name, description in TAGS.items()]
    # Relative to the description itself, so that it holds under a proxy's path too.
    document["servers"] = [{"url": ".", "description": "This server."}]
    for method, path, operation in operations(document):
        if path not in _OPEN:
            operation["security"] = [{"bearer": []}, {"header": []}, {}]
        for status, response in operation["responses"].items():
            contents = response.get("content", {})
            if contents.get("application/json", {}).get("schema", {}).get("$ref") == _PROBLEM_SCHEMA:
                if path.startswith(OPENAI_PATH):
                    contents["application/json"] = {
                        "schema": {"$ref": "#/components/schemas/OpenAIError"},
                        "example": openai_error(404, "not found"),
                    }
                else:
                    contents[PROBLEM] = contents.pop("application/json")
            for media, content in contents.items():
                if (method, path, status, media) in RESULTS:
                    content["example"] = RESULTS[method, path, status, media]

"""Checks requests and answers against an OpenAPI 3.0 description, with its objects closed.

Closed objects are stricter than a server, which ignores many unknown fields; so a field that a version does not
know shows here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator


class OpenApi:
    """One description."""

    def __init__(self, path: Path) -> None:
        document = json.loads(path.read_text(encoding="utf-8"))
        self._components = document["components"]
        for schema in self._components["schemas"].values():
            if schema.get("type") == "object" and "properties" in schema:
                schema.setdefault("additionalProperties", False)
        _translate_nullable(self._components["schemas"])
        self._operations = [
            (_pattern(template), template.count("{"), method.upper(), _translate_nullable(operation))
            for template, methods in document["paths"].items()
            for method, operation in methods.items()
        ]
        self._validators: dict[str, Draft202012Validator] = {}

    def check_request(self, method: str, path: str, body: Any) -> list[str]:
        """What is wrong with a request, in words."""
        operation = self._operation(method, path)
        if operation is None:
            return [f"{method} {path}: no such operation"]
        if body is None:
            return []
        return self._check(operation["requestBody"], body, f"{method} {path} request")

    def check_answer(self, method: str, path: str, answer: Any) -> list[str]:
        """What is wrong with a 200 answer, in words."""
        operation = self._operation(method, path)
        return self._check(operation["responses"]["200"], answer, f"{method} {path} answer") if operation else []

    def _operation(self, method: str, path: str) -> Any:
        fitting = [
            (variables, operation)
            for pattern, variables, verb, operation in self._operations
            if verb == method and re.fullmatch(pattern, path)
        ]
        return min(fitting, key=lambda each: each[0])[1] if fitting else None

    def _check(self, described: Any, value: Any, what: str) -> list[str]:
        schema = described["content"]["application/json"]["schema"]
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator({**schema, "components": self._components})
        errors = self._validators[key].iter_errors(value)
        return [f"{what}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in errors]


def _pattern(template: str) -> str:
    return re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(template))


def _translate_nullable(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in JSON Schema's terms, in place; alone it stands for the null alternative."""
    if isinstance(node, list):
        for each in node:
            _translate_nullable(each)
    elif isinstance(node, dict):
        nullable = node.pop("nullable", False) is True
        for each in list(node.values()):
            _translate_nullable(each)
        if nullable:
            rest = dict(node)
            node.clear()
            node.update({"anyOf": [rest, {"type": "null"}]} if rest else {"type": "null"})
    return node

"""The API's description: complete, true, and held by requests made from it."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from rag.api.openapi import PROBLEM, operations
from tests.support.chat_api import indexed, serving

__all__ = ["indexed"]

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
positive_data_acceptance = pytest.importorskip("schemathesis.specs.openapi.checks").positive_data_acceptance


@pytest.fixture(scope="module")
def app(indexed: Path) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(indexed)
        with serving(indexed, open_to_all=True, **{"index.directory": str(indexed / ".bookwise")}) as client:
            yield client.app


@pytest.fixture(scope="module")
def document(app: Any) -> dict[str, Any]:
    described: dict[str, Any] = app.openapi()
    return described


def check(document: dict[str, Any], schema: dict[str, Any], example: Any) -> None:
    jsonschema.validate(example, schema | {"components": document["components"]})


def examples(document: dict[str, Any], content: dict[str, Any]) -> list[Any]:
    if "example" in content:
        return [content["example"]]
    name = content["schema"].get("$ref", "").removeprefix("#/components/schemas/")
    return list(document["components"]["schemas"].get(name, {}).get("examples", []))


def test_every_request_and_result_has_an_example_that_fits_its_schema(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        described = [operation["requestBody"]] if "requestBody" in operation else []
        described += operation["responses"].values()
        for content in (content for each in described for content in each.get("content", {}).values()):
            shown = examples(document, content)
            assert shown, f"{method} {path}: an example is missing"
            for example in shown:
                check(document, content.get("schema", {}), example)


def test_every_operation_has_an_id_of_its_own_and_a_described_tag(document: dict[str, Any]) -> None:
    described = {tag["name"] for tag in document["tags"] if tag["description"]}
    ids = []
    for method, path, operation in operations(document):
        ids.append(operation["operationId"])
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", operation["operationId"]), f"{method} {path}"
        assert operation["tags"] and set(operation["tags"]) <= described, f"{method} {path}"
    assert len(ids) == len(set(ids)) and document["servers"]


def test_every_failure_is_described_as_a_problem_document(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        assert operation.get("summary") and operation.get("description"), f"{method} {path}"
        for status, response in operation["responses"].items():
            if int(status) >= 400 and (path, status) != ("/ready", "503") and not path.startswith("/v1/"):
                assert list(response["content"]) == [PROBLEM], f"{method} {path} {status}"


@pytest.fixture(scope="module")
def api(app: Any) -> Any:
    async def on_this_machine(scope: Any, receive: Any, send: Any) -> None:
        """Give the server one of its own names: the tool calls it `testserver`."""
        named = [(name, value) for name, value in scope.get("headers", ()) if name != b"host"]
        await app(scope | {"headers": [*named, (b"host", b"127.0.0.1")]}, receive, send)

    return schemathesis.openapi.from_asgi("/openapi.json", on_this_machine)


def test_requests_made_from_the_description_get_what_it_says(api: Any, document: dict[str, Any]) -> None:
    for method, path, _ in operations(document):
        if (method, path) != ("post", "/ingest"):  # each would begin a run
            ask_as_described(api[path][method.upper()])


def ask_as_described(operation: Any) -> None:
    @given(case=operation.as_strategy())
    @settings(max_examples=12, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(case: Any) -> None:
        # What no schema can say: a module or language that the book does not have is refused.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ask()


def test_formats_are_those_that_generators_of_clients_know(document: dict[str, Any]) -> None:
    formats = set(re.findall(r'"format": "([^"]+)"', json.dumps(document)))
    assert formats == {"uuid", "date-time"}
    for name in ("session_id", "timestamp"):
        assert "format" in document["components"]["schemas"]["ChatResponse"]["properties"][name]

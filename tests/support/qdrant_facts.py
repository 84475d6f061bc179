"""What a real Qdrant answered (`../shared/qdrant-facts`), asked of the contract server in the same order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from tests.support.paths import SHARED
from tests.support.qdrant_access import Access
from tests.support.qdrant_rules import Refused, read_json
from tests.support.qdrant_server import QdrantServer, without_nulls

ADMIN = Access("m")
FACTS = SHARED / "qdrant-facts" / "v1.18.3.json"


def scenarios() -> dict[str, list[dict[str, Any]]]:
    """The steps of each scenario; empty where the facts are not beside the project."""
    if not FACTS.is_file():
        return {}
    return {each["name"]: each["steps"] for each in json.loads(FACTS.read_text(encoding="utf-8"))["scenarios"]}


def differences(server: QdrantServer, steps: list[dict[str, Any]], access: Mapping[str, Any]) -> Iterator[str]:
    """Yield each step that the server answers differently; `access` says what each key of the steps may do."""
    for step in steps:
        if "filter" in step:
            body = {"filter": step["filter"], "limit": 100, "with_payload": True}
            status, answer = ask(server, "POST", "/collections/f/points/scroll", body)
            got, wanted = [each["id"] for each in answer["points"]] if status == 200 else answer, step["ids"]
        elif "method" in step:
            raw = step["raw_body"].encode() if "raw_body" in step else None
            key = step.get("key", "admin")
            status, got = ask(server, step["method"], step["path"], step.get("body"), raw=raw, access=access[key])
            got, wanted = _comparable(status, got, step)
        else:
            kind, wanted = next(iter(step.items()))
            info = server.answer("GET", f"/collections/{'p' if kind == 'payload_schema' else 's'}")
            told = info.config.strict_mode_config if kind == "strict_mode_config" else info.payload_schema
            got = _plain(told)
        if got != wanted:
            yield f"{step.get('note') or step}: {got} instead of {wanted}"


def ask(
    server: QdrantServer,
    method: str,
    path: str,
    body: Any,
    *,
    raw: bytes | None = None,
    access: Access | Refused = ADMIN,
) -> tuple[int, Any]:
    """Return status and result of a request, or the error."""
    try:
        body = read_json(raw or json.dumps(body).encode())
        path = path.partition("?")[0]
        if path == "/":
            return 200, {"title": "qdrant - vector search engine", "version": "1.18.3"}
        if isinstance(access, Refused):
            raise access
        access.check(method, path)
        return 200, access.visible(path, _plain(server.answer(method, path, body)))
    except Refused as refused:
        return refused.status, {"text" if refused.plain else "error": str(refused)}
    except ValueError as error:
        return 400, {"error": str(error)}


def _plain(value: Any) -> Any:
    """A result as the socket would send it."""
    plain = without_nulls(TypeAdapter(object).dump_python(value, mode="json", warnings=False))
    if isinstance(plain, dict):
        plain.pop("operation_id", None)
    return plain


def _comparable(status: int, got: Any, step: Mapping[str, Any]) -> tuple[Any, Any]:
    """Answer and expectation, of errors their status and kind; of keys the facts keep no more than the text."""
    wanted = step["answer"]
    if wanted == "the collection's info":
        return status, 200
    if isinstance(wanted, dict) and "error" in wanted and "status" in step and "key" not in step:
        return (status, "error" in got), (step["status"], True)
    return (status if "status" in step else None, got), (step.get("status"), wanted)

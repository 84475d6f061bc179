"""The API's description as tools read it: Spectral finds nothing, and a client generated from it works."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.api_servers import listening
from tests.support.chat_api import book, indexed
from tests.support.installed_tools import node_modules, python_tool, run

__all__ = ["book", "indexed"]

HERE = Path(__file__).parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def server(book: Path) -> Iterator[httpx.Client]:
    with listening(book) as client:
        yield client


@pytest.fixture
def description(server: httpx.Client, tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_bytes(server.get("/openapi.json").content)
    return path


def test_spectral_has_nothing_to_say(description: Path) -> None:
    ruleset = description.with_name("rules.yaml")
    ruleset.write_text('extends: ["spectral:oas"]\n', encoding="utf-8")
    program = node_modules(HERE) / "@stoplight/spectral-cli/dist/index.js"
    lint = ["node", str(program), "lint", str(description), "--ruleset", str(ruleset), "--fail-severity", "hint"]
    assert "No results" in run(lint, description.parent)


def test_a_generated_client_asks_reads_and_changes(server: httpx.Client, description: Path) -> None:
    told = called(server, description)
    assert told["found"]["book_id"] and len(told["found"]["results"]) == 2
    assert told["answer"]["sources"] and told["is_same_thread"] and told["statuses"] == [204, 204]
    thread = told["thread"]
    assert thread["metadata"].items() >= {"label": "homework", "done": True}.items() and thread["message_count"] == 4
    assert [message["number"] for message in told["older"]["messages"]] == [2] and told["older"]["next_before"] == 2
    assert told["answer"]["session_id"] in [thread["thread_id"] for thread in told["threads"]["threads"]]
    assert [model["id"] for model in told["models"]["data"]] == [book["book_id"] for book in told["books"]["books"]]
    assert told["completion"]["choices"][0]["message"]["annotations"]
    assert told["book"]["modules"] and told["lesson"]["text"] and told["health"]["status"] == "ok"
    assert told["job"]["status"] in ("queued", "running", "completed")
    assert told["missing"]["type"] == "/problems/not-found" and told["invalid"]["type"] == "/problems/invalid-value"


def called(server: httpx.Client, description: Path) -> dict[str, Any]:
    """What a client generated from the description printed."""
    folder = description.parent
    config = folder / "config.yaml"
    config.write_text("post_hooks: []\n", encoding="utf-8")
    generate = [python_tool(HERE, "openapi-python-client"), "generate", "--path", str(description)]
    run([*generate, "--output-path", str(folder / "made"), "--config", str(config), "--fail-on-warning"], folder)
    script = shutil.copy(HERE / "generated_client.py", folder / "made")
    told: dict[str, Any] = json.loads(run([python_tool(HERE, "python"), script, str(server.base_url)], folder))
    return told

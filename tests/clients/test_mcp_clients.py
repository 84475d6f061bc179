"""MCP as others see it: the protocol's own conformance suite, and the TypeScript SDK, over HTTP and stdio."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.clients.stdio_bridge import bridged
from tests.support.installed_tools import node_modules, run
from tests.support.mcp_servers import address_of, folder, process, shared_index, stdio

__all__ = ["folder", "shared_index"]

HERE = Path(__file__).parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PROTOCOL = ("server-initialize", "ping", "completion-complete", "tools-list", "resources-list", "prompts-list")
TRANSPORT = ("server-sse-multiple-streams", "dns-rebinding-protection")
NOT_OFFERED = (
    "logging-set-level",
    "resources-subscribe",
    "resources-unsubscribe",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
)
"""Of capabilities that the server does not have, and does not claim."""
OF_A_TEST_SERVER = (
    *(f"tools-call-{kind}" for kind in ("simple-text", "image", "audio", "embedded-resource", "mixed-content")),
    *(f"tools-call-{kind}" for kind in ("with-logging", "error", "with-progress")),
    "json-schema-2020-12",
    "server-sse-polling",
    *(f"resources-{kind}" for kind in ("read-text", "read-binary", "templates-read")),
    *(f"prompts-get-{kind}" for kind in ("simple", "with-args", "embedded-resource", "with-image")),
)
"""They call tools, resources and prompts by names that only the suite's own server has."""


def conformance(*arguments: str, folder: Path) -> str:
    """Run the conformance suite; fails the test where a check of it fails."""
    program = node_modules(HERE) / "@modelcontextprotocol/conformance/dist/index.js"
    return run(["node", str(program), *arguments], folder)


@contextmanager
def served(folder: Path, transport: str) -> Iterator[str]:
    """The address of a server process, behind the bridge where it speaks over its pipes."""
    flags = ("--http", "--port", "0") if transport == "http" else ()
    with process(folder, "--tier", "4", *flags) as server:
        if transport == "http":
            yield address_of(server)
        else:
            with bridged(server) as address:
                yield address


def test_every_scenario_of_the_conformance_suite_runs_or_is_known_not_to_apply(tmp_path: Path) -> None:
    lines = conformance("list", folder=tmp_path).partition("Client scenarios")[0].splitlines()
    listed = {line.split()[1] for line in lines if line.startswith("  - ")}
    assert listed == {*PROTOCOL, *TRANSPORT, *NOT_OFFERED, *OF_A_TEST_SERVER}


@pytest.mark.parametrize(("transport", "scenarios"), [("http", (*PROTOCOL, *TRANSPORT)), ("stdio", PROTOCOL)])
def test_scenarios_that_apply_pass(folder: Path, transport: str, scenarios: tuple[str, ...]) -> None:
    with served(folder, transport) as address:
        for scenario in scenarios:
            said = conformance("server", "--url", address, "--scenario", scenario, folder=folder)
            assert ", 0 failed, 0 warnings" in said and "Passed: 0/" not in said, said


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The client in TypeScript's SDK, where it finds its modules."""
    (tmp_path / "node_modules").symlink_to(node_modules(HERE))
    return Path(shutil.copy(HERE / "mcp_client.mjs", tmp_path))


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_typescript_sdk_gets_all_that_is_offered(folder: Path, script: Path, transport: str) -> None:
    if transport == "http":
        with served(folder, transport) as address:
            told = asked(script, {"url": address})
    else:
        told = asked(script, stdio(folder, "--tier", "4").model_dump(include={"command", "args", "env", "cwd"}))
    check_tools(told)
    check_resources(told)


def asked(script: Path, server: dict[str, Any]) -> dict[str, Any]:
    """What the client printed; it checks each result against the schema of its tool."""
    told: dict[str, Any] = json.loads(run(["node", str(script), json.dumps(server, default=str)], script.parent))
    return told


def check_tools(told: dict[str, Any]) -> None:
    assert told["server"]["name"] == "bookwise" and told["ping"] == {}
    assert {tool["name"] for tool in told["tools"]} == {"search_lessons", "list_lessons", "read_lesson", "ask"}
    assert len(told["found"]["structuredContent"]["results"]) == 2
    assert told["read"]["structuredContent"]["text"] and not told["read"].get("isError")
    assert told["answer"]["structuredContent"]["citations"]
    assert "searched for" in told["steps"][0]["message"]
    assert told["refused"]["isError"] and "limit" in told["refused"]["content"][0]["text"]


def check_resources(told: dict[str, Any]) -> None:
    paths = [lesson["source_file"] for lesson in told["lessons"]["structuredContent"]["lessons"]]
    assert [resource["name"] for resource in told["resources"]] == paths
    assert told["templates"][0]["uriTemplate"].endswith("{+lesson}")
    assert told["resource"]["contents"][0]["mimeType"] == "text/markdown"
    assert {prompt["name"] for prompt in told["prompts"]} >= {"answer_from_book", "explain_lesson"}
    assert told["prompt"]["messages"][1]["content"]["resource"]["text"]
    assert told["completed"]["completion"]["values"][0] == paths[0]
    assert told["unknown"] == -32602

"""`bookwise mcp` for tests: in this process over a real index, and as a real process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult

from ingestion.settings.loader import load_settings
from rag.filters import Filters
from rag.mcp.server import build_server
from rag.mcp.tools import BookTools
from rag.serving.shared_index import SharedIndex
from tests.support.command_line import PAGES, copy_index, index_book
from tests.support.paths import ROOT

PROGRAM = """
import signal, cli
# A shell that starts jobs in the background lets them ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
cli.app()
"""
OPEN = Filters(hardware_tier=4)
QUERY = "Who keeps the last message for late subscribers?"
CARD = "How much memory does the graphics card need?"

T = TypeVar("T")


@pytest.fixture(scope="module")
def shared_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_book(tmp_path_factory.mktemp("offered"), PAGES)


@pytest.fixture
def folder(clean_surroundings: Path, shared_index: Path) -> Path:
    copy_index(shared_index, clean_surroundings)
    return clean_surroundings


def text_of(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert content.type == "text"
    return content.text


def files_of(result: Any) -> set[str]:
    """The lessons that a search found."""
    assert not result.is_error, text_of(result)
    return {each["source_file"] for each in result.structured_content["results"]}


def play(folder: Path, filters: Filters, use: Callable[[Client], Awaitable[T]], **flags: Any) -> T:
    """Let `use` talk to a server in this process over the index in `folder`."""
    settings = load_settings({"index.directory": str(folder / ".bookwise"), "index.wait": 0} | flags, environ={})

    async def run() -> T:
        index = SharedIndex(settings)
        server = build_server(BookTools(index, filters, with_model=True), filters)
        try:
            async with Client(server) as client:
                return await use(client)
        finally:
            await index.close()

    return asyncio.run(run())


def call(
    folder: Path, filters: Filters, tool: str, flags: dict[str, Any] | None = None, /, **arguments: Any
) -> CallToolResult:
    """One call of one tool."""
    return play(folder, filters, lambda client: client.call_tool(tool, arguments), **flags or {})


def stdio(folder: Path, *flags: str) -> StdioServerParameters:
    """A server process that the library's client starts."""
    arguments = ["-c", PROGRAM, "mcp", *flags]
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=folder, env={"PYTHONPATH": str(ROOT)})


@contextmanager
def process(folder: Path, *flags: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A server process with pipes."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "mcp", *flags],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""} | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def address_of(started: subprocess.Popen[str]) -> str:
    """Where a process with --http listens."""
    assert started.stderr
    line = started.stderr.readline()
    assert line.startswith("serving MCP on http://127.0.0.1:"), line
    return line.split()[3]

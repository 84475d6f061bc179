"""Nothing reaches into the private parts of a library, but for the places here, each held by what is installed.

That the types of OpenAI's SDK can wait is held by `tests/ingestion/test_openai_types.py`, and that the MCP library
only iterates what it is given for stdin by `tests/rag/mcp/test_transports.py`, which serves it.
"""

from __future__ import annotations

import ast
import asyncio

import h11
import httpx
import httpx2
import pytest

from tests.architecture.layers import FILES, nodes_of

KEPT = {
    "ingestion.bounded_http": {"_transport", "_mounts", "_network_backend"},
    "ingestion.vector_stores.server.client": {"_client"},
}
"""Modules and the attributes of others that they use; `tests/ingestion/test_bounded_http.py` holds those of httpx."""

PUBLIC = {"_replace", "_asdict", "_fields", "_exit", "_mapping"}
"""Names with an underscore that Python and SQLAlchemy document."""


def names_of(module: str) -> set[str]:
    """Return what a module defines, attributes of its classes and objects included."""
    found = set()
    for node in nodes_of(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node):
            found.add(node.attr)
    return found


def is_own(node: ast.Attribute) -> bool:
    return ast.unparse(node.value) in ("self", "cls", "super()")


def test_nothing_else_reaches_into_a_library() -> None:
    every = set().union(*map(names_of, FILES))
    reached: dict[str, set[str]] = {}
    for module in FILES:
        here = names_of(module)
        for node in nodes_of(module):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                # What `self` has may come from a class of ours in another module.
                ours = every if is_own(node) else here
                if node.attr not in ours | PUBLIC:
                    reached.setdefault(module, set()).add(node.attr)
    assert reached == KEPT


def test_no_private_module_or_name_is_imported() -> None:
    private = [
        (module, name)
        for module in FILES
        for node in nodes_of(module)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [
            *(alias.name for alias in node.names),
            *([node.module] if isinstance(node, ast.ImportFrom) else []),
        ]
        if any(part.startswith("_") and not part.startswith("__") for part in str(name).split("."))
    ]
    assert private == []


def test_the_client_of_qdrant_has_a_client_of_httpx() -> None:
    qdrant_client = pytest.importorskip("qdrant_client")
    client = qdrant_client.QdrantClient(url="http://127.0.0.1:9", check_compatibility=False)
    assert isinstance(client.http.client._client, httpx.Client)
    client.close()


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_clients_of_http_keep_transports_for_proxies(library: object) -> None:
    with library.Client(mounts={"https://": library.HTTPTransport()}) as client:  # type: ignore[attr-defined]
        assert [type(mounted).__name__ for mounted in client._mounts.values()] == ["HTTPTransport"]


def test_the_protocol_of_uvicorn_tells_whether_a_request_is_answered() -> None:
    from uvicorn import Config
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.server import ServerState

    async def make() -> H11Protocol:
        config = Config(app=print, interface="asgi3", ws="none", log_config=None)
        config.load()
        return H11Protocol(config=config, server_state=ServerState(), app_state={})

    protocol = asyncio.run(make())
    assert (
        protocol.cycle is None and isinstance(protocol.conn, h11.Connection) and protocol.conn.their_state is h11.IDLE
    )
    assert callable(H11Protocol.on_response_complete) and callable(H11Protocol.pause_writing)

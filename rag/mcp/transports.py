"""Transports of the MCP server: stdio or streamable HTTP; a signal ends both cleanly."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from rag.serving.sockets import connections_of, listen, url_of

if TYPE_CHECKING:
    import socket

    from mcp.server import Server
    from mcp_types import JSONRPCError
    from starlette.types import ASGIApp

PATH = "/mcp"
DRAIN_SECONDS = 5
"""How long running calls may continue after a signal; idle streams are cut then."""

_READ_BYTES = 65536


async def serve_stdio(server: Server[Any]) -> None:
    """Serve over stdin and stdout until stdin ends, or until SIGINT or SIGTERM."""
    from mcp.server.stdio import stdio_server

    refusals: asyncio.Queue[JSONRPCError] = asyncio.Queue()

    async def serve() -> None:
        lines = _valid_messages(_lines_of_stdin(), refusals.put_nowait)
        async with stdio_server(stdin=cast("Any", lines)) as (incoming, outgoing):
            refusing = asyncio.create_task(_send_refusals(refusals, outgoing))
            try:
                await server.run(incoming, outgoing, server.create_initialization_options())
            finally:
                refusing.cancel()

    serving = asyncio.create_task(serve())
    _on_signals(lambda *_: serving.cancel())
    with suppress(asyncio.CancelledError):
        await serving


async def serve_http(
    behind: Callable[[ASGIApp], ASGIApp], server: Server[Any], host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Serve streamable HTTP until SIGINT or SIGTERM; calls `ready` with the URL. Port 0 takes a free one.

    `behind` wraps the app, as in a check of API keys.

    Raises UsageError if it cannot listen on the address.
    """
    import uvicorn

    from rag.serving.connections import log_accept_failures_once

    class HttpServer(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Leave signals to us: uvicorn would raise them again as it ends, while our own shutdown runs."""
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Start accepting connections."""
            log_accept_failures_once(asyncio.get_running_loop())
            await super().startup(sockets)

    listening = listen(host, port)
    app = behind(server.streamable_http_app(streamable_http_path=PATH, host=host))
    http = HttpServer(connections_of(app, drain_seconds=DRAIN_SECONDS))
    _on_signals(http.handle_exit)
    ready(url_of(listening, host) + PATH)
    await http.serve(sockets=[listening])


def _on_signals(end: Callable[[int, None], object]) -> None:
    """Call `end` with the signal's number when SIGINT or SIGTERM comes."""
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: an interrupt ends the loop there
            loop.add_signal_handler(signal_number, end, signal_number, None)


async def _valid_messages(lines: AsyncIterator[str], refuse: Callable[[JSONRPCError], None]) -> AsyncIterator[str]:
    """Pass on valid protocol messages, and answer the rest with an error; the library would drop them silently."""
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    async for line in lines:
        if not line.strip():
            continue
        try:
            jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            refuse(refusal_of(line))
        else:
            yield line


def refusal_of(line: str) -> JSONRPCError:
    """Return the error response to an invalid line, with the id of the request if it has one."""
    from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        error = ErrorData(code=PARSE_ERROR, message="parse error: the line is not JSON")
        return JSONRPCError(jsonrpc="2.0", id=None, error=error)
    request_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(request_id, bool) or not isinstance(request_id, int | str):
        request_id = None
    reason = "batches are not part of the protocol" if isinstance(message, list) else "not a JSON-RPC 2.0 message"
    error = ErrorData(code=INVALID_REQUEST, message=f"invalid request: {reason}")
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)


async def _send_refusals(refusals: asyncio.Queue[JSONRPCError], outgoing: Any) -> None:
    from mcp.shared.message import SessionMessage

    while True:
        await outgoing.send(SessionMessage(await refusals.get()))


async def _lines_of_stdin() -> AsyncIterator[str]:
    """Yield lines as they come, until the end.

    The library's own reader cannot be cancelled while it waits for a line, which would block every signal.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    # Without Python's buffer: at exit the thread would still own its lock, which is a fatal error.
    source = os.dup(0)

    def read() -> None:
        rest = b""
        with suppress(OSError, RuntimeError):  # RuntimeError: the loop has ended
            while part := os.read(source, _READ_BYTES):
                *whole, rest = (rest + part).split(b"\n")
                for line in whole:
                    loop.call_soon_threadsafe(lines.put_nowait, line)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(lines.put_nowait, rest or None)
            loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line.decode("utf-8", "replace")

"""How agents reach the MCP server: the pipes of a process, or streamable HTTP; a signal ends both cleanly."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from rag.serving.sockets import connections_of, listen, url_of

if TYPE_CHECKING:
    from mcp.server import Server
    from starlette.types import ASGIApp

PATH = "/mcp"
DRAIN_SECONDS = 5
"""How long calls that are under way may go on after a signal; streams that only wait are cut then."""

_READ_BYTES = 65536


async def serve_stdio(server: Server[Any]) -> None:
    """Speak over stdin and stdout until stdin ends, or until SIGINT or SIGTERM."""
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server(stdin=cast("Any", _lines_of_stdin())) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    serving = asyncio.create_task(serve())
    _on_signals(lambda *_: serving.cancel())
    with suppress(asyncio.CancelledError):
        await serving


async def serve_http(
    behind: Callable[[ASGIApp], ASGIApp], server: Server[Any], host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Speak streamable HTTP until SIGINT or SIGTERM; `ready` is told the address. Port 0 takes a free one.

    `behind` puts the app behind a door of the caller's.

    Raises UsageError where the address cannot be listened on.
    """
    import uvicorn

    class HttpServer(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Leave signals alone: uvicorn would raise them once more at its end, in the middle of ours."""
            yield

    listening = listen(host, port)
    app = behind(server.streamable_http_app(streamable_http_path=PATH, host=host))
    http = HttpServer(connections_of(app, drain_seconds=DRAIN_SECONDS))
    _on_signals(http.handle_exit)
    ready(url_of(listening, host) + PATH)
    await http.serve(sockets=[listening])


def _on_signals(end: Callable[[int, None], object]) -> None:
    """Call `end` with the signal's number when SIGINT or SIGTERM comes."""
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: there an interrupt ends the loop
            loop.add_signal_handler(each, end, each, None)


async def _lines_of_stdin() -> AsyncIterator[str]:
    """Lines as they come, until the end.

    A reader of the library's own cannot be cancelled while it waits for a line, which would hold up every signal.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    # Without a buffer of Python's: at exit its lock would still be held by the thread, which is a fatal error.
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

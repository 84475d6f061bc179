"""Run `rag.api.services.rendering` in a separate process, which is killed if a text takes too long.

The patterns of Pygments take minutes for some texts, during which a thread would block the whole server.
"""

from __future__ import annotations

import asyncio
import json
import logging
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from typing import Any

from ingestion.interpreters import PYTHON
from rag.api.services.rendering import HAS_TIMER, SECONDS

logger = logging.getLogger("bookwise.api")

WAIT_SECONDS = 20.0 if HAS_TIMER else SECONDS
"""Time for one text; then it stays plain. The process ends itself after SECONDS of work, where it can."""

START_SECONDS = 20.0
MAX_LINE_BYTES = 1 << 20
KEPT = 512
"""Results: answers of one book show the same code again and again."""

COMMAND = (*PYTHON, "-m", "rag.api.services.rendering")

Request = tuple[str, str, str | bool]
"""`("code", text, language)` or `("math", text, is_display)`."""


class Renderer:
    """Renders one text after the other; used from one event loop."""

    def __init__(self, command: tuple[str, ...] = COMMAND, *, seconds: float = WAIT_SECONDS) -> None:
        self._command = command
        self._seconds = seconds
        self._process: Process | None = None
        self._one_at_a_time = asyncio.Lock()
        self._known: OrderedDict[Request, Any] = OrderedDict()

    async def render(self, request: Request) -> Any:
        """Return the result as JSON, None if the text stays plain."""
        async with self._one_at_a_time:
            if request not in self._known:
                self._known[request] = await self._asked(request)
            self._known.move_to_end(request)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return self._known[request]

    async def aclose(self) -> None:
        """End the process."""
        if self._process:
            process, self._process = self._process, None
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def _asked(self, request: Request) -> Any:
        try:
            process = await asyncio.wait_for(self._started(), START_SECONDS)
            return await asyncio.wait_for(_answer(process, request), self._seconds)
        except (TimeoutError, OSError, ValueError, NotImplementedError) as error:
            logger.warning("not rendered", extra={"kind": request[0], "reason": type(error).__name__})
            await self.aclose()
            return None
        except asyncio.CancelledError:
            # Its answer would be taken for that of the next request.
            await self.aclose()
            raise

    async def _started(self) -> Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, limit=MAX_LINE_BYTES
            )
            # It answers when its libraries are loaded: the clock of a text runs from then on.
            await _answer(self._process, ("code", "1", "python"))
        return self._process


async def _answer(process: Process, request: Request) -> Any:
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(request).encode() + b"\n")
    await process.stdin.drain()
    return json.loads(await process.stdout.readline())

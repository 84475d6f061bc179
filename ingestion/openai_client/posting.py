"""Post JSON to a service without the SDK, which takes ten times as long to import as one request takes.

Failed requests are repeated as the SDK repeats them: after the time that the service asks for (Retry-After in
seconds, milliseconds or as a date), up to two minutes, otherwise after 0.5 to 8 s with jitter. Nothing that comes
back is trusted; see `ingestion/bounded_http.py`.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any

from ingestion.openai_client.access import FAILURES_BY_CODE, Failure, ServiceAccess, log_wait
from ingestion.openai_client.connections import Connections, NoReply, Reply

OnHeaders = Callable[[Mapping[str, str]], None]

LONGEST_WAIT = 120.0
"""Seconds; no retry for a service that asks to wait longer."""

FIRST_DELAY, LONGEST_DELAY = 0.5, 8.0

_PASSING = (408, 409, 429)
"""Statuses worth a retry, besides 500 and above."""

_BY_STATUS: Mapping[int, Failure] = {401: "key", 403: "permission", 404: "model", 429: "rate"}


class PostFailed(Exception):
    """A request that failed for good; `status` is that of the last reply, 0 if none came.

    `code` and `parameter` are what the service blames, if it names them.
    """

    def __init__(
        self, failure: Failure, said: str, *, status: int = 0, code: object = None, parameter: object = None
    ) -> None:
        super().__init__(said)
        self.failure = failure
        self.status = status
        self.code = code
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class _Try:
    """A failed request; with `wait` None the next try waits for the default time."""

    error: PostFailed
    helps: bool
    wait: float | None = None


class Poster:
    """Sends requests to one service; threads may share it, and `on_headers` gets the headers of every reply."""

    def __init__(self, access: ServiceAccess, on_headers: OnHeaders | None = None) -> None:
        self._access = access
        self._on_headers = on_headers
        self._connections = Connections(access)

    def post(self, path: str, body: Mapping[str, Any]) -> bytes:
        """Return the service's reply; raises PostFailed."""
        # JSON escapes half a character unchanged.
        sent = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        for number in count():
            outcome = self._try(path, sent)
            if isinstance(outcome, Reply):
                return outcome.body
            if not outcome.helps or number >= self._access.max_retries:
                raise outcome.error
            time.sleep(_delay(number) if outcome.wait is None else outcome.wait)
        raise AssertionError("unreachable")

    def _try(self, path: str, sent: bytes) -> Reply | _Try:
        try:
            reply = self._connections.post(path, sent)
        except NoReply as error:
            failed = PostFailed(error.failure, str(error))
            failed.__cause__ = error.__cause__
            return _Try(failed, helps=error.failure != "size")
        if self._on_headers:
            self._on_headers(reply.headers)
        return reply if 200 <= reply.status < 300 else self._failed(reply)

    def _failed(self, reply: Reply) -> _Try:
        error = _error_in(reply)
        asked = _asked_wait(reply.headers)
        if asked is not None:
            log_wait(self._access.host, reply.status, asked)
        passing = reply.status in _PASSING or reply.status >= 500
        advice = reply.headers.get("x-should-retry")
        helps = advice == "true" or (passing and advice != "false")
        too_long = asked is not None and asked > LONGEST_WAIT
        wait = asked if asked is not None and 0 < asked <= LONGEST_WAIT else None
        return _Try(error, helps=helps and not too_long and error.failure != "quota", wait=wait)


def _error_in(reply: Reply) -> PostFailed:
    """Return the error in a reply, in OpenAI's published form or another."""
    detail: Any = None
    try:
        document = json.loads(reply.body)
        detail = document.get("error", document)
    except (ValueError, AttributeError, RecursionError):
        """No JSON, or no object: the status tells enough."""
    described = detail if isinstance(detail, dict) else {}
    message = described.get("message")
    said = f"Error code: {reply.status}" + (f" - {message}" if isinstance(message, str) and message else "")
    code = described.get("code")
    return PostFailed(
        _failure(reply.status, code), said, status=reply.status, code=code, parameter=described.get("param")
    )


def _failure(status: int, code: object) -> Failure:
    if isinstance(code, str) and code in FAILURES_BY_CODE:
        return FAILURES_BY_CODE[code]
    return "redirect" if 300 <= status < 400 else _BY_STATUS.get(status, "other")


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a reply asks to wait, None if it does not."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        return seconds if seconds == seconds else None
    try:
        return parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
    except (KeyError, ValueError, OverflowError, OSError, IndexError):
        return None


def _delay(number: int) -> float:
    """Return the default seconds before another try, after this many tries."""
    return float(min(FIRST_DELAY * 2.0 ** min(number, 10), LONGEST_DELAY) * (1 - 0.25 * random.random()))

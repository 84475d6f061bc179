"""Log an outage once when it begins and once when it ends, not once per request."""

from __future__ import annotations

import logging
import time
from threading import Lock

logger = logging.getLogger("bookwise.api")


class Outages:
    """Remember which parts are down; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._since: dict[str, tuple[float, int]] = {}

    def failed(self, part: str, reason: str, *, level: int = logging.WARNING) -> bool:
        """Note a failure; returns whether an outage begins with it, which is logged."""
        with self._lock:
            began, count = self._since.get(part, (time.monotonic(), 0))
            self._since[part] = (began, count + 1)
        if count == 0:
            logger.log(level, "outage", extra={"part": part, "reason": reason})
        return count == 0

    def recovered(self, part: str) -> None:
        """Note a success; logs the end of an outage."""
        if part not in self._since:
            return
        with self._lock:
            began, count = self._since.pop(part, (0.0, 0))
        if count:
            seconds = round(time.monotonic() - began, 1)
            logger.info("recovered", extra={"part": part, "failures": count, "seconds": seconds})

    def is_down(self, part: str) -> bool:
        """Return whether the last use of a part failed."""
        return part in self._since

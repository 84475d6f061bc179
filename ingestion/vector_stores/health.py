"""The health of an index, as `info` and `doctor` show it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Health:
    """How the server of an index is: each pair of `facts` is a name and its value; `warnings` tell what to do.

    `version` is the server's. There is none of an embedded index.
    """

    version: str
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return asdict(self) | {"facts": dict(self.facts), "warnings": list(self.warnings)}

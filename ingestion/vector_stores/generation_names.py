"""Names of generations: the time of creation, so that they sort, and a random end, so that none comes twice."""

import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

PATTERN = r"\d{8}T\d{6}-[0-9a-f]{6}"


def new_generation() -> str:
    """Return a name that no other generation has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def with_roles(names: Iterable[str], *, active: str | None, former: str | None) -> Iterator[tuple[str, str | None]]:
    """Yield each name with what it serves as: the active generation, the former one, then those that nothing
    names.
    """
    roles = {active: "active", former: "former"}
    for name in sorted(names, key=lambda name: (name != active, name != former, name)):
        yield name, roles.get(name)

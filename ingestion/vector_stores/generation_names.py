"""Names of generations: the time of creation, so that they sort, and a random end, so that none comes twice."""

import secrets
from datetime import UTC, datetime

PATTERN = r"\d{8}T\d{6}-[0-9a-f]{6}"


def new_generation() -> str:
    """A name that no other generation has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"

"""The address after `--ray`, which may be left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingestion.errors import UsageError

if TYPE_CHECKING:
    from ingestion.factory import RayChoice

NO_ADDRESS = "found"
"""The value of `--ray` without an address."""

_ADDRESS = re.compile(r"auto|local|(ray://)?[^/\\\s]+:\d+")


def with_ray_address(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with a value for each `--ray` that has no address after it."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    result = list(arguments)
    for position, argument in enumerate(options):
        following = "".join(arguments[position + 1 : position + 2])
        if argument == "--ray" and not _ADDRESS.fullmatch(following):
            result[position] = f"--ray={NO_ADDRESS}"
    return result


def ray_choice(address: str | None, workers: int | None) -> RayChoice | None:
    """Return the cluster that the flags choose, None without `--ray`; raises UsageError for flags of no use."""
    from ingestion.factory import RayChoice

    if address is None:
        if workers is not None:
            raise UsageError("--ray-workers needs --ray")
        return None
    if address == NO_ADDRESS:
        return RayChoice(None, workers)
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f"--ray {address}: not an address; use HOST:PORT, ray://HOST:PORT, auto or local")
    return RayChoice(address, workers)

"""How the packages of an extra are added to this installation, and what is said where they are missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingestion.errors import ConfigurationError


@contextmanager
def extra_needed(extra: str, by: str) -> Iterator[None]:
    """Raise ConfigurationError where the block imports a package that is missing; `by` says what needs the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed; {by} the extra: {install_command(extra)}"
        ) from error


def install_command(extra: str, prefix: Path | None = None) -> str:
    """Return the command that adds an extra, by the tool that made the environment at `prefix` (ours by default).

    `uv tool` and pipx leave a file of their own there, and each removes what plain pip would put beside it; an
    environment of uv has no pip.
    """
    prefix = prefix or Path(sys.prefix)
    wanted = f"'bookwise[{extra}]'"
    if (prefix / "uv-receipt.toml").is_file():
        return f"uv tool install {wanted}"
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx install --force {wanted}"
    if any(part.startswith("archive-v") for part in prefix.parts):
        return f"uvx --from {wanted} bookwise"
    return f"{'uv ' if _is_made_by_uv(prefix) else ''}pip install {wanted}"


def _is_made_by_uv(prefix: Path) -> bool:
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any(line.split("=")[0].strip() == "uv" for line in lines)

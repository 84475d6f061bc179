"""What a book's folder may decide: its files may come from a stranger, so that keys and files of the user stay out.

The user's flags, environment and own configuration are trusted, and a `.env` that git does not track. A key is sent
only to a host that the same source named or a trusted one did.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ingestion.settings.validators import Secret, parse_bool, parse_texts, setting

FLAG, ENVIRONMENT, DOTENV = "flag", "environment", ".env"
ADDRESS_OF = {
    "openai.api_key": "openai.base_url",
    "qdrant.api_key": "qdrant.url",
    "rerank.api_key": "rerank.url",
}
"""Each secret, and the setting that says where it goes."""

INSIDE = ("book.docs", "index.directory", "index.state")
"""Paths that a book's configuration may not lead out of the book's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustSettings:
    """What the user allows; no file of a book can set it."""

    config: bool = setting(
        False,
        parse_bool,
        env="BOOKWISE_TRUST_CONFIG",
        in_file=False,
        help="let the book's own files name hosts for your keys and folders outside of the book",
    )
    hosts: tuple[str, ...] = setting(
        (), parse_texts, help="hosts that a book may name for your keys; in your own configuration only"
    )
    folders: tuple[str, ...] = setting(
        (), parse_texts, help="books whose files you trust; in your own configuration only"
    )


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the values of a run came from: each source by setting, the book's folder, and the `.env` read."""

    of: Mapping[str, str]
    trusted: frozenset[str]
    folder: Path
    dotenv: Path | None

    def is_trusted(self, name: str) -> bool:
        """Return whether the user, and not the book, set it, or nobody did."""
        source = self.of.get(name)
        if source == DOTENV and self.dotenv:
            return not is_tracked(self.dotenv)
        return source is None or source in self.trusted


def withhold_secrets(values: dict[str, Any], origins: Origins) -> None:
    """Mark each secret that a book's own file would send to a host of its choice; it is refused where it is used."""
    for name, address in ADDRESS_OF.items():
        secret, url = values[name], values[address]
        if not isinstance(secret, Secret) or not url or origins.of.get(name) == origins.of.get(address):
            continue
        hosts = {urlsplit(part).hostname or "" for part in str(url).split(",")}
        if hosts <= {host.lower() for host in values["trust.hosts"]} or trusts_book(values, origins.folder):
            continue
        if not origins.is_trusted(address):
            shown = ", ".join(sorted(hosts))
            reason = (
                f"{address} ({origins.of[address]}) would send your key to {shown}, which the book chose and you did "
                f"not. If it is right, set {VARIABLE_OF[address]} in your environment, add the host to `trust.hosts` "
                "in your own configuration, or pass --trust-config"
            )
            values[name] = replace(secret, refusal=reason)


VARIABLE_OF = {"openai.base_url": "OPENAI_BASE_URL", "qdrant.url": "QDRANT_URL", "rerank.url": "BOOKWISE_RERANK_URL"}


def paths_outside(values: Mapping[str, Any], origins: Origins) -> list[str]:
    """Return what is wrong with paths by which a book's own files lead out of its folder."""
    if trusts_book(values, origins.folder):
        return []
    inside = origins.folder.resolve()
    return [
        f"{name} ({origins.of[name]}): {values[name]} is outside of the book's folder {inside}; if it is right, "
        "name it by a flag or in your environment, add the book to `trust.folders` in your own configuration, or "
        "pass --trust-config"
        for name in INSIDE
        if name in origins.of
        and not Path(values[name]).resolve().is_relative_to(inside)
        and not origins.is_trusted(name)
    ]


def trusts_book(values: Mapping[str, Any], folder: Path) -> bool:
    """Return whether the user trusts the files of this book."""
    folders = [Path(value).expanduser().resolve() for value in values["trust.folders"]]
    return bool(values["trust.config"]) or any(folder.resolve().is_relative_to(trusted) for trusted in folders)


def is_tracked(path: Path) -> bool:
    """Return whether git tracks the file, or may: without git at hand a file in a checkout counts as tracked."""
    if not any((folder / ".git").exists() for folder in path.resolve().parents):
        return False
    # Nothing of the repository's own configuration is run.
    command = ["git", "-c", "core.fsmonitor=false", "ls-files", "--error-unmatch", "--", path.name]
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(command, cwd=path.parent, env=environ, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode != 1

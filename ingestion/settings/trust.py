"""What a book's files may set: they may come from a stranger, so only what is listed.

The user's flags, environment and own configuration are trusted. Of every other setting `by_book` in its declaration
says whether a book may set it; whatever is not listed there is the user's alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ingestion.file_owner import Owner
from ingestion.settings.validators import Secret, parse_bool, parse_texts, setting

FLAG, ENVIRONMENT, DOTENV = "flag", "environment", ".env"

ADDRESS_OF = {
    "openai.api_key": "openai.base_url",
    "qdrant.api_key": "qdrant.url",
    "rerank.api_key": "rerank.url",
}
"""Each secret, and the setting with the URL it is sent to."""

VARIABLE_OF = {"openai.base_url": "OPENAI_BASE_URL", "qdrant.url": "QDRANT_URL", "rerank.url": "BOOKWISE_RERANK_URL"}

HAS_DEFAULT_ADDRESS = frozenset({"openai.api_key"})

INSIDE = ("book.docs", "book.site", "book.built", "index.directory", "index.state", "page.logo")
"""Paths that stay in the book's folder unless the user says otherwise, whether set by the book or by nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustSettings:
    """What the user trusts; no file of a book can set it."""

    config: bool = setting(
        False,
        parse_bool,
        env="BOOKWISE_TRUST_CONFIG",
        in_file=False,
        help="trust the book's own files: let them set everything, and lead out of the book's folder",
    )
    folders: tuple[str, ...] = setting(
        (), parse_texts, help="folders of books that you trust; only in your own configuration"
    )


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the values of a run came from: the source of each setting, and whose each source is."""

    of: Mapping[str, str]
    owners: Mapping[str, Owner]
    folder: Path

    def owner(self, name: str) -> Owner | None:
        """Return who set a setting; None for a default."""
        source = self.of.get(name)
        return self.owners[source] if source else None


def withhold_secrets(values: dict[str, Any], origins: Origins) -> None:
    """Mark as withheld each secret that an untrusted `.env` would send to a URL of its choice; using it raises.

    Its own secret goes along where the service has no address of its own, as that of Qdrant has none.
    """
    for name, address in ADDRESS_OF.items():
        secret, url = values[name], values[address]
        if not isinstance(secret, Secret) or not url or origins.owner(address) is not Owner.UNKNOWN:
            continue
        if origins.owner(name) is Owner.UNKNOWN and name not in HAS_DEFAULT_ADDRESS:
            continue
        shown = ", ".join(sorted({urlsplit(part).hostname or "" for part in str(url).split(",")}))
        reason = (
            f"{address} ({origins.of[address]}) would send the key to {shown}, but without a git repository it is "
            f"unclear who wrote that file. If this is correct, set {VARIABLE_OF[address]} in your environment, add "
            "the book to `trust.folders` in your own configuration, or pass --trust-config"
        )
        values[name] = replace(secret, refusal=reason)


def paths_outside(values: Mapping[str, Any], origins: Origins) -> list[str]:
    """Return the problems of paths that, after links, leave the book's folder without the user's consent."""
    if trusts_book(values, origins.folder):
        return []
    inside = origins.folder.resolve()
    return [
        f"{name} ({origins.of.get(name, 'default')}): {values[name]} is outside the book's folder {inside}; if this "
        "is correct, name it with a flag or in your environment, add the book to `trust.folders` in your own "
        "configuration, or pass --trust-config"
        for name in INSIDE
        if values[name] is not None
        and origins.owner(name) in (Owner.BOOK, None)
        and not Path(values[name]).resolve().is_relative_to(inside)
    ]


def trusts_book(values: Mapping[str, Any], folder: Path) -> bool:
    """Return whether the user trusts the files of this book."""
    folders = [Path(value).expanduser().resolve() for value in values["trust.folders"]]
    return bool(values["trust.config"]) or any(folder.resolve().is_relative_to(trusted) for trusted in folders)

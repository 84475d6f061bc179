"""The lease of a writer, as those who write are given it."""

from __future__ import annotations

from typing import Protocol


class Lease(Protocol):
    """Permission to write a collection, for as long as nobody else has taken it."""

    def __call__(self) -> None:
        """Renew the lease if it has aged; raises IndexLocked where another writer has taken over."""

    def confirm(self) -> None:
        """Read the lease before what cannot be undone; raises IndexLocked where another writer has taken over."""


class LocalLease:
    """The lease on an embedded index, whose lock no other process can take."""

    def __call__(self) -> None:
        """See Lease."""

    def confirm(self) -> None:
        """See Lease."""

"""The named policies by which confidence is judged, one for each embedding model (DESIGN decision 8)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """Where the levels begin, in terms of what `measure` says about a search.

    `measure` is `average` (mean cosine with at least so many passages, spec 004) or `evidence` (0–1, fitted).
    """

    name: str
    measure: str
    high: float
    medium: float
    low: float
    least_passages: tuple[int, int, int] = (1, 1, 1)


SPEC = Policy("spec", "average", 0.85, 0.75, 0.60, (5, 3, 2))
"""The numbers of specification 004."""

MINILM = Policy("minilm", "evidence", 0.5, 0.4, 0.3)


def policy_of(embedding: str) -> Policy:
    """The policy for an embedding model such as `all-MiniLM-L6-v2-int8/1`."""
    return MINILM

"""Find the clauses of the book that come nearest to one of the sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.matching import Evidence
from rag.grounding.places import terms_of
from rag.grounding.quantities import is_among, quantities_in, units_in
from rag.grounding.statements import Statement

TIE = 0.85
"""Share of the nearest clause's score from which another one is as near."""

ALIKE = 0.5
"""Share of a clause's words from which another one speaks of the same."""

SAME = 0.45
"""Share of its words from which a clause with another name or number in its place is a rival."""

RANK_WEIGHT = 0.4
"""What the rank of its place counts for a clause, beside its own words and facts."""


@dataclass(frozen=True, slots=True)
class NearClause:
    """A clause of a place, and how near it is to a clause of the sentence."""

    text: str
    place: int
    score: float


def nearest(clause: Statement, evidence: Evidence) -> list[NearClause]:
    """Return the clauses of the chosen places that share nearly as much with this one as the best of them."""
    found = [
        NearClause(text, at, _score(clause, text, at, evidence) + RANK_WEIGHT * evidence.ranks[at])
        for at in evidence.chosen
        for text in evidence.places[at].clauses
    ]
    best = max(match.score for match in found)
    return [match for match in found if match.score >= TIE * best]


def _score(clause: Statement, text: str, at: int, evidence: Evidence) -> float:
    units = units_in(evidence.places[at].block.text)
    facts = sum(has_code(name, text, clause, evidence) for name in clause.code)
    facts += sum(is_among(quantity, quantities_in(text), units) for quantity in clause.counted)
    words = len(clause.plain & terms_of(text))
    whole = len(clause.code) + len(clause.counted) + len(clause.plain)
    return (facts + words) / (whole or 1.0)


def has_code(name: str, text: str, clause: Statement, evidence: Evidence) -> bool:
    """Return whether the text has the name: one in backticks as code, unless the book writes it without them."""
    if not stands_in(name, text):
        return False
    if name not in clause.quoted or name in evidence.code:
        return name not in clause.quoted or name in code_names_in(text)
    return not rivals(name, evidence.best.text, evidence)


def rivals(name: str, text: str, evidence: Evidence) -> list[str]:
    """Return the names of the same kind in a text that the sentence does not name."""
    statement = evidence.statement
    return [
        other
        for other in code_names_in(text)
        if _kind(other) == _kind(name) and other not in statement.code and not stands_in(other, statement.text)
    ]


def _kind(name: str) -> str:
    if name.startswith("-"):
        return "flag"
    if name.lower().startswith("0x"):
        return "number"
    return "constant" if re.fullmatch(r"[A-Z][A-Z0-9_]+", name) else "name"

"""How a change of the lessons changes answers: another page, an answer lost, an answer gained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ingestion.output import Table, View
from rag.evaluation.metrics import Outcome

Kind = Literal["lost", "gained", "other page", "wrong page", "right page"]
WORDS: dict[Kind, str] = {
    "lost": "no longer answered",
    "gained": "now answered",
    "wrong page": "the right page is no longer first",
    "right page": "the right page is now first",
    "other page": "another page is first",
}


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """A question whose answer changed; `before` and `after` are the places found first, None if refused."""

    question: str
    kind: Kind
    before: str | None
    after: str | None


def answer_changes(before: Sequence[Outcome], after: Sequence[Outcome]) -> list[AnswerChange]:
    """Return the changes in the order of the questions; leaves out questions that only one run asked."""
    earlier = {outcome.key: outcome for outcome in before}
    pairs = [(earlier[outcome.key], outcome) for outcome in after if outcome.key in earlier]
    return [
        AnswerChange(new.question or new.id, kind, _place(old), _place(new))
        for old, new in pairs
        if (kind := _kind(old, new))
    ]


def _kind(old: Outcome, new: Outcome) -> Kind | None:
    if old.refused != new.refused:
        return "lost" if new.refused else "gained"
    if old.answerable and (old.page_rank == 1) != (new.page_rank == 1):
        return "wrong page" if old.page_rank == 1 else "right page"
    return "other page" if not new.refused and old.found != new.found else None


def _place(outcome: Outcome) -> str | None:
    return None if outcome.refused else outcome.found


def changes_view(changes: Sequence[AnswerChange], asked: int) -> View:
    """Return a summary line, and a table of the questions whose answers changed."""
    if not changes:
        return [f"0 of {asked} answers changed."]
    rows = [
        (change.question, WORDS[change.kind], change.before or "none", change.after or "none") for change in changes
    ]
    return [
        Table("Answers", ("question", "what changes", "before", "after"), rows),
        f"{len(changes)} of {asked} answers changed.",
    ]


def as_json(changes: Sequence[AnswerChange]) -> list[dict[str, Any]]:
    """Return one JSON object per change."""
    return [asdict(change) for change in changes]

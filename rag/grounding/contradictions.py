"""What speaks against a sentence in the places that are nearest to it, rule by rule; each rule errs on its side.

A sentence is set against the clauses of the places that come nearest to its own, and only where all of them differ
from it. The rules were written against the pairs in `tests/rag/grounding/data`, and measured on others.
"""

from __future__ import annotations

from rag.grounding.matching import Evidence
from rag.grounding.near_clauses import nearest
from rag.grounding.opposites import affirmation, denial, opposite, other_quantifier
from rag.grounding.other_facts import (
    exchanged_names,
    other_count,
    other_default,
    other_facts,
    other_head,
    other_item,
    other_share,
    other_unit,
)
from rag.grounding.other_words import contrast, other_subject, other_word, swapped_words


def contradiction(evidence: Evidence) -> str | None:
    """Return the first rule that speaks against the sentence, or None."""
    for clause in evidence.statement.clauses:
        near = nearest(clause, evidence)
        for rule in (
            other_facts,
            other_share,
            other_subject,
            opposite,
            other_quantifier,
            contrast,
            other_word,
        ):
            if said := rule(clause, near, evidence):
                return said
    for whole in (
        other_item,
        other_head,
        other_default,
        exchanged_names,
        other_count,
        denial,
        affirmation,
        other_unit,
        swapped_words,
    ):
        if said := whole(evidence):
            return said
    return None

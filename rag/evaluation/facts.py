"""Whether an answer contains the expected facts, and how much of it is something else."""

from __future__ import annotations

from ingestion.markdown.parser import parse_page
from rag.evaluation.questions import EvalQuestion


def holds_fact(question: EvalQuestion, text: str) -> bool | None:
    """Return whether a text contains all expected facts; None if nothing is expected or the book does not answer."""
    if not question.answerable or not question.expected:
        return None
    said = text.lower()
    return all(_says(item, said) for item in question.expected)


def filler(question: EvalQuestion, text: str) -> float | None:
    """Return the share of an answer's characters outside the blocks with the fact; None as in `holds_fact`."""
    holds = holds_fact(question, text)
    if not holds:
        return None if holds is None else 1.0
    page, blocks = parse_page(text)
    texts = [page.text[page.starts[block.start] : page.starts[block.end]].strip() for block in blocks]
    with_fact = {
        next((at for at, each in enumerate(texts) if _says(item, each.lower())), -1) for item in question.expected
    }
    return 1.0 - sum(len(texts[at]) for at in with_fact - {-1}) / max(1, sum(map(len, texts)))


def _says(item: str, said: str) -> bool:
    """Return whether a lower-case text contains one of an item's wordings."""
    return any(part.lower() in said for part in item.split("|"))

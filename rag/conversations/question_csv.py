"""Write questions as CSV, one line per question, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from rag.conversations.questions import AskedQuestion

COLUMNS = (
    *("asked_at", "book_id", "key_id", "question", "answered", "confidence", "supported", "rating", "comment"),
    *("done", "tokens", "cost", "page"),
)


def questions_as_csv(questions: Iterable[AskedQuestion]) -> str:
    """Return the lines, the first with the names of the columns."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for asked in questions:
        page = asked.pages[0].source_file if asked.pages else ""
        row = (asked.asked_at.isoformat(timespec="seconds"), asked.book_id, asked.owner, asked.question)
        outcome = (asked.answered, asked.confidence_level, asked.supported, asked.rating, asked.comment)
        rest = (asked.is_done, asked.tokens, asked.cost, page)
        writer.writerow(_as_text(cell) for cell in (*row, *outcome, *rest))
    return lines.getvalue()


def _as_text(cell: object) -> object:
    """Return a cell that no spreadsheet takes for a formula: readers choose how a question begins."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell

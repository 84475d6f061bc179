"""An evaluation as tables, as Markdown, and as a JSON document that later runs can be compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ingestion.errors import UsageError
from ingestion.operations.reports.markdown import code
from ingestion.output import Cell, Table, View
from rag.evaluation.answer_changes import WORDS, AnswerChange
from rag.evaluation.answer_changes import as_json as changes_as_json
from rag.evaluation.answer_metrics import AnswerOutcome, answer_totals
from rag.evaluation.comparison import Comparison, as_json, interval_of
from rag.evaluation.metrics import MEASURES, Outcome, latency, leak_rate, mean_of

PERCENTILES = (50, 99)
NOT_MEASURED = "answer support: not measured, because no language model was used"
BY_GROUP = (
    "file recall@1",
    "file recall@5",
    "section recall@5",
    "quoted answers right",
    "refusal recall",
    "wrongly refused",
)
"""Measures shown for each language and each book."""


def evaluation_view(outcomes: Sequence[Outcome], comparisons: Sequence[Comparison] = ()) -> View:
    """Return the measures over all questions, by language and by book, and the comparison with another run."""
    return [
        Table("Measures", ("measure", "figure", "95 % interval", "questions"), _measures(outcomes)),
        _grouped("language", outcomes, lambda outcome: outcome.language),
        _grouped("book", outcomes, lambda outcome: outcome.book),
        *(
            [_grouped("kind", outcomes, lambda outcome: outcome.kind or "other")]
            if any(outcome.kind for outcome in outcomes)
            else []
        ),
        Table(
            "Compared (difference with the range of 95 % of 10,000 draws)",
            ("measure", "before", "after", "difference", "from", "to", "", "pairs"),
            [_compared(comparison) for comparison in comparisons],
        ),
        _misses(outcomes),
        f"leak rate {leak_rate(outcomes):g} over {sum(outcome.passages for outcome in outcomes)} passages; "
        + _times(_percentiles(outcome.milliseconds for outcome in outcomes)),
        _answers(outcomes),
    ]


def markdown(view: View) -> str:
    """Return the view as Markdown."""
    parts = []
    for part in view:
        if not isinstance(part, Table):
            parts.append(str(part))
        elif part.rows:
            rows = [part.columns, ("---",) * len(part.columns), *part.rows]
            lines = (f"| {' | '.join('' if cell is None else str(cell) for cell in row)} |" for row in rows)
            parts.append(f"### {part.title}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def report_markdown(
    outcomes: Sequence[Outcome], comparisons: Sequence[Comparison], changes: Sequence[AnswerChange]
) -> str:
    """Return a report for a pull request comment: the changed answers, then the measures, collapsed.

    Questions may come from strangers and are shown as code.
    """
    cells = [
        (code(change.question), WORDS[change.kind], code(change.before or "-"), code(change.after or "-"))
        for change in changes
    ]
    rows = [f"| {' | '.join(row)} |" for row in cells]
    table = ["| question | what changes | before | after |", "| --- | --- | --- | --- |", *rows] if rows else []
    figures = markdown(evaluation_view(outcomes, comparisons)[:4])
    return "\n".join(
        [
            "### Answers",
            "",
            f"{len(changes)} of {len(outcomes)} answers changed.",
            "",
            *table,
            "",
            f"<details><summary>Measures</summary>\n\n{figures}\n\n</details>",
            "",
        ]
    )


def evaluation_document(
    outcomes: Sequence[Outcome], comparisons: Sequence[Comparison] = (), changes: Sequence[AnswerChange] = ()
) -> dict[str, Any]:
    """Return the measures and every outcome; with another run also the changed answers."""
    return {
        "questions": len(outcomes),
        "measures": _figures(outcomes),
        "intervals": {name: interval_of(name, outcomes) for name in _figures(outcomes)},
        "leak_rate": leak_rate(outcomes),
        "latency_ms": _percentiles(outcome.milliseconds for outcome in outcomes),
        "answers": _answer_document(outcomes),
        "languages": {
            name: _figures(some) for name, some in _groups(outcomes, lambda outcome: outcome.language).items()
        },
        "books": {name: _figures(some) for name, some in _groups(outcomes, lambda outcome: outcome.book).items()},
        "compared": as_json(comparisons),
        "changed_answers": changes_as_json(changes),
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }


def outcomes_of(document: Mapping[str, Any], place: str) -> list[Outcome]:
    """Return the outcomes in an earlier run's document; raises UsageError if it has none."""
    try:
        return [_outcome(outcome) for outcome in document["outcomes"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{place}: is not the output of `bookwise eval --json`: {error}") from error


def _outcome(stored: Mapping[str, Any]) -> Outcome:
    answer = stored.get("answer")
    return Outcome(**{**stored, "answer": AnswerOutcome(**answer) if answer else None})


def _percentiles(milliseconds: Iterable[float]) -> dict[str, float]:
    times = list(milliseconds)
    return {f"p{percent}": latency(times, percent) for percent in PERCENTILES}


def _times(percentiles: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {time:.0f} ms" for name, time in percentiles.items())


def _answer_document(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """Return the totals over the answers of a language model; None where none was asked."""
    answers = [outcome.answer for outcome in outcomes if outcome.answer]
    times = (scored.milliseconds for scored in answers if scored.ending != "not_asked")
    return {**answer_totals(answers), "latency_ms": _percentiles(times)} if answers else None


def _answers(outcomes: Sequence[Outcome]) -> str:
    made = _answer_document(outcomes)
    if made is None:
        return NOT_MEASURED
    endings = ", ".join(f"{count} {ending.replace('_', ' ')}" for ending, count in made["endings"].items())
    return (
        f"answers of {made['model']}: {endings}; {made['supported_sentences']} of {made['cited_sentences']} cited "
        f"sentences supported, {made['dropped']} references dropped, {made['tokens']} tokens; "
        + _times(made["latency_ms"])
    )


def _figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    return {name: figure for name in MEASURES if (figure := mean_of(name, outcomes)) is not None}


def _measures(outcomes: Sequence[Outcome]) -> list[tuple[Cell, ...]]:
    return [
        (
            name,
            f"{figure:.3f}",
            _range(name, outcomes),
            sum(MEASURES[name](outcome) is not None for outcome in outcomes),
        )
        for name, figure in _figures(outcomes).items()
    ]


def _range(name: str, outcomes: Sequence[Outcome]) -> str:
    low, high = interval_of(name, outcomes) or (0.0, 0.0)
    return f"{low:.2f}–{high:.2f}"


def _groups(outcomes: Sequence[Outcome], group: Callable[[Outcome], str]) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=group):
        groups.setdefault(group(outcome), []).append(outcome)
    return groups


def _grouped(name: str, outcomes: Sequence[Outcome], group: Callable[[Outcome], str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for key, some in _groups(outcomes, group).items():
        figures = (mean_of(measure, some) for measure in BY_GROUP)
        rows.append((key, len(some), *(None if figure is None else f"{figure:.2f}" for figure in figures)))
    return Table(f"By {name}", (name, "asked", *BY_GROUP), rows)


def _compared(each: Comparison) -> tuple[Cell, ...]:
    certain = "certain" if each.is_certain else "may be chance"
    numbers = (f"{value:+.3f}" for value in (each.difference, each.low, each.high))
    return each.measure, f"{each.before:.3f}", f"{each.after:.3f}", *numbers, certain, each.pairs


def _misses(outcomes: Sequence[Outcome]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for outcome in outcomes:
        if outcome.answerable and (outcome.page_rank is None or outcome.page_rank > 5):
            rows.append((outcome.id, outcome.book, "right page not in the top five"))
        if outcome.answerable == outcome.refused:
            rows.append(
                (
                    outcome.id,
                    outcome.book,
                    "refused" if outcome.refused else f"not refused ({outcome.level} confidence)",
                )
            )
    return Table("Misses", ("question", "book", "what went wrong"), rows)

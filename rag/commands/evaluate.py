"""The command that measures search and refusals on questions with known answers: eval."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.terminal import note, show
from ingestion.errors import ExitCode, UsageError
from ingestion.output import Block, View
from ingestion.own_files import explain
from ingestion.settings import override
from ingestion.settings.loader import CONFIG_NAME, find_config

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from rag.evaluation.answer_changes import AnswerChange
    from rag.evaluation.comparison import Comparison
    from rag.evaluation.metrics import Outcome
    from rag.evaluation.questions import EvalQuestion
    from rag.evaluation.run import Asked


Questions = Annotated[Path, typer.Argument(metavar="FILE", help="JSONL file, one question per line.")]
Corpus = Annotated[
    str | None,
    typer.Option("--corpus", metavar="NAME", help="Ask only the questions of this corpus, about the chosen book."),
]
Answers = Annotated[
    bool | None,
    typer.Option(
        "--answers/--no-answers",
        help="Also answer each question with the language model; on by default if one is configured. "
        "`--no-answers` measures only the search, and embeds only the questions.",
    ),
]
Compare = Annotated[
    Path | None, typer.Option("--compare", metavar="RUN.json", help="Compare with an earlier `eval --json`.")
]
Against = Annotated[str | None, typer.Option("--against", metavar="NAME", help="Compare with another collection.")]
MinRecall = Annotated[
    float | None,
    typer.Option("--min-recall", metavar="R", min=0.0, max=1.0, help="Exit with code 12 if file recall@5 is lower."),
]
Calibrate = Annotated[
    bool,
    typer.Option(
        "--calibrate",
        help="Fit the confidence policy, test each book with a fit to the others, and write it to bookwise.toml.",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Also write a Markdown report with the answers that changed."),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown.")]


def evaluate_command(
    questions: Questions,
    book: Book = None,
    corpus: Corpus = None,
    answers: Answers = None,
    compare: Compare = None,
    against: Against = None,
    min_recall: MinRecall = None,
    calibrate: Calibrate = False,
    as_markdown: Markdown = False,
    report: ReportFile = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Measure search, answers and refusals with known questions.

    Also reports results that should have been filtered out.
    """
    from rag.evaluation.answer_changes import answer_changes, changes_view
    from rag.evaluation.comparison import compare as compared
    from rag.evaluation.questions import load_questions
    from rag.evaluation.views import evaluation_document, evaluation_view, markdown

    _check(compare, against, calibrate=calibrate, answers=answers)
    settings = read_settings(config, flags={"book.id": book})
    asked_for = _chosen(load_questions(questions), corpus)
    asked = _ask(settings, asked_for, answers=answers, calibrates=calibrate)
    outcomes = [asked_question.outcome for asked_question in asked]
    before = _other_run(settings, asked_for, compare, against, answers)
    comparisons, changes = compared(before, outcomes), answer_changes(before, outcomes)
    tables, held_out = _held_out(asked) if calibrate else ([], {})
    changed = changes_view(changes, len(outcomes)) if before else []
    view = [*evaluation_view(outcomes, comparisons), *changed, *tables]
    document = evaluation_document(outcomes, comparisons, changes) | held_out
    show([Block(markdown(view))] if as_markdown else view, document, as_json=as_json)
    if report:
        _write_report(report, outcomes, comparisons, changes)
    if calibrate:
        _calibrate(settings, asked, config or find_config(Path()) or Path(CONFIG_NAME))
    _require(min_recall, outcomes)


def _check(compare: Path | None, against: str | None, *, calibrate: bool, answers: bool | None) -> None:
    if compare and against:
        raise UsageError("use only one of --compare and --against")
    if calibrate and answers is False:
        raise UsageError("--calibrate needs the quoted answers; leave out --no-answers")


def _held_out(asked: Sequence[Asked]) -> tuple[View, dict[str, Any]]:
    from rag.evaluation.calibration import held_out_document, held_out_table, hold_out

    held_out = hold_out(asked)
    return [held_out_table(held_out)], {"held_out": held_out_document(held_out)}


def _write_report(
    path: Path, outcomes: Sequence[Outcome], comparisons: Sequence[Comparison], changes: Sequence[AnswerChange]
) -> None:
    from ingestion.operations.reports import write_text
    from rag.evaluation.views import report_markdown

    write_text(path, report_markdown(outcomes, comparisons, changes))


def _require(min_recall: float | None, outcomes: Sequence[Outcome]) -> None:
    from rag.evaluation.metrics import GATE, mean_of

    if min_recall is None:
        return
    recall = mean_of(GATE, outcomes)
    if recall is None or recall < min_recall:
        note(f"{GATE} is {recall or 0.0:.3f}, below {min_recall:g}")
        raise typer.Exit(ExitCode.NOT_IN_STEP)


def _other_run(
    settings: Settings,
    questions: Sequence[EvalQuestion],
    compare: Path | None,
    against: str | None,
    answers: bool | None,
) -> list[Outcome]:
    """Return the run to compare with: an earlier run's document, another collection, or None."""
    if compare:
        return _read_run(compare)
    if against:
        other = override(settings, {"qdrant.collection": against})
        return [asked.outcome for asked in _ask(other, questions, answers=answers)]
    return []


def _chosen(questions: Sequence[EvalQuestion], corpus: str | None) -> list[EvalQuestion]:
    """Return the questions to ask; with a corpus, only its questions, for the chosen book."""
    if corpus is None:
        return list(questions)
    if corpus not in {question.book for question in questions}:
        named = sorted({question.book for question in questions if question.book})
        raise UsageError(f"no question about {corpus!r}; the file has {', '.join(named) or 'no corpus'}")
    return [replace(question, book=None) for question in questions if question.book in (corpus, None)]


def _ask(
    settings: Settings, questions: Sequence[EvalQuestion], *, answers: bool | None, calibrates: bool = False
) -> list[Asked]:
    from rag.agent.agent import has_model
    from rag.evaluation.answerer import open_answerer
    from rag.evaluation.run import evaluate
    from rag.retrieval.retriever import open_retrievers

    wanted = has_model(settings) if answers is None else answers
    with open_retrievers(settings) as retrievers, open_answerer() as answer:
        return evaluate(
            questions,
            retrievers,
            answer=answer if wanted else None,
            quotes=answers is not False,
            calibrates=calibrates,
        )


def _read_run(path: Path) -> list[Outcome]:
    from rag.evaluation.views import outcomes_of

    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--compare {path}: cannot be read: {explain(error)}") from error
    return outcomes_of(document, str(path))


def _calibrate(settings: Settings, asked: Sequence[Asked], path: Path) -> None:
    from ingestion.factory import embedder_of
    from ingestion.settings.toml_editor import set_table
    from rag.confidence.policies import WEIGHTS
    from rag.evaluation.calibration import calibrate

    policy = calibrate(asked)
    model = embedder_of(settings).model
    weights = [getattr(policy, name) for name in WEIGHTS]
    levels = [policy.low, policy.medium, policy.high]
    set_table(path, "confidence.fitted", {"model": model, "weights": weights, "levels": levels})
    note(f"confidence policy for {model} written to {path}")

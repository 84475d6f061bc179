"""How well search, refusals and quoted answers do on questions about several books.

    python -m benchmarks.retrieval QUESTIONS.jsonl CORPORA WORKDIR [RUN.json]

Each question names its corpus, a folder below CORPORA, which is indexed below WORKDIR with the settings of the
environment; a second call reuses that index. With RUN.json the outcomes are written there, and compared with what an
earlier call wrote.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ingestion.factory import build_parts
from ingestion.settings import Settings
from ingestion.settings.loader import load_settings
from ingestion.sync.pipeline import ingest
from rag.evaluation.comparison import compare
from rag.evaluation.metrics import Outcome
from rag.evaluation.questions import EvalQuestion, load_questions
from rag.evaluation.run import evaluate
from rag.evaluation.views import evaluation_document, evaluation_view, markdown, outcomes_of
from rag.quoting.extractive import answer_extractively
from rag.retrieval.retriever import open_retriever


def settings_of(workdir: Path, corpus: str) -> Settings:
    """An index of its own for each corpus."""
    place = workdir / corpus
    return load_settings(
        {"index.directory": str(place / "index"), "index.state": str(place / "state.json"), "book.id": corpus}
    )


def indexed(corpora: Path, workdir: Path, corpus: str, questions: Sequence[EvalQuestion]) -> Settings:
    """The settings of the corpus' index, which is made if it is not there yet: of `docs` if all pages lie there."""
    settings = settings_of(workdir, corpus)
    pages = [page for each in questions if each.book == corpus for page in each.pages[:1]]
    in_docs = all(page.startswith(f"{corpus}/docs/") for page in pages)
    report = ingest(build_parts(settings), corpora / corpus / ("docs" if in_docs else ""), book_id=corpus)
    print(f"{corpus}: {report.total_files} files, {report.total_chunks} chunks", file=sys.stderr)
    return settings


def main() -> None:
    """Index, ask, count."""
    questions, corpora, workdir = load_questions(Path(sys.argv[1])), Path(sys.argv[2]), Path(sys.argv[3])
    outcomes: list[Outcome] = []
    for corpus in sorted({question.book for question in questions if question.book}):
        with open_retriever(indexed(corpora, workdir, corpus, questions)) as retriever:
            retriever.embedder.embed_query("load the model")
            asked = evaluate(questions, [retriever], answer=answer_extractively)
        outcomes += [each.outcome for each in asked]
    run = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    before = outcomes_of(json.loads(run.read_text(encoding="utf-8")), str(run)) if run and run.is_file() else []
    print(markdown(evaluation_view(outcomes, compare(before, outcomes))))
    if run:
        run.write_text(json.dumps(evaluation_document(outcomes), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""What a reranker is worth: the same questions asked of one index without it and blended with it.

    BOOKWISE_RERANK_MODEL=FOLDER python -m benchmarks.rerank QUESTIONS.jsonl [--book ID] [--corpus NAME]

Runs in the folder of the index. Prints each measure before and after with the range of 95 % of 10,000 draws, and what
a question took. `--corpus` as for `bookwise eval`.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ingestion.settings.loader import load_settings
from rag.evaluation.comparison import compare
from rag.evaluation.metrics import latency
from rag.evaluation.questions import load_questions
from rag.evaluation.run import evaluate
from rag.retrieval.retriever import open_retriever


def main() -> None:
    """Ask the questions twice and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--book")
    parser.add_argument("--corpus")
    given = parser.parse_args()
    questions = load_questions(given.questions)
    if given.corpus:
        questions = [replace(each, book=None) for each in questions if each.book == given.corpus]
    settings = load_settings({"book.id": given.book} if given.book else {})
    with open_retriever(settings) as retriever:
        if retriever.reranker is None:
            parser.error("no reranker is set; see BOOKWISE_RERANK_MODEL and BOOKWISE_RERANK_URL")
        bare = evaluate(questions, [replace(retriever, reranker=None)], quotes=False)
        blended = evaluate(questions, [retriever], quotes=False)
    before, after = ([asked.outcome for asked in run] for run in (bare, blended))
    for each in compare(before, after):
        print(f"{each.measure:20} {each.before:.3f} -> {each.after:.3f}  [{each.low:+.3f}, {each.high:+.3f}]")
    for name, outcomes in (("without", before), ("with", after)):
        print(f"{name:8} p50 {latency([each.milliseconds for each in outcomes], 50):.0f} ms")


if __name__ == "__main__":
    main()

"""What each peer's search finds in the same books with the same model.

    python -m benchmarks.peers.search QUESTIONS.jsonl BOOK…

A book is a folder named as the questions name their corpus. The model is the embedded one; the peers get it as an
OpenAI-compatible service on loopback. Asked are the English questions that the book answers; a page counts once, at
the rank of its first passage among ten.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.splitting import asked
from ingestion.embedding.minilm import MiniLm
from ingestion.factory import build_parts
from ingestion.settings.loader import load_settings
from ingestion.sync.pipeline import ingest
from rag.evaluation.metrics import Outcome, mean_of
from rag.evaluation.questions import EvalQuestion, folder_of, is_right_page, load_questions
from rag.evaluation.run import evaluate
from rag.retrieval.retriever import open_retriever
from tests.support.openai_server import OpenAIServer, Reply, Request, in_base64

MEASURES = ("file recall@1", "file recall@5", "file nDCG@10")
PEERS = ("langchain", "llamaindex")


@contextmanager
def minilm_service() -> Iterator[str]:
    """Serve the embedded model; yields the base address."""
    model, lock = MiniLm(), threading.Lock()

    class Server(OpenAIServer):
        def answer(self, request: Request) -> Reply:
            texts = [text if text.strip() else "." for text in request.body["input"]]
            with lock:
                vectors = model.embed_documents(texts)
            encoded = request.body.get("encoding_format") == "base64"
            data = [
                {"object": "embedding", "index": at, "embedding": in_base64(each) if encoded else each.tolist()}
                for at, each in enumerate(vectors)
            ]
            usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
            return Reply({"object": "list", "data": data, "model": request.body["model"], "usage": usage})

    with Server() as server:
        yield server.base_url


def outcome(question: EvalQuestion, found: Sequence[str], folder: str) -> Outcome:
    """Return what came of a question whose passages lie on these pages, the best first."""
    right = (rank for rank, path in enumerate(found, 1) if is_right_page(question, path, folder))
    return Outcome(
        id=question.id,
        book=question.book or "",
        language=question.language,
        answerable=question.answerable,
        has_section=False,
        page_rank=next(right, None),
        section_rank=None,
        refused=False,
        level="",
        passages=len(found),
        leaks=0,
        milliseconds=0.0,
    )


def ours(questions: Sequence[EvalQuestion], book: Path) -> list[Outcome]:
    """Return what `bookwise search` finds, with its settings as they are and the embedded model."""
    with tempfile.TemporaryDirectory() as place:
        index = {"index.directory": f"{place}/index", "index.state": f"{place}/state.json", "book.id": book.name}
        settings = load_settings(index | {"embedding.embedder": "local"}, environ={})
        ingest(build_parts(settings), book, book_id=book.name)
        with open_retriever(settings) as retriever:
            return [each.outcome for each in evaluate(questions, [retriever], quotes=False)]


def theirs(peer: str, questions: Sequence[EvalQuestion], book: Path, url: str) -> list[Outcome]:
    """Return what a peer's search finds."""
    pages = [str(path.relative_to(book)) for path in book.rglob("*.md")]
    folder = folder_of(questions, pages)
    found = asked(peer, "search", str(book), url, stdin=json.dumps([each.text for each in questions]))["found"]
    return [outcome(question, paths, folder) for question, paths in zip(questions, found, strict=True)]


def main() -> None:
    """Print a table over all books."""
    questions = [each for each in load_questions(Path(sys.argv[1])) if each.answerable and each.language == "en"]
    print(f"| book | search | questions | {' | '.join(MEASURES)} |\n| --- | --- |{' ---: |' * (len(MEASURES) + 1)}")
    with minilm_service() as url:
        for book in map(Path, sys.argv[2:]):
            own = [each for each in questions if each.book == book.name]
            for peer in ("bookwise", *PEERS):
                outcomes = ours(own, book) if peer == "bookwise" else theirs(peer, own, book, url)
                figures = " | ".join(f"{mean_of(name, outcomes):.3f}" for name in MEASURES)
                print(f"| {book.name} | {peer} | {len(outcomes)} | {figures} |", flush=True)


if __name__ == "__main__":
    main()

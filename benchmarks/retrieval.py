"""How often the right page is found: hit@1, hit@5 and refusals over a file of questions.

    python -m benchmarks.retrieval QUESTIONS.jsonl CORPORA WORKDIR

Each question names its corpus (a folder below CORPORA), the right `source_file` (below CORPORA) and others that say
the same (`also_ok`). Unanswerable ones are asked of every corpus; a right refusal is one of `ask`. Each corpus is
indexed below WORKDIR with the settings of the environment; a second call reuses that index.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ingestion.build import build_parts
from ingestion.configuration import load_settings
from ingestion.pipeline import ingest
from ingestion.settings import Settings
from rag.extract import answer_extractively
from rag.models import SearchResult
from rag.reader import Reader, open_reader

FILTERS = {"hardware_tier_filter": 4}


def settings_of(workdir: Path, corpus: str) -> Settings:
    """An index of its own for each corpus."""
    place = workdir / corpus
    return load_settings({"directory": str(place / "index"), "state": str(place / "state.json"), "book_id": corpus})


@contextmanager
def indexed(corpora: Path, workdir: Path, corpus: str) -> Iterator[tuple[Reader, Path]]:
    """The corpus' reader and docs root, indexed if it is not yet."""
    settings = settings_of(workdir, corpus)
    docs = corpora / corpus / ("" if corpus == "iot-beginners" else "docs")
    report = ingest(build_parts(settings), docs, book_id=corpus)
    print(
        f"{corpus}: {report.total_files} files, {report.total_chunks} chunks, {report.seconds:.1f} s", file=sys.stderr
    )
    with open_reader(settings) as reader:
        yield reader, docs


def right(question: dict[str, Any], result: SearchResult, docs: Path, corpora: Path) -> bool:
    """Whether the passage is of a page that answers."""
    path = (docs / result.source_file).relative_to(corpora).as_posix()
    return path in (question["source_file"], *question.get("also_ok", ()))


def main() -> None:
    """Index, ask, count."""
    questions = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    corpora, workdir = Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    answerable: dict[str, list[dict[str, Any]]] = defaultdict(list)
    unanswerable = []
    for question in questions:
        (answerable[question["corpus"]] if question["answerable"] else unanswerable).append(question)
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    for corpus, asked in sorted(answerable.items()):
        with indexed(corpora, workdir, corpus) as (reader, docs):
            for question in asked:
                tally(hits[question["lang"]], question, reader, docs, corpora)
            for question in unanswerable:
                answer = answer_extractively(question["question"], reader, FILTERS)
                hits["unanswerable"]["asked"] += 1
                hits["unanswerable"]["refused"] += not answer.citations
    print(json.dumps(hits, indent=2))


def tally(count: Counter[str], question: dict[str, Any], reader: Reader, docs: Path, corpora: Path) -> None:
    """Ask one answerable question and count what came."""
    started = time.perf_counter()
    response = reader.search(question["question"], limit=5, filters=FILTERS)
    count["milliseconds"] += round((time.perf_counter() - started) * 1000)
    found = [right(question, result, docs, corpora) for result in response.results]
    sections = [
        right(question, result, docs, corpora) and question["section"] in (*result.heading_path, result.page_title)
        for result in response.results
    ]
    count["asked"] += 1
    count["hit@1"] += bool(found[:1] and found[0])
    count["hit@5"] += any(found)
    count["section@5"] += any(sections)
    count["wrongly refused"] += not answer_extractively(question["question"], reader, FILTERS).citations


if __name__ == "__main__":
    main()

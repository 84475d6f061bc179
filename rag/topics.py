"""What a conversation is about, in at most 200 characters: the words its questions share and how it began."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ingestion.vector_stores.bm25 import query_vector
from rag.conversation import TOPIC_CHARS

WORDS = 5


def topic_summary(questions: Sequence[str]) -> str:
    """The first question, and the content words that the later ones add most often."""
    words: Counter[str] = Counter()
    for question in questions:
        plain = {word.strip("?!.,;:()\"'`") for word in question.split()}
        words.update(sorted(word for word in plain if len(word) > 2 and query_vector(word).indices))
    first = questions[0].strip()
    others = [word for word, _ in words.most_common() if word.lower() not in first.lower()][:WORDS]
    summary = f"{first} Also: {', '.join(others)}" if others else first
    return summary if len(summary) <= TOPIC_CHARS else summary[: TOPIC_CHARS - 1] + "…"

"""What a question goes on from: the topic of the conversation, and whether more of the same is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from ingestion.vector_stores.bm25 import query_vector
from rag.models import PastMessage

MAX_TOPIC_QUESTIONS = 3
MIN_TOPIC_TERMS = 2
"""How many words, stop words left out, a question has that names its topic."""

MOST_LEANING_TERMS = 3
"""From one word more on, "it" or "that" stands for something in the question itself."""

_REQUEST_WORDS = (
    "tell say explain describe show give go going continue keep elaborate expand detail details deep deeper please "
    "anything something information know read thing things ok okay yes thanks hear learn another else book "
    "mehr dazu erzähl sag weiter bitte genauer más dime cuéntame sigue favor detalles plus dis continue encore"
)
_MORE = re.compile(
    r"\b(?:more|else|further|continue|go on|elaborate|expand|deeper|details?|another|"
    r"mehr|weiter|genauer|más|sigue|detalles|plus|encore|continuez?)\b|更多|继续|详细|还有",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\W*(?:(?:and|but|or|so|then|also|what about|how about|why|what if|"
    r"und|aber|oder|also|dann|warum|was ist mit|y|pero|o|entonces|por qué|qué tal|et|mais|ou|alors|pourquoi)\b"
    r"|那么|那|还有|为什么|但是)",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|one|ones|there|"
    r"es|sie|ihn|ihm|davon|damit|dafür|dies|diese|dieser|das|eso|esto|ello|lo|la|los|ellos|ça|cela|ceci|ils|elles)\b"
    r"|它|这个|那个|这些",
    re.IGNORECASE,
)


def topic_of(history: Sequence[PastMessage]) -> str | None:
    """Return what a follow-up goes on from: the last question that was no mere "tell me more", with those it leans
    on.
    """
    topic: list[str] = []
    for message in reversed(history):
        if message.role != "user" or not _words(message.content) - _request_words():
            continue
        topic.insert(0, message.content)
        if not leans_back(message.content) or len(topic) == MAX_TOPIC_QUESTIONS:
            break
    return "\n".join(topic) or None


def new_words(question: str, topic: str) -> frozenset[int]:
    """Return the words, as BM25 terms, that a question adds to what was asked before."""
    return _words(question) - _words(topic) - _request_words()


def asks_for_more(question: str, topic: str) -> bool:
    """Return whether it wants more about the topic, and names nothing that the topic does not."""
    words = _words(question) - _request_words()
    return not words or (words <= _words(topic) and _MORE.search(question) is not None)


def leans_back(question: str) -> bool:
    """Return whether a question says too little, or points at too much, to be understood by itself."""
    count = len(_words(question))
    if count < MIN_TOPIC_TERMS or _GOES_ON.match(question):
        return True
    return count <= MOST_LEANING_TERMS and _POINTS_BACK.search(question) is not None


def _words(text: str) -> frozenset[int]:
    return frozenset(query_vector(text).indices)


@cache
def _request_words() -> frozenset[int]:
    return _words(_REQUEST_WORDS)

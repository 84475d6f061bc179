"""Group questions that mean the same, so that an owner reads ten groups instead of a thousand questions.

Each text joins the group whose first text is nearest, if that is near enough: groups do not grow along chains of
small differences, and the most frequent wording names its group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rag.conversations.questions import AskedQuestion, NearestPage

if TYPE_CHECKING:
    from ingestion.models import Vectors

LIKENESS = 0.72
"""Cosine from which two questions count as one; a lower value joins different questions on one subject."""

MAX_TEXTS = 5000
"""Distinct texts that are grouped; the rarest others stand alone."""

BATCH = 64
MAX_PAGES = 3


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """Questions that mean the same; `pages` are those that should answer them, the nearest first."""

    text: str
    questions: tuple[AskedQuestion, ...]
    pages: tuple[NearestPage, ...]

    @property
    def unanswered(self) -> int:
        """The number of refused questions."""
        return sum(not question.answered for question in self.questions)

    @property
    def weak(self) -> int:
        """The number answered with low confidence or without full support."""
        weak = (q.answered and (q.confidence_level == "low" or not q.supported) for q in self.questions)
        return sum(weak)

    @property
    def liked(self) -> int:
        """The number of answers rated up."""
        return sum(question.rating == "up" for question in self.questions)

    @property
    def disliked(self) -> int:
        """The number of answers rated down."""
        return sum(question.rating == "down" for question in self.questions)

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        comments = [question.comment for question in self.questions if question.comment]
        return {
            "question": self.text,
            "count": len(self.questions),
            "unanswered": self.unanswered,
            "weak": self.weak,
            "liked": self.liked,
            "disliked": self.disliked,
            "done": sum(question.is_done for question in self.questions),
            "last_asked": max(question.asked_at for question in self.questions).isoformat(),
            "wordings": list(dict.fromkeys(question.question for question in self.questions))[:20],
            "comments": comments[:20],
            "pages": [asdict(page) for page in self.pages],
            "answers": [_answer(question) for question in self.questions],
        }


def _answer(asked: AskedQuestion) -> dict[str, Any]:
    return {
        "thread_id": str(asked.thread_id),
        "number": asked.message_number,
        "asked_at": asked.asked_at.isoformat(),
        "question": asked.question,
        "answered": asked.answered,
        "confidence_level": asked.confidence_level,
        "rating": asked.rating,
        "comment": asked.comment,
        "done": asked.is_done,
    }


def group_questions(
    questions: Sequence[AskedQuestion],
    embed: Callable[[Sequence[str]], Vectors],
    *,
    likeness: float = LIKENESS,
) -> list[QuestionGroup]:
    """Return the groups, the largest first; `embed` returns unit vectors."""
    by_text: dict[str, list[AskedQuestion]] = defaultdict(list)
    for question in questions:
        by_text[" ".join(question.question.split()).casefold()].append(question)
    texts = sorted(by_text, key=lambda text: (-len(by_text[text]), text))
    members: dict[int, list[str]] = defaultdict(list)
    for text, leader in zip(texts, _leaders(texts[:MAX_TEXTS], embed, likeness), strict=False):
        members[leader].append(text)
    for index in range(MAX_TEXTS, len(texts)):
        members[index] = [texts[index]]
    groups = [_group([asked for text in group for asked in by_text[text]]) for group in members.values()]
    return sorted(groups, key=lambda group: (-len(group.questions), group.text))


def _leaders(texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors], likeness: float) -> list[int]:
    """Return for each text the index of the text that names its group."""
    import numpy as np

    if not texts:
        return []
    vectors = np.vstack([embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    leaders: list[int] = []
    found = []
    for index, vector in enumerate(vectors):
        if leaders:
            near = vectors[leaders] @ vector
            best = int(near.argmax())
            if near[best] >= likeness:
                found.append(leaders[best])
                continue
        leaders.append(index)
        found.append(index)
    return found


def _group(questions: Sequence[AskedQuestion]) -> QuestionGroup:
    newest = sorted(questions, key=lambda question: question.asked_at, reverse=True)
    text, _ = Counter(question.question for question in newest).most_common(1)[0]
    return QuestionGroup(text, tuple(newest), _pages(newest))


def _pages(questions: Sequence[AskedQuestion]) -> tuple[NearestPage, ...]:
    """Return the pages that the searches found, by the sum of their scores."""
    scores: Counter[str] = Counter()
    pages: dict[str, NearestPage] = {}
    for question in questions:
        for page in question.pages:
            scores[page.source_file] += round(page.score * 1000)
            pages.setdefault(page.source_file, page)
    return tuple(pages[file] for file, _ in scores.most_common(MAX_PAGES))

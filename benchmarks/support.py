"""How well the check of cited sentences tells true ones from false ones.

    python -m benchmarks.support WORKDIR BOOK...

WORKDIR holds an index of each book, as `python -m benchmarks.retrieval` leaves it. Sentences of its lessons are made
over by general rules, drawn with a seed: true ones are abridged by a third, joined with the next, or turned about,
some words replaced by others of the same meaning; false ones cite the nearest other passage of the page or of another
page, or have another number, another name, or the opposite verb. Printed is the share accepted of each kind.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.retrieval import settings_of
from ingestion.embedding.protocol import Embedder
from ingestion.vector_stores.filters import Equals, Where
from rag.grounding.passage_blocks import blocks_of
from rag.grounding.sentences import sentence_spans
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.support import SupportCheck
from rag.models import SearchResult
from rag.retrieval.query_terms import names_in
from rag.retrieval.retriever import open_retriever

if TYPE_CHECKING:
    pass

PASSAGES = 60
"""How many passages of each book."""

WORDS = range(8, 41)
TRUE_KINDS = ("abridged", "joined", "turned about")
SYNONYMS = {
    "use": "employ", "uses": "employs", "show": "display", "shows": "displays", "need": "require",
    "needs": "requires", "build": "create", "allows": "lets", "many": "several", "large": "big", "small": "little",
    "helps": "supports", "important": "essential", "provides": "gives", "sends": "transmits", "check": "verify",
    "run": "execute", "runs": "executes",
}  # fmt: skip
NUMBER = re.compile(r"\d+")
NEGATION = re.compile(r"\b(?:not|never|cannot|no|without)\b ?|n['’]t\b", re.IGNORECASE)
VERB = re.compile(r"\b(?:is|are|can|will|was|must|should|does|has|have)\b")


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence that cites a passage, among those that were shown."""

    kind: str
    text: str
    passage: SearchResult
    shown: tuple[SearchResult, ...]


def passages_of(workdir: Path, book: str) -> tuple[list[SearchResult], np.ndarray]:
    """The English passages of a book's lessons, with their vectors."""
    made = {"rank": 1, "score": 0.5, "relevance": 0.5}
    passages, vectors = [], []
    with open_retriever(settings_of(workdir, book)) as retriever:
        for point in retriever.store.scroll(Where((Equals("book_id", book),)), vectors=True):
            if point.payload["language"] == "en" and point.payload["doc_type"] == "lesson":
                known = {name: point.payload.get(name) for name in SearchResult.model_fields if name in point.payload}
                passages.append(SearchResult.model_validate(known | made | {"id": point.id}))
                vectors.append(point.dense)
    return passages, np.array(vectors)


def sentences_of(passage: SearchResult) -> list[str]:
    """Its statements in prose."""
    texts = (block.text for block in blocks_of(passage) if block.kind == "paragraph")
    all_of_them = (" ".join(text[start:end].split()) for text in texts for start, end in sentence_spans(text))
    return [each for each in all_of_them if len(each.split()) in WORDS and each[-1] in ".!"]


def labelled(passages: Sequence[SearchResult], vectors: np.ndarray, draw: random.Random) -> Iterator[Cited]:
    """True and false citations of one book."""
    names = sorted({name for each in passages for text in sentences_of(each) for name in names_in(text)})
    order = list(range(len(passages)))
    draw.shuffle(order)
    for at in [each for each in order if sentences_of(passages[each])][:PASSAGES]:
        near = [passages[int(each)] for each in np.argsort(-(vectors @ vectors[at]))[1:40]]
        same = [each for each in near if each.source_file == passages[at].source_file][:2]
        other = [each for each in near if each.source_file != passages[at].source_file][:2]
        shown = (passages[at], *same, *other)
        sentences = sentences_of(passages[at])
        said = draw.choice(sentences)
        for kind, text in made_over(said, sentences, names, draw):
            yield Cited(kind, text, passages[at], shown)
        for kind, some in (("nearest of its page", same), ("nearest of another", other)):
            if some and said not in some[0].text:
                yield Cited(kind, abridged(said, draw), some[0], shown)


def made_over(
    said: str, sentences: Sequence[str], names: Sequence[str], draw: random.Random
) -> Iterator[tuple[str, str]]:
    """What becomes of a sentence by each rule, or of another one of the passage to which the rule applies."""
    yield "abridged", abridged(said, draw)
    following = sentences[(sentences.index(said) + 1) % len(sentences)]
    if following != said:
        yield "joined", reworded(f"{said.rstrip('.!')}, and {following[0].lower()}{following[1:]}")
    words = said.rstrip(".!").split()
    yield "turned about", " ".join([*words[len(words) // 2 :], *words[: len(words) // 2]]) + "."
    if numbered := [each for each in sentences if NUMBER.search(each)]:
        text = draw.choice(numbered)
        found = draw.choice(list(NUMBER.finditer(text)))
        changed = str(int(found[0]) * 2 + draw.choice([1, 3, 7]))
        yield "other number", reworded(text[: found.start()] + changed + text[found.end() :])
    if naming := [each for each in sentences if any(name.isalpha() for name in names_in(each))]:
        text = draw.choice(naming)
        name = draw.choice([each for each in names_in(text) if each.isalpha()])
        new = draw.choice([each for each in names if each.isalpha() and each.lower() != name.lower()])
        yield "other name", reworded(re.sub(rf"\b{re.escape(name)}\b", new, text, count=1))
    if opposites := [each for each in map(opposite, sentences) if each]:
        yield "opposite", reworded(draw.choice(opposites))


def abridged(text: str, draw: random.Random) -> str:
    """Two thirds of the words, among them numbers and negations."""
    held = re.compile(rf"{NUMBER.pattern}|{NEGATION.pattern}", re.IGNORECASE)
    return reworded(" ".join(word for word in text.split() if held.search(word) or draw.random() > 1 / 3))


def reworded(text: str) -> str:
    """The text with synonyms."""
    return re.sub(r"\w+", lambda word: SYNONYMS.get(word[0], word[0]), text)


def opposite(text: str) -> str | None:
    """The sentence with its negation taken out, or with one put in."""
    if NEGATION.search(text):
        return NEGATION.sub(lambda found: "can " if found[0].lower().startswith("cannot") else "", text, count=1)
    verb = VERB.search(text)
    return f"{text[: verb.end()]} not{text[verb.end() :]}" if verb else None


def holds(item: Cited, embedder: Embedder) -> bool:
    """Whether the check finds the sentence in the passage that it cites."""
    shown = ShownPassages()
    shown.show(item.passage)
    return SupportCheck(shown, embedder).judge(item.text, [item.passage]).held


def report(title: str, items: Sequence[Cited], accepts: Callable[[int], bool]) -> str:
    """The share accepted of all true, of all false, and of each kind."""
    kinds = list(dict.fromkeys(each.kind for each in items))
    by_kind = {kind: fmean(accepts(at) for at, each in enumerate(items) if each.kind == kind) for kind in kinds}
    true = fmean(accepts(at) for at, each in enumerate(items) if each.kind in TRUE_KINDS)
    false = fmean(accepts(at) for at, each in enumerate(items) if each.kind not in TRUE_KINDS)
    cells = ", ".join(f"{kind} {share:.2f}" for kind, share in by_kind.items())
    return f"{title}: true accepted {true:.3f}, false accepted {false:.3f} ({cells})"


def main() -> None:
    """Label, judge, count."""
    workdir, books = Path(sys.argv[1]), sys.argv[2:]
    draw = random.Random(7)
    items = [each for book in books for each in labelled(*passages_of(workdir, book), draw)]
    with open_retriever(settings_of(workdir, books[0])) as retriever:
        held = [holds(item, retriever.embedder) for item in items]
    print(report(f"{len(items)} citations", items, held.__getitem__))


if __name__ == "__main__":
    main()

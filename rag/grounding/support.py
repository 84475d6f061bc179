"""Check whether passages say what a sentence says, by words, numbers, names and meaning."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING

from ingestion.embedding.protocol import Embedder, is_local
from rag.grounding.code_names import code_names_in
from rag.grounding.contradictions import contradiction
from rag.grounding.matching import Evidence, find_evidence
from rag.grounding.passage_blocks import PassageBlock
from rag.grounding.places import Place, places_in, plain_text, said_in, words_of
from rag.grounding.quantities import is_among, quantities_in
from rag.grounding.said_before import goes_in_circles
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.statements import read_statement, share_of
from rag.retrieval.languages import language_of, same_language

if TYPE_CHECKING:
    from ingestion.models import Vector
    from rag.models import SearchResult

THRESHOLD = 0.56
"""Support from which a sentence is held: the mean of its words' coverage and its cosine with what holds it."""

PLAIN = 0.9
"""Share of a sentence's words and numbers from which they decide alone, whatever its meaning.

With the next two figures they decide most sentences, nearly all as meaning would.
"""

MOSTLY = 0.7
"""Share of a sentence's words in one place from which they decide alone as well."""

LITTLE = 0.4
"""Share of a sentence's words and numbers below which no meaning makes up for the others."""

SOME = 0.2
"""Share of a sentence's words from which a place is embedded; where none has it, all are."""

CODE_THRESHOLD = 0.75
"""Share of the lines of a block of code that must stand in the passages."""

NEAREST = 0.85
"""Share of the best passage's rank from which another one may hold a sentence that cites nothing."""

_SYMBOLS = re.compile(r"(?<![\u0370-\u03ff])[\u0370-\u03ff](?![\u0370-\u03ff])")
"""Greek letters that stand alone, as in 4.7 kΩ, say nothing about the language."""

MAX_CHARS = 1_500
"""How much of a sentence, and of each place that may hold it, is embedded at most."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a sentence is held, by which passages, best first, and by which of their blocks; else `reason`."""

    held: bool
    passages: tuple[SearchResult, ...] = ()
    blocks: tuple[PassageBlock, ...] = ()
    reason: str = ""


IN_CIRCLES = Verdict(False, reason="it goes in circles")
TOO_LITTLE = Verdict(False, reason="the book says too little of it")


class SupportCheck:
    """Judges the sentences of one answer against the passages shown for it; may be used from several threads."""

    def __init__(self, shown: ShownPassages, embedder: Embedder) -> None:
        self._shown = shown
        self._embedder = embedder
        self._lock = threading.Lock()
        self._places: dict[str, list[Place]] = {}
        self._vectors: dict[str, Vector] = {}

    def judge(self, sentence: str, cited: Sequence[SearchResult] = ()) -> Verdict:
        """Judge a sentence in Markdown: by the passages that it cites, else by all that were shown.

        A sentence that cites is held by what it cites together or alone, or else by another passage.
        """
        if goes_in_circles(sentence):
            return IN_CIRCLES
        with self._lock:
            shown = list(self._shown)
            verdict = self._by_cited(sentence, cited) if cited else Verdict(False)
            if verdict.held:
                return verdict
            other = self._by_nearest(sentence, [passage for passage in shown if passage not in cited])
            return other if other.held or not cited else verdict

    def judge_code(self, code: str) -> Verdict:
        """Judge a block of code: nearly all of its lines must stand in one passage."""
        lines = [
            " ".join(line.split()) for line in code.split("\n")[1:] if not line.strip().startswith(("```", "~~~"))
        ]
        lines = [line for line in lines if line]
        for passage in self._shown:
            text = " ".join(passage.text.split())
            if not lines or sum(line in text for line in lines) / len(lines) >= CODE_THRESHOLD:
                blocks = {place.block: None for place in self._places_of(passage) if _shares_line(place.block, lines)}
                return Verdict(True, (passage,), tuple(blocks))
        return Verdict(False, reason="the book has no such code")

    def _by_cited(self, sentence: str, cited: Sequence[SearchResult]) -> Verdict:
        language = language_of(_SYMBOLS.sub("", plain_text(sentence)))
        if language and not any(same_language(language, passage.language) for passage in cited):
            return self._by_facts(sentence, cited)
        together = self._judged(sentence, cited)
        alone = [self._judged(sentence, [passage]) for passage in cited] if len(cited) > 1 else []
        held = [verdict for verdict in (together, *alone) if verdict.held]
        if not held:
            return together
        return Verdict(
            True,
            tuple(dict.fromkeys(passage for verdict in held for passage in verdict.passages)),
            tuple(dict.fromkeys(block for verdict in held for block in verdict.blocks)),
        )

    def _by_nearest(self, sentence: str, passages: Sequence[SearchResult]) -> Verdict:
        """By one passage alone, among those nearest to the sentence, or by the nearest ones together."""
        worded = [(evidence, passage) for passage in passages if (evidence := self._worded(sentence, [passage]))]
        plain = [(max(evidence.ranks), verdict) for evidence, _ in worded if (verdict := _by_words(evidence))]
        if holding := [(rank, verdict) for rank, verdict in plain if verdict.held]:
            return max(holding, key=itemgetter(0))[1]
        nearer = [passage for evidence, passage in worded if evidence.coverage >= LITTLE]
        found = [(each, evidence) for each in nearer if (evidence := self._evidence(sentence, [each]))]
        if not found:
            return TOO_LITTLE
        found.sort(key=lambda pair: -max(pair[1].ranks))
        best = max(found[0][1].ranks)
        near = [pair for pair in found if max(pair[1].ranks) >= NEAREST * best]
        verdicts = [self._verdict(evidence) for _, evidence in near]
        held = next((verdict for verdict in verdicts if verdict.held), None)
        if held or len(near) < 2:
            return held or verdicts[0]
        return self._judged(sentence, [passage for passage, _ in near])

    def _by_facts(self, sentence: str, cited: Sequence[SearchResult]) -> Verdict:
        """Compare numbers and code only: nothing else can be compared when the source is in another language."""
        statement = read_statement(sentence)
        text = "\n".join(passage.text for passage in cited)
        quantities = quantities_in(text)
        has_numbers = all(is_among(quantity, quantities) for quantity in quantities_in(plain_text(sentence)))
        missing = [name for name in statement.code if name not in code_names_in(text) and name not in text]
        if missing or not has_numbers:
            return Verdict(False, reason=f"{', '.join(missing) or 'a number'} is not there")
        return Verdict(True, tuple(cited))

    def _judged(self, sentence: str, passages: Sequence[SearchResult]) -> Verdict:
        worded = self._worded(sentence, passages)
        if worded is None:
            return TOO_LITTLE
        if verdict := _by_words(worded):
            return verdict
        evidence = self._evidence(sentence, passages)
        return self._verdict(evidence) if evidence else TOO_LITTLE

    def _worded(self, sentence: str, passages: Sequence[SearchResult]) -> Evidence | None:
        """Return the evidence by words alone, for which nothing is embedded."""
        places = [place for passage in passages for place in self._places_of(passage)]
        return find_evidence(sentence, places, [0.0] * len(places))

    def _evidence(self, sentence: str, passages: Sequence[SearchResult]) -> Evidence | None:
        places = [place for passage in passages for place in self._places_of(passage)]
        text = said_in(sentence)
        words = words_of(text)
        near = {place.context: None for place in places if share_of(place.terms, words) >= SOME}
        near = near or {place.context: None for place in places}
        self._embed([text, *near])
        vector = self._vectors[_said(text)]
        nearness = [
            float(vector @ self._vectors[_said(place.context)]) if place.context in near else 0.0 for place in places
        ]
        return find_evidence(sentence, places, nearness)

    def _verdict(self, evidence: Evidence) -> Verdict:
        nearness = self._nearness(evidence)
        if (evidence.coverage + max(0.0, nearness)) / 2 < THRESHOLD:
            return TOO_LITTLE
        return _unless_contradicted(evidence)

    def _nearness(self, evidence: Evidence) -> float:
        """Return the mean similarity of a sentence and the places that hold it: each is embedded alone, so that all
        answers that rest on a place share its vector."""
        import numpy as np

        contexts = [evidence.places[at].context for at in evidence.chosen]
        self._embed(contexts)
        sentence = self._vectors[_said(evidence.statement.text)]
        held = [self._vectors[_said(context)] for context in contexts]
        mean = np.sum(held, axis=0)
        return float(sentence @ mean / np.linalg.norm(mean))

    def _places_of(self, passage: SearchResult) -> list[Place]:
        if passage.id not in self._places:
            self._places[passage.id] = places_in(passage)
        return self._places[passage.id]

    def _embed(self, texts: Sequence[str]) -> None:
        missing = [text for text in dict.fromkeys(map(_said, texts)) if text not in self._vectors]
        if missing:
            self._vectors |= zip(missing, self._embedder.embed_documents(missing), strict=True)


def _by_words(evidence: Evidence) -> Verdict | None:
    """Return the verdict where the words decide, None where meaning does."""
    if evidence.coverage < LITTLE:
        return TOO_LITTLE
    share = share_of(evidence.best.terms, evidence.statement.words)
    return _unless_contradicted(evidence) if share >= MOSTLY or evidence.coverage >= PLAIN else None


def _unless_contradicted(evidence: Evidence) -> Verdict:
    if reason := contradiction(evidence):
        return Verdict(False, reason=reason)
    places = [evidence.places[at] for at in evidence.chosen]
    return Verdict(
        True,
        tuple({place.block.passage.id: place.block.passage for place in places}.values()),
        tuple(dict.fromkeys(place.block for place in places)),
    )


def embedder_for_checks(embedder: Embedder) -> Embedder:
    """Return the embedder itself if it works on this machine, else the embedded one.

    A service would be asked at each sentence, and takes as long for one text as for all.
    """
    return embedder if is_local(embedder) else _embedded()


@cache
def _embedded() -> Embedder:
    from ingestion.embedding.minilm import MiniLm

    return MiniLm(threads=1)


def _said(text: str) -> str:
    """As much of a text as is embedded: without the stop at its end, which a sentence of the book may lack."""
    return (text.rstrip(" .!?…。！？") or text)[:MAX_CHARS]


def _shares_line(block: PassageBlock, lines: Sequence[str]) -> bool:
    text = " ".join(block.text.split())
    return any(line in text for line in lines)

"""Check whether passages say what a sentence says, by words, numbers, names and meaning."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from ingestion.embedding.protocol import Embedder, is_local
from ingestion.languages import language_name, language_of, same_language
from rag.grounding.contradictions import is_contradicted, is_doubtful
from rag.grounding.matching import Evidence, find_evidence
from rag.grounding.passage_blocks import PassageBlock
from rag.grounding.places import Place, places_in, plain_text
from rag.grounding.said_before import goes_in_circles
from rag.grounding.shown_passages import ShownPassages

if TYPE_CHECKING:
    from ingestion.models import Vector
    from rag.grounding.entailment import Entailment
    from rag.models import SearchResult

THRESHOLD = 0.56
"""Support from which a sentence is held: the mean of its words' coverage and its cosine with what holds it."""

MOSTLY = 0.7
"""Share of a sentence's words in one place from which they decide alone."""

LITTLE = 0.4
"""Share of a sentence's words and numbers below which no meaning makes up for the others."""

SOME = 0.2
"""Share of a sentence's words from which a place is embedded; where none has it, all are."""

CODE_THRESHOLD = 0.75
"""Share of the lines of a block of code that must stand in the passages."""

NEAREST = 3
"""How many passages are looked at for a sentence that cites none, or none that says enough."""

MAX_CHARS = 1_500
"""How much of a sentence, and of each place that may hold it, is embedded at most."""

_SYMBOLS = re.compile(r"(?<![\u0370-\u03ff])[\u0370-\u03ff](?![\u0370-\u03ff])")
"""Greek letters that stand alone, as in 4.7 kΩ, say nothing about the language."""

State = Literal["held", "says_less", "not_there", "contradicted", "unchecked"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the book says of a sentence: by which passages it is held, best first, with their blocks.

    It may say less than the sentence, next to nothing of it, or contradict it. Between two languages nothing is
    checked. `may_be_elsewhere` tells that other passages may say more, as nothing in these speaks against it.
    """

    state: State
    passages: tuple[SearchResult, ...] = ()
    blocks: tuple[PassageBlock, ...] = ()
    may_be_elsewhere: bool = False

    @property
    def held(self) -> bool:
        """Whether passages say it."""
        return self.state == "held"


NOT_THERE = Verdict("not_there")
TOO_LITTLE = Verdict("not_there", may_be_elsewhere=True)
SAYS_LESS = Verdict("says_less", may_be_elsewhere=True)


class SupportCheck:
    """Judges the sentences of one answer against the passages shown for it; may be used from several threads.

    With an `entailment` model, it decides where the words do not.
    """

    def __init__(self, shown: ShownPassages, embedder: Embedder, entailment: Entailment | None = None) -> None:
        self._shown = shown
        self._embedder = embedder
        self._entailment = entailment
        self._lock = threading.Lock()
        self._places: dict[str, list[Place]] = {}
        self._vectors: dict[str, Vector] = {}

    @property
    def language(self) -> str:
        """The name of the language that most of the passages are in."""
        languages = Counter(passage.language for passage in self._shown)
        return language_name(languages.most_common(1)[0][0]) if languages else ""

    def judge(self, sentence: str, cited: Sequence[SearchResult] = ()) -> Verdict:
        """Judge a sentence in Markdown: by the passages that it cites, else by all that were shown.

        A sentence that cites is held by what it cites together or alone; only where that says too little, by another.
        """
        if goes_in_circles(sentence):
            return NOT_THERE
        with self._lock:
            shown = list(self._shown)
            if _is_foreign(sentence, cited or shown):
                return Verdict("unchecked")
            verdict = self._by_cited(sentence, cited) if cited else TOO_LITTLE
            if not verdict.may_be_elsewhere:
                return verdict
            other = self._by_nearest(sentence, [passage for passage in shown if passage not in cited])
            return other if other.held or not cited else verdict

    def judge_code(self, code: str) -> Verdict:
        """Judge a block of code: nearly all of its lines must stand in one passage."""
        inner = (line for line in code.split("\n")[1:] if not line.strip().startswith(("```", "~~~")))
        lines = list(filter(None, (" ".join(line.split()) for line in inner)))
        for passage in self._shown:
            if _lines_in(passage.text, lines) >= CODE_THRESHOLD * len(lines):
                blocks = dict.fromkeys(place.block for place in self._places_of(passage))
                return Verdict("held", (passage,), tuple(block for block in blocks if _lines_in(block.text, lines)))
        return NOT_THERE

    def _by_cited(self, sentence: str, cited: Sequence[SearchResult]) -> Verdict:
        together = self._judged(sentence, cited)
        alone = [self._judged(sentence, [passage]) for passage in cited] if len(cited) > 1 else []
        held = [verdict for verdict in (together, *alone) if verdict.held]
        if not held:
            return together
        passages = dict.fromkeys(passage for verdict in held for passage in verdict.passages)
        return Verdict("held", tuple(passages), tuple(dict.fromkeys(block for each in held for block in each.blocks)))

    def _by_nearest(self, sentence: str, passages: Sequence[SearchResult]) -> Verdict:
        """By one passage alone, among those that share most words with the sentence."""
        found = [(evidence, each) for each in passages if (evidence := self._evidence(sentence, [each]))]
        nearest = sorted(found, key=lambda pair: -max(pair[0].ranks))[:NEAREST]
        verdicts = [self._judged(sentence, [passage]) for _, passage in nearest]
        return next((verdict for verdict in verdicts if verdict.held), verdicts[0] if verdicts else TOO_LITTLE)

    def _judged(self, sentence: str, passages: Sequence[SearchResult]) -> Verdict:
        """Judge by words, for which nothing is embedded, and by meaning where they do not decide."""
        evidence = self._evidence(sentence, passages)
        if evidence is None or evidence.coverage < LITTLE:
            return TOO_LITTLE
        if evidence.statement.share_in(evidence.best.terms) < MOSTLY:
            nearness = self._nearness(evidence)
            evidence = find_evidence(sentence, evidence.places, nearness)
            if (evidence.coverage + max(nearness[at] for at in evidence.chosen)) / 2 < THRESHOLD:
                return self._by_meaning(evidence, SAYS_LESS)
        if is_contradicted(evidence):
            return Verdict("contradicted")
        return self._by_meaning(evidence, Verdict("says_less")) if is_doubtful(evidence) else _held(evidence)

    def _by_meaning(self, evidence: Evidence, verdict: Verdict) -> Verdict:
        """Return what the entailment model says, if there is one, of a sentence of which the words say too little."""
        if self._entailment is None:
            return verdict
        premise = " ".join(dict.fromkeys(evidence.places[at].text for at in evidence.chosen))[:MAX_CHARS]
        state = self._entailment.judge(premise, evidence.statement.text[:MAX_CHARS])
        if state == "contradicted":
            return Verdict("contradicted")
        return _held(evidence) if state == "held" else verdict

    def _evidence(self, sentence: str, passages: Sequence[SearchResult]) -> Evidence | None:
        """Return what passages have of a sentence by its words, None where they say nothing."""
        places = [place for passage in passages for place in self._places_of(passage)]
        return find_evidence(sentence, places, [0.0] * len(places)) if places else None

    def _nearness(self, evidence: Evidence) -> list[float]:
        """Return the cosine of the sentence and each place that shares words with it; a text is embedded once."""
        alike = [place for place in evidence.places if evidence.statement.share_in(place.terms) >= SOME]
        near = alike or evidence.places
        said, *held = self._vectors_of([_said(evidence.statement.text), *(_said(place.text) for place in near)])
        cosines = {place.text: max(0.0, float(said @ held[at])) for at, place in enumerate(near)}
        return [cosines.get(place.text, 0.0) for place in evidence.places]

    def _vectors_of(self, texts: Sequence[str]) -> list[Vector]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors |= zip(missing, self._embedder.embed_documents(missing), strict=True)
        return [self._vectors[text] for text in texts]

    def _places_of(self, passage: SearchResult) -> list[Place]:
        if passage.id not in self._places:
            self._places[passage.id] = places_in(passage)
        return self._places[passage.id]


def _held(evidence: Evidence) -> Verdict:
    blocks = tuple(dict.fromkeys(evidence.places[at].block for at in evidence.chosen))
    return Verdict("held", tuple({block.passage.id: block.passage for block in blocks}.values()), blocks)


def embedder_for_checks(embedder: Embedder) -> Embedder:
    """Return the embedder itself if it works on this machine, else the embedded one.

    A service would be asked at each sentence, and takes as long for one text as for all.
    """
    return embedder if is_local(embedder) else _embedded()


@lru_cache(maxsize=4)
def entailment_model(folder: str | None) -> Entailment | None:
    """Return the model in a folder, which is loaded at the first sentence; None where there is no folder."""
    if folder is None:
        return None
    from rag.grounding.entailment import Entailment

    return Entailment(folder)


@cache
def _embedded() -> Embedder:
    from ingestion.embedding.minilm import MiniLm

    return MiniLm(threads=1)


def _said(text: str) -> str:
    """As much of a text as is embedded: without the stop at its end, which a sentence of the book may lack."""
    return (text.rstrip(" .!?…。！？") or text)[:MAX_CHARS]


def _is_foreign(sentence: str, passages: Sequence[SearchResult]) -> bool:
    """Return whether a sentence is in another language than all of the passages."""
    language = language_of(_SYMBOLS.sub("", plain_text(sentence))) if passages else None
    return language is not None and not any(same_language(language, each.language) for each in passages)


def _lines_in(text: str, lines: Sequence[str]) -> int:
    """Return how many lines of code a text has."""
    text = " ".join(text.split())
    return sum(line in text for line in lines)

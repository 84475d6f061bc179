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
from rag.grounding.shown_passages import ShownPassages

if TYPE_CHECKING:
    from ingestion.models import Vector
    from rag.grounding.entailment import Entailment
    from rag.models import SearchResult

THRESHOLD = 0.56
"""Support from which a sentence is held: the mean of its words' coverage and its cosine with what holds it."""

MOSTLY = 0.65
"""Share of a sentence in one place from which its words decide alone, whatever its meaning."""

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
    checked.
    """

    state: State
    passages: tuple[SearchResult, ...] = ()
    blocks: tuple[PassageBlock, ...] = ()

    @property
    def held(self) -> bool:
        """Whether passages say it."""
        return self.state == "held"


NOT_THERE = Verdict("not_there")
SAYS_LESS = Verdict("says_less")


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
        with self._lock:
            shown = list(self._shown)
            if _is_foreign(sentence, cited or shown):
                return Verdict("unchecked")
            verdict = self._by_cited(sentence, cited) if cited else NOT_THERE
            if verdict.state in ("held", "contradicted"):
                return verdict
            other = self._by_nearest(sentence, [passage for passage in shown if passage not in cited])
            return other if other.held or not cited else verdict

    def judge_code(self, code: str) -> Verdict:
        """Judge a block of code: nearly all of its lines must stand in one passage."""
        inner = (line for line in code.split("\n")[1:] if not line.strip().startswith(("```", "~~~")))
        lines = [line for line in map(_one_line, inner) if line]
        for passage in self._shown:
            if _stand_in(lines, passage.text) >= CODE_THRESHOLD * len(lines):
                blocks = dict.fromkeys(place.block for place in self._places_of(passage))
                return Verdict("held", (passage,), tuple(block for block in blocks if _stand_in(lines, block.text)))
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
        """By one passage alone, among those that hold most of the sentence."""
        found = [(evidence.coverage, each) for each in passages if (evidence := self._evidence(sentence, [each]))]
        nearest = sorted(found, key=lambda pair: -pair[0])[:NEAREST]
        verdicts = [self._judged(sentence, [passage]) for _, passage in nearest]
        return next((verdict for verdict in verdicts if verdict.held), verdicts[0] if verdicts else NOT_THERE)

    def _judged(self, sentence: str, passages: Sequence[SearchResult]) -> Verdict:
        """Judge by words, for which nothing is embedded, and by meaning where they do not decide."""
        evidence = self._evidence(sentence, passages)
        if evidence is None or evidence.coverage < LITTLE:
            return NOT_THERE
        if evidence.statement.share_in(evidence.best.text) < MOSTLY:
            nearness = self._nearness(evidence)
            evidence = find_evidence(sentence, evidence.places, nearness)
            nearest = max(nearness.get(place.text, 0.0) for place in evidence.chosen)
            if (evidence.coverage + nearest) / 2 < THRESHOLD:
                return self._by_meaning(evidence, SAYS_LESS)
        if is_contradicted(evidence):
            return Verdict("contradicted")
        return self._by_meaning(evidence, SAYS_LESS) if is_doubtful(evidence) else _held(evidence)

    def _by_meaning(self, evidence: Evidence, verdict: Verdict) -> Verdict:
        """Return what the entailment model says, if there is one, of a sentence of which the words say too little."""
        if self._entailment is None:
            return verdict
        premise = " ".join(dict.fromkeys(place.text for place in evidence.chosen))[:MAX_CHARS]
        state = self._entailment.judge(premise, evidence.statement.text[:MAX_CHARS])
        if state == "contradicted":
            return Verdict("contradicted")
        return _held(evidence) if state == "held" else verdict

    def _evidence(self, sentence: str, passages: Sequence[SearchResult]) -> Evidence | None:
        """Return what passages have of a sentence by their words, None where they say nothing."""
        places = [place for passage in passages for place in self._places_of(passage)]
        return find_evidence(sentence, places, {}) if places else None

    def _nearness(self, evidence: Evidence) -> dict[str, float]:
        """Return the cosine of the sentence and each place that shares words with it; a text is embedded once."""
        statement, places = evidence.statement, evidence.places
        near = [place for place in places if statement.share_in(place.text) >= SOME] or places
        texts = [_said(statement.text), *(_said(place.text) for place in near)]
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors |= zip(missing, self._embedder.embed_documents(missing), strict=True)
        said, *held = (self._vectors[text] for text in texts)
        return {place.text: max(0.0, float(said @ vector)) for place, vector in zip(near, held, strict=True)}

    def _places_of(self, passage: SearchResult) -> list[Place]:
        if passage.id not in self._places:
            self._places[passage.id] = places_in(passage)
        return self._places[passage.id]


def _is_foreign(sentence: str, passages: Sequence[SearchResult]) -> bool:
    """Return whether a sentence is in another language than all of the passages."""
    language = language_of(_SYMBOLS.sub("", plain_text(sentence))) if passages else None
    return language is not None and not any(same_language(language, each.language) for each in passages)


def _held(evidence: Evidence) -> Verdict:
    blocks = tuple(dict.fromkeys(place.block for place in evidence.chosen))
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


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _stand_in(lines: Sequence[str], text: str) -> int:
    """Return how many lines of code stand in a text."""
    text = _one_line(text)
    return sum(line in text for line in lines)

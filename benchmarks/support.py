"""How well the check of an answer's sentences tells true ones from false ones: `make support`.

The pairs are in `tests/rag/grounding/data`: passages, each with sentences that it holds and others that change one
thing. Rules are written on `pairs_written_on`; what they are worth is measured on `pairs_measured_on`, which no rule
may be tuned on; `forms_written_on` and `forms_measured_on` are the same for formulas, code, tables, lists, exercises
and sentences that cite several passages. A true sentence counts as kept only without a mark, a false one as accepted
only without a mark. Each sentence cites its passage, beside four others that were shown. Where a pair names words of
the block that says it, that block must be among those that are marked as cited.

    python -m benchmarks.support [FOLDER]      # with the entailment model in FOLDER
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ingestion.embedding.minilm import MiniLm
from ingestion.embedding.protocol import Embedder
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.support import SupportCheck, Verdict, entailment_model
from tests.support.passages import passage

DATA = Path(__file__).parent.parent / "tests/rag/grounding/data"
OTHERS = 4
SETS = ("pairs_written_on", "pairs_measured_on", "forms_written_on", "forms_measured_on")


class Judged(NamedTuple):
    """A sentence of a pair, and what came of it; `block` is words of the block that says it, where they are told."""

    is_true: bool
    kind: str
    block: str
    verdict: Verdict


def judged_pairs(name: str, embedder: Embedder, folder: str | None = None) -> Iterator[Judged]:
    """Yield the sentences of one set of pairs as they are judged."""
    pairs = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    shown = [passage(each["passage"], page_title=each["title"], rank=at) for at, each in enumerate(pairs, 1)]
    for at, each in enumerate(pairs):
        others = [passage(text, page_title=each["title"], id=f"also {text}") for text in each.get("also", ())]
        near = ShownPassages()
        for one in [*others, *[*shown[at:], *shown][: OTHERS + 1]]:
            near.show(one)
        check = SupportCheck(near, embedder, entailment_model(folder))
        for is_true, key in ((True, "held"), (False, "not_held")):
            for kind, sentence, *block in each[key]:
                cited = [shown[at], *(others if kind == "several" else ())]
                verdict = check.judge_code(sentence) if kind == "block" else check.judge(sentence, cited)
                yield Judged(is_true, kind, "".join(block), verdict)


def report(name: str, folder: str | None) -> str:
    """The shares of one set of pairs, and of the false ones by what they change."""
    judged = list(judged_pairs(name, MiniLm(1), folder))
    states = Counter((each.is_true, each.kind, each.verdict.state) for each in judged)
    told = [each for each in judged if each.block and each.verdict.held]
    placed = sum(any(each.block in block.text for block in each.verdict.blocks) for each in told)
    lines = _lines(states) + ([f"  block cited     right in {placed} of {len(told)}"] if told else [])
    return "\n".join([name, *lines])


def _lines(states: Counter[tuple[bool, str, str]]) -> list[str]:
    def count(is_true: bool, *wanted: str, kind: str = "") -> int:
        return sum(
            number
            for (true, what, state), number in states.items()
            if true is is_true and (not wanted or state in wanted) and kind in ("", what)
        )

    blamed, caught = count(True, "contradicted"), count(False, "contradicted")
    kinds = sorted({kind for is_true, kind, _ in states if not is_true}, key=lambda kind: -count(False, kind=kind))
    accepted = (f"{kind} {count(False, 'held', kind=kind)}/{count(False, kind=kind)}" for kind in kinds)
    return [
        f"  true kept       {count(True, 'held') / count(True):.3f} of {count(True)}",
        f"  false accepted  {count(False, 'held') / count(False):.3f} of {count(False)}: {', '.join(accepted)}",
        f"  contradicted    right in {caught / (caught + blamed or 1):.3f} of {caught + blamed}",
    ]


def main() -> None:
    """Print all sets."""
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    print("\n".join(report(name, folder) for name in SETS))


if __name__ == "__main__":
    main()

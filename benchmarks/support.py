"""How well the check of an answer's sentences tells true ones from false ones: `make support`.

The pairs are in `tests/rag/grounding/data`: passages, each with sentences that it holds and others that change one
thing. Rules are written on `pairs_written_on`; what they are worth is measured on `pairs_measured_on`, which no rule
may be tuned on. A true sentence counts as kept only without a mark, a false one as accepted only without a mark. Each
sentence cites its passage, beside four others that were shown.

    python -m benchmarks.support [FOLDER]      # with the entailment model in FOLDER
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from ingestion.embedding.minilm import MiniLm
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.support import SupportCheck, entailment_model
from tests.support.passages import passage

DATA = Path(__file__).parent.parent / "tests/rag/grounding/data"
OTHERS = 4


def report(name: str, folder: str | None) -> str:
    """The shares of one set of pairs, and of the false ones by what they change."""
    pairs = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    shown = [passage(each["passage"], page_title=each["title"], rank=at) for at, each in enumerate(pairs, 1)]
    embedder = MiniLm(1)
    states: Counter[tuple[bool, str, str]] = Counter()
    for at, each in enumerate(pairs):
        near = ShownPassages()
        for one in [*shown[at:], *shown][: OTHERS + 1]:
            near.show(one)
        check = SupportCheck(near, embedder, entailment_model(folder))
        for is_true, key in ((True, "held"), (False, "not_held")):
            for kind, sentence in each[key]:
                states[is_true, kind, check.judge(sentence, [shown[at]]).state] += 1
    return "\n".join([name, *_lines(states)])


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
    """Print both sets."""
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    print("\n".join(report(name, folder) for name in ("pairs_written_on", "pairs_measured_on")))


if __name__ == "__main__":
    main()

"""Ask a small model whether a text of the book entails a sentence: it decides where words and meaning do not."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Literal

from ingestion.errors import ConfigurationError
from rag.retrieval.rerankers.onnx_model import OnnxPairModel

LABELS = {"entailment": "held", "neutral": "says_less", "contradiction": "contradicted"}


class Entailment:
    """A model for natural language inference in ONNX, from a folder with its tokenizer and `config.json`.

    Raises ConfigurationError at the first sentence where the folder has none, or its labels are other ones.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder).expanduser()
        self._model = OnnxPairModel(folder)

    def judge(self, premise: str, sentence: str) -> Literal["held", "says_less", "contradicted"]:
        """Return the likeliest of the three for a sentence, by a text of the book."""
        (logits,) = self._model.logits([(premise, sentence)])
        return self._labels[max(range(len(logits)), key=logits.__getitem__)]

    @cached_property
    def _labels(self) -> list[Literal["held", "says_less", "contradicted"]]:
        """What each of the model's classes says, as `id2label` of its `config.json` names them."""
        file = self._folder / "config.json"
        try:
            named = json.loads(file.read_text(encoding="utf-8"))["id2label"]
            return [LABELS[named[str(at)].lower()] for at in range(len(LABELS))]  # type: ignore[misc]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
            names = ", ".join(LABELS)
            raise ConfigurationError(f"{file} must name the classes in `id2label`: {names}") from exc

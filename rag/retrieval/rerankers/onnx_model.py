"""A local reranker without torch: a cross-encoder as ONNX, from a folder with its tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ingestion.errors import ConfigurationError, RerankError
from ingestion.extras import extra_needed
from ingestion.onnx_sessions import cores, open_session

TOKENIZER = "tokenizer.json"

MAX_TOKENS = 512
"""Question and passage together, as cross-encoders are trained; what a passage has beyond is not read."""

PAIRS_AT_ONCE = 8
"""Pairs of like length per run: more would be padded to the longest of them."""

_PLACES = ("", "onnx")
"""Where in the folder the model lies; published ones keep theirs in `onnx/`."""


def is_onnx_folder(name: str) -> bool:
    """Return whether this names a folder with a tokenizer and a model in ONNX."""
    folder = Path(name).expanduser()
    return (folder / TOKENIZER).is_file() and bool(_models_in(folder))


def _models_in(folder: Path) -> list[Path]:
    return sorted(path for place in _PLACES for path in (folder / place).glob("*.onnx"))


class OnnxReranker:
    """Loads the model at the first question; raises ConfigurationError where the folder has several models."""

    def __init__(self, folder: str) -> None:
        self._model = OnnxPairModel(folder)

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """See `Reranker`; the scores are logits, or their difference where the model has two classes."""
        logits = self._model.logits([(question, passage) for passage in passages])
        return [each[-1] - each[0] if len(each) > 1 else each[0] for each in logits]


class OnnxPairModel:
    """A model in ONNX that reads two texts at once, in a folder with its tokenizer; loaded at the first pair."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder).expanduser()

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        """Return what the model says of each pair, one number for each of its classes."""
        if not pairs:
            return []
        tokenizer, session = self._model
        try:
            read = tokenizer.encode_batch(list(pairs))
            order = sorted(range(len(read)), key=lambda at: len(read[at].ids))
            found: dict[int, list[float]] = {}
            for start in range(0, len(order), PAIRS_AT_ONCE):
                batch = order[start : start + PAIRS_AT_ONCE]
                found |= zip(batch, _logits(session, [read[at] for at in batch]), strict=True)
        except Exception as exc:  # both libraries raise classes of their own
            raise RerankError(f"the cross-encoder in {self._folder} cannot score passages: {exc}") from exc
        return [found[at] for at in range(len(read))]

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        models = _models_in(self._folder)
        if len(models) != 1:
            named = ", ".join(path.name for path in models) or "none"
            raise ConfigurationError(
                f"{self._folder} must hold one model (*.onnx), it has {named}; remove the others"
            )
        with extra_needed("onnx", "models in ONNX need"):
            from tokenizers import Tokenizer
        try:
            tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER))
            tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
            tokenizer.no_padding()
            return tokenizer, open_session(models[0], threads=cores())
        except Exception as exc:  # a class of its own for each kind of damage
            raise RerankError(f"cannot load the cross-encoder in {self._folder}: {exc}") from exc


def _logits(session: Any, pairs: Sequence[Any]) -> list[list[float]]:
    import numpy as np

    length = max(len(pair.ids) for pair in pairs)

    def padded(name: str) -> Any:
        return np.array([[*getattr(pair, name), *[0] * (length - len(pair.ids))] for pair in pairs], np.int64)

    known = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    feed = {model_input.name: padded(known[model_input.name]) for model_input in session.get_inputs()}
    logits: list[list[float]] = session.run(None, feed)[0].reshape(len(pairs), -1).tolist()
    return logits

"""A model for entailment decides where words and meaning do not, and only there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import ingestion.embedding.minilm as minilm
from ingestion.errors import ConfigurationError
from ingestion.settings.loader import load_settings
from rag.grounding.support import State, SupportCheck, entailment_model
from rag.models import SearchResult
from tests.rag.grounding.test_answer_text import shown
from tests.support.agents import MINILM
from tests.support.onnx_files import write_entailment
from tests.support.passages import passage

ROLES = passage("Status topics use reliable delivery. Camera topics use best effort.")
MOVED = "Camera topics use reliable delivery."
LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copyfile(Path(minilm.__file__).parent / "tokenizer.json", tmp_path / "tokenizer.json")
    write_entailment(tmp_path / "model.onnx")
    return name_classes(tmp_path, *LABELS)


def name_classes(folder: Path, *labels: str) -> Path:
    named = {str(at): label for at, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps({"id2label": named}), encoding="utf-8")
    return folder


def state(folder: Path | None, sentence: str, place: SearchResult = ROLES) -> State:
    entailment_model.cache_clear()
    model = entailment_model(str(folder) if folder else None)
    return SupportCheck(shown(place), MINILM, model).judge(sentence, [place]).state


def test_the_model_decides_of_a_sentence_that_words_do_not_confirm(folder: Path) -> None:
    assert state(None, MOVED) == "says_less"
    assert state(folder, MOVED) == "held"
    assert state(name_classes(folder, *reversed(LABELS)), MOVED) == "contradicted"


def test_what_words_decide_the_model_is_not_asked(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no model")
    assert state(folder, "Camera topics use best effort.") == "held"
    assert state(folder, "The delay is 7 s.", passage("The delay is 5 s.")) == "contradicted"


def test_classes_without_names_are_an_error_that_says_what_is_missing(folder: Path) -> None:
    name_classes(folder, "LABEL_0", "LABEL_1", "LABEL_2")
    with pytest.raises(ConfigurationError, match=r"config\.json must name the classes in `id2label`: entailment"):
        state(folder, MOVED)


def test_no_model_is_asked_unless_the_settings_name_one() -> None:
    assert load_settings({}, environ={}).agent.entailment is None
    assert load_settings({"agent.entailment": "nli"}, environ={}).agent.entailment == "nli"

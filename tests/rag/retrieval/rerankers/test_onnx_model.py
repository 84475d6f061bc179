"""A cross-encoder in ONNX from a folder: scores in the order of the passages, whatever their lengths."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import ingestion.embedding.minilm as minilm
from ingestion.errors import ConfigurationError, RerankError
from ingestion.settings.loader import load_settings
from rag.retrieval.rerankers import Reranker, build_reranker
from rag.retrieval.rerankers.onnx_model import MAX_TOKENS, OnnxReranker, is_onnx_folder
from tests.support.onnx_files import write_pair_scorer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copyfile(Path(minilm.__file__).parent / "tokenizer.json", tmp_path / "tokenizer.json")
    (tmp_path / "onnx").mkdir()
    write_pair_scorer(tmp_path / "onnx" / "model.onnx")
    return tmp_path


def built(folder: Path) -> Reranker:
    reranker = build_reranker(load_settings({"rerank.model": str(folder)}, environ={}))
    assert isinstance(reranker, OnnxReranker)
    return reranker


def expected(passage: str) -> float:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(minilm.__file__).parent / "tokenizer.json"))
    tokenizer.no_truncation()
    return float(sum(tokenizer.encode(passage, add_special_tokens=False).ids)) + 102  # the end mark is the second's


def test_scores_are_those_of_each_pair_by_itself_in_their_order(folder: Path) -> None:
    passages = ["frog " * (17 - at) for at in range(17)] + ["a toad"]
    assert built(folder).rerank("which animal?", passages) == [expected(passage) for passage in passages]
    assert built(folder).rerank("which?", []) == []


def test_a_passage_that_is_too_long_is_cut_and_the_question_is_not(folder: Path) -> None:
    long, longer = built(folder).rerank("which animal?", ["frog " * 600, "frog " * 900])
    assert long == longer < expected("frog " * MAX_TOKENS)


def test_a_folder_without_a_model_is_left_to_other_libraries(tmp_path: Path, folder: Path) -> None:
    assert is_onnx_folder(str(folder)) and not is_onnx_folder(str(tmp_path / "nowhere"))
    assert not is_onnx_folder("cross-encoder/ms-marco-MiniLM-L6-v2")


def test_several_models_and_damaged_ones_are_errors_that_name_the_folder(folder: Path) -> None:
    write_pair_scorer(folder / "onnx" / "model_int8.onnx")
    with pytest.raises(ConfigurationError, match=r"model.onnx, model_int8.onnx"):
        built(folder).rerank("q", ["a"])
    (folder / "onnx" / "model_int8.onnx").unlink()
    (folder / "onnx" / "model.onnx").write_bytes(b"broken")
    with pytest.raises(RerankError, match=str(folder)):
        built(folder).rerank("q", ["a"])


def test_without_its_extra_a_model_says_how_to_install_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ConfigurationError, match=r"models in ONNX need the extra: .*'bookwise\[onnx\]'"):
        built(folder).rerank("q", ["a"])

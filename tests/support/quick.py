"""A plugin of pytest for `make quick`: a test that starts a process or loads a model is skipped, and said to be."""

from __future__ import annotations

import subprocess
from typing import Any, NoReturn

import pytest

from ingestion.embedding import minilm
from rag.retrieval.rerankers import onnx_model


def _skip(*_: Any, **__: Any) -> NoReturn:
    pytest.skip("not quick: it starts a process or loads a model")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess.Popen, "__init__", _skip)
    for module in (minilm, onnx_model):
        monkeypatch.setattr(module, "open_session", _skip)

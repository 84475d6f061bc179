"""Every Python example of the guide runs as it stands, over the sample book, and those for a server on one."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.embeddings import Embeddings

import bookwise
from ingestion.factory import embedder_of
from ingestion.settings.loader import load_settings
from tests.support.paths import ROOT
from tests.support.qdrant_server import QdrantServer, running

GUIDE = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
FENCE = r"(?:: ([\w.]+))? -->\n```python\n(.*?)^```$"
SERVER = "http://localhost:6333"
EXAMPLES = re.findall(f"<!-- run-python{FENCE}", GUIDE, re.DOTALL | re.MULTILINE)
ON_SERVER = re.findall(f"<!-- run-python-on-server{FENCE}", GUIDE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "examples" / "physical-ai", home / "my-book", ignore=shutil.ignore_patterns(".*"))
    return home


def test_every_python_fence_of_the_guide_is_run() -> None:
    assert len(EXAMPLES) + len(ON_SERVER) == GUIDE.count("```python") >= 7 and len(ON_SERVER) == 2


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs_and_shows_something(
    home: Path, number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needs, code = EXAMPLES[number]
    monkeypatch.chdir(home)
    with warnings.catch_warnings():
        if needs:
            warnings.simplefilter("ignore")  # of its own dependencies
        exec(compile(code, f"example {number}", "exec"), {"__name__": "__main__"})
    assert len(capsys.readouterr().out) > 20


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[str]:
    """The address of a server that holds the sample book."""
    with running(QdrantServer(api_key=None)) as qdrant:
        with warnings.catch_warnings(), bookwise.open_book(home / "my-book", {"qdrant.url": qdrant.url}) as book:
            warnings.simplefilter("ignore")  # of the engine inside the contract server
            book.ingest()
        yield qdrant.url


@pytest.mark.parametrize("last", range(len(ON_SERVER)))
def test_an_example_reads_the_collection_without_bookwise(
    server: str, last: int, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {"__name__": "__main__", "embedding": embedding_of_the_index()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as above
        for _, code in ON_SERVER[: last + 1]:  # the second goes on from the first
            capsys.readouterr()
            exec(compile(code.replace(SERVER, server), "example", "exec"), names)
    assert capsys.readouterr().out.count(".md") >= 2


def embedding_of_the_index() -> Embeddings:
    """LangChain's form of the built-in embedder."""
    embedder = embedder_of(load_settings({}, environ={}))

    class BuiltIn(Embeddings):
        def embed_query(self, text: str) -> list[float]:
            return embedder.embed_query(text).tolist()

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

    return BuiltIn()

"""Models of fastembed and sentence-transformers, over packages of those names that a test writes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ingestion.embedding.prices import price_of
from ingestion.embedding.protocol import Embedder
from ingestion.errors import ConfigurationError, EmbeddingError
from ingestion.factory import embedder_of
from ingestion.settings.loader import load_settings

ROWS = """
import hashlib
import numpy as np

def rows(kind, name, texts):
    for text in texts:
        seed = int.from_bytes(hashlib.sha256(f"{kind} {name} {text}".encode()).digest()[:8], "big")
        yield np.random.default_rng(seed).standard_normal(16) * (text != "nothing")
"""
FASTEMBED = (
    ROWS
    + """
class TextEmbedding:
    def __init__(self, model_name, threads=None):
        if "/" not in model_name:
            raise ValueError(f"Model {model_name} is not supported in TextEmbedding.")
        self.name = model_name
    def passage_embed(self, texts): return rows("passage", self.name, texts)
    def query_embed(self, texts): return rows("query", self.name, texts)
"""
)
SENTENCE_TRANSFORMERS = (
    ROWS
    + """
class SentenceTransformer:
    def __init__(self, name): self.name = name
    def encode_document(self, texts, show_progress_bar): return np.stack(list(rows("passage", self.name, texts)))
    def encode_query(self, texts, show_progress_bar): return np.stack(list(rows("query", self.name, texts)))
"""
)
SOURCES = {
    "fastembed": {"fastembed": FASTEMBED},
    "sentence-transformers": {"sentence_transformers": SENTENCE_TRANSFORMERS, "torch": "set_num_threads = print"},
}
LIBRARIES = sorted(SOURCES)

Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a library at a version."""

    def install(library: str, version: str) -> None:
        site = tmp_path / f"{library}-{version}"
        for package, source in SOURCES[library].items():
            (site / package).mkdir(parents=True)
            (site / package / "__init__.py").write_text(source)
            monkeypatch.delitem(sys.modules, package, raising=False)
        about = site / f"{library.replace('-', '_')}-{version}.dist-info" / "METADATA"
        about.parent.mkdir()
        about.write_text(f"Metadata-Version: 2.1\nName: {library}\nVersion: {version}\n")
        monkeypatch.syspath_prepend(site)

    return install


def embedder(library: str, model: str = "an/example", **flags: int) -> Embedder:
    """The embedder that a user gets with these settings."""
    return embedder_of(load_settings({"embedding.embedder": library, "embedding.model": model, **flags}, environ={}))


@pytest.mark.parametrize("library", LIBRARIES)
def test_vectors_are_rows_of_length_one_in_order(install: Install, library: str) -> None:
    install(library, "5.1.2")
    made = embedder(library)
    rows = made.embed_documents(["alpha", "beta", "alpha"])
    assert (rows.shape, rows.dtype, made.dimensions) == ((3, 16), np.float32, 16)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert (rows[0] == rows[2]).all() and (rows[0] != rows[1]).any()
    assert made.embed_documents([]).shape == (0, 16)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_question_is_prepared_as_a_question(install: Install, library: str) -> None:
    install(library, "5.1.2")
    made = embedder(library)
    assert (made.embed_query("alpha") != made.embed_documents(["alpha"])[0]).any()


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_release_model_and_cut_stand_in_its_name(install: Install, library: str) -> None:
    install(library, "5.1.2")
    assert embedder(library).model == f"{library}-5.1/an/example/1"
    assert embedder(library, **{"embedding.dimensions": 4}).model == f"{library}-5.1/an/example@4/1"
    assert price_of(embedder(library).model) == 0


@pytest.mark.parametrize("library", LIBRARIES)
def test_dimensions_cut_vectors_and_spare_the_loading_of_the_model(install: Install, library: str) -> None:
    install(library, "5.1.2")
    made = embedder(library, **{"embedding.dimensions": 4})
    assert made.dimensions == 4
    assert not any(package in sys.modules for package in SOURCES[library])
    rows = made.embed_documents(["alpha"])
    whole = embedder(library).embed_documents(["alpha"])[:, :4]
    np.testing.assert_allclose(rows, whole / np.linalg.norm(whole), atol=1e-6)


def test_more_dimensions_than_a_model_has_are_an_error(install: Install) -> None:
    install("fastembed", "5.1.2")
    with pytest.raises(EmbeddingError, match="16 dimensions, not 99"):
        embedder("fastembed", **{"embedding.dimensions": 99}).embed_documents(["alpha"])


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=rf"bookwise\[{library}\]"):
        embedder(library)


def test_the_default_model_of_the_service_is_not_taken_for_one_of_a_library(install: Install) -> None:
    install("fastembed", "5.1.2")
    with pytest.raises(ConfigurationError, match="BAAI/bge-small"):
        embedder("fastembed", "text-embedding-3-small")


def test_what_a_library_raises_is_an_embedding_error(install: Install) -> None:
    install("fastembed", "5.1.2")
    with pytest.raises(EmbeddingError, match="is not supported"):
        embedder("fastembed", "misspelt").embed_documents(["alpha"])


def test_blank_texts_and_vectors_without_direction_are_refused(install: Install) -> None:
    install("fastembed", "5.1.2")
    made = embedder("fastembed")
    with pytest.raises(ValueError, match="text 2 of 2 is blank"):
        made.embed_documents(["alpha", " "])
    with pytest.raises(EmbeddingError, match="of length zero"):
        made.embed_documents(["nothing"])


def test_a_model_in_a_folder_is_named_by_what_it_holds_not_by_where_it_lies(install: Install, tmp_path: Path) -> None:
    install("sentence-transformers", "5.1.2")
    for place in ("here", "there"):
        (tmp_path / place / "minilm").mkdir(parents=True)
        (tmp_path / place / "minilm" / "model.safetensors").write_bytes(b"weights")
    here, there = (
        embedder("sentence-transformers", str(tmp_path / place / "minilm")).model for place in ("here", "there")
    )
    assert here == there and here.startswith("sentence-transformers-5.1/minilm-")
    (tmp_path / "there" / "minilm" / "model.safetensors").write_bytes(b"trained")
    assert embedder("sentence-transformers", str(tmp_path / "there" / "minilm")).model != here

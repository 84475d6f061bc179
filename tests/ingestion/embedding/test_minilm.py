"""The embedded embedder, held to vectors of the published model in full precision.

`minilm_reference.json` is written by `scripts/build_minilm.py`. Its vectors are compared by cosine and not number by
number: 8-bit arithmetic turns each processor family's rounding into other last digits.
"""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingestion.embedding import minilm
from ingestion.embedding.minilm import WINDOW, MiniLm
from ingestion.errors import EmbeddingError

REFERENCE = json.loads(Path(__file__).with_name("minilm_reference.json").read_text(encoding="utf-8"))
TEXTS = [entry["text"] for entry in REFERENCE]
EXACT_SUMS = json.loads(Path(__file__).with_name("minilm_int8_reference.json").read_text(encoding="utf-8"))
ONE_PIECE_WORDS = ["robot", "arm", "wheel", "sensor", "motor", "camera", "map", "path", "node", "topic", "force"]
LOWEST_COSINE = 0.96


@pytest.fixture(scope="module")
def embedder() -> MiniLm:
    return MiniLm(threads=2)


@pytest.fixture(scope="module")
def vectors(embedder: MiniLm) -> Any:
    return embedder.embed_documents(TEXTS)


def words(count: int) -> list[str]:
    """That many words of one word piece each, in an order that differs from window to window."""
    return [ONE_PIECE_WORDS[(index + index // 11) % len(ONE_PIECE_WORDS)] for index in range(count)]


def test_vectors_are_those_of_the_published_model(vectors: Any) -> None:
    published = np.stack([np.frombuffer(base64.b64decode(entry["vector"]), "<f2") for entry in REFERENCE])
    cosines = vectors @ published.astype(np.float32).T
    assert cosines.diagonal().min() > LOWEST_COSINE
    assert cosines.argmax(axis=1).tolist() == list(range(len(TEXTS)))


def test_the_sums_of_8_bit_products_are_exact_on_this_processor(embedder: MiniLm) -> None:
    """Without exact sums (AVX2 alone, no precision option) all nine lie between 0.987 and 0.995.

    A few may differ all the same: activations are rounded to 8 bits, and where a processor's last digit of a float
    falls on the other side of a half, later layers magnify it (0.995 to 0.998, one or two of the nine).
    """
    reference = np.array(EXACT_SUMS["vectors"], np.float32)
    reference /= np.linalg.norm(reference, axis=1, keepdims=True)
    cosines = (embedder.embed_documents(EXACT_SUMS["texts"]) * reference).sum(axis=1)
    assert np.median(cosines) >= 0.9999
    assert (cosines >= 0.9999).sum() >= 6
    assert cosines.min() > 0.995


def test_the_graph_is_stored_fused_so_that_opening_it_fuses_nothing() -> None:
    stored = (Path(minilm.__file__).parent / "minilm-int8.onnx").read_bytes()
    kinds = {
        kind: stored.count(bytes([0x22, len(kind)]) + kind) for kind in (b"DynamicQuantizeMatMul", b"Gelu", b"Erf")
    }
    assert kinds == {b"DynamicQuantizeMatMul": 18, b"Gelu": 6, b"Erf": 0}


def test_vectors_are_float32_of_unit_length(embedder: MiniLm, vectors: Any) -> None:
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_no_texts_give_no_vectors(embedder: MiniLm) -> None:
    assert embedder.embed_documents([]).shape == (0, 384)


def test_a_vector_depends_on_its_text_alone(embedder: MiniLm, vectors: Any) -> None:
    np.testing.assert_array_equal(embedder.embed_documents(TEXTS[::-1])[::-1], vectors)
    np.testing.assert_array_equal(np.stack([embedder.embed_query(text) for text in TEXTS]), vectors)


def test_the_number_of_threads_changes_no_vector(vectors: Any) -> None:
    np.testing.assert_array_equal(MiniLm(threads=1).embed_documents(TEXTS), vectors)
    np.testing.assert_array_equal(MiniLm().embed_documents(TEXTS), vectors)


def test_calls_from_several_threads_agree(vectors: Any) -> None:
    embedder = MiniLm(threads=1)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: embedder.embed_documents(TEXTS[:4]), range(4)))
    assert all(np.array_equal(result, vectors[:4]) for result in results)


def test_a_long_text_is_the_mean_of_its_equal_windows(embedder: MiniLm) -> None:
    text = words(300)
    mean = embedder.embed_documents([" ".join(text[start : start + 100]) for start in (0, 100, 200)]).mean(axis=0)
    np.testing.assert_allclose(embedder.embed_query(" ".join(text)), mean / np.linalg.norm(mean), atol=1e-6)


def test_a_text_that_fits_one_window_is_not_cut(embedder: MiniLm) -> None:
    whole, over = words(WINDOW), words(WINDOW + 1)
    half = embedder.embed_documents([" ".join(over[:64]), " ".join(over[64:])]).sum(axis=0)
    np.testing.assert_allclose(embedder.embed_query(" ".join(over)), half / np.linalg.norm(half), atol=1e-6)
    parts = embedder.embed_documents([" ".join(whole[:63]), " ".join(whole[63:])]).sum(axis=0)
    assert embedder.embed_query(" ".join(whole)) @ (parts / np.linalg.norm(parts)) < 0.999


def test_a_line_of_any_length_has_a_vector(embedder: MiniLm) -> None:
    near, far, solid = embedder.embed_documents(["robot arm", "robot" + " " * 150_000 + "arm", "x" * 200_000])
    np.testing.assert_array_equal(far, near)
    assert np.isfinite(solid).all()


def test_text_that_looks_like_a_special_token_is_plain_text(embedder: MiniLm) -> None:
    marked = embedder.embed_documents(["stop [SEP] go", "a [CLS] b", "say <|endoftext|> now"])
    spaced = embedder.embed_documents(["stop [ sep ] go", "a [ cls ] b", "say < | endoftext | > now"])
    np.testing.assert_array_equal(marked, spaced)


def test_like_sentences_are_nearer_than_unlike_ones(embedder: MiniLm) -> None:
    question = embedder.embed_query("How does the robot grip an object?")
    near, far = embedder.embed_documents(
        ["The gripper closes its fingers around the part.", "Bake the bread for forty minutes."]
    )
    assert question @ near > question @ far + 0.2


def test_a_blank_text_is_refused_by_its_position(embedder: MiniLm) -> None:
    with pytest.raises(ValueError, match="text 2 of 2 is blank"):
        embedder.embed_documents(["robots", " \t\n"])


def test_a_text_without_any_word_piece_has_a_vector(embedder: MiniLm) -> None:
    assert np.linalg.norm(embedder.embed_query("\u200b")) == pytest.approx(1.0, abs=1e-6)


def test_a_missing_model_file_is_an_embedding_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(EmbeddingError, match="reinstall bookwise"):
        MiniLm().embed_query("robots")


def test_a_model_loaded_ahead_is_the_one_that_is_used_and_its_failure_waits_for_the_first_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = MiniLm()
    ahead.load_ahead()
    loaded = ahead._load()
    assert ahead._load() is loaded
    monkeypatch.setattr(minilm, "__file__", str(tmp_path / "__init__.py"))
    broken = MiniLm()
    broken.load_ahead()
    with pytest.raises(EmbeddingError, match="reinstall bookwise"):
        broken.embed_query("robots")

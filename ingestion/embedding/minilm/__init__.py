"""The embedded embedder: all-MiniLM-L6-v2 as int8 ONNX, with no key and no download."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from ingestion.embedding.batching import Limits
from ingestion.embedding.minilm.word_pieces import INSIDE, WordPieces, read_vocabulary
from ingestion.embedding.protocol import refuse_blank
from ingestion.errors import EmbeddingError
from ingestion.onnx_sessions import cores, open_session

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from numpy.typing import NDArray

    from ingestion.models import Vector, Vectors

    Window = NDArray[np.int64]

WINDOW = 126
"""Word pieces a window holds; with its two marks 128, the length the model was trained on."""

_START, _END = 101, 102  # the marks [CLS] and [SEP]
_WINDOWS_AT_ONCE = 512


class MiniLm:
    """Each text is cut into equal windows; its vector is the mean of their unit vectors, at length one.

    A text's vector depends on that text alone: the activations are quantised with one scale a run, so windows run
    one by one (a batch's other members would move a vector by up to 0.05 a component, and save no time), in
    parallel on `threads` threads (0: one per core). Between processor families most texts have a cosine of 1.0000;
    where a rounding to 8 bits falls the other way it is 0.995 to 0.998. The model is loaded at the first call, 0.1 s
    and about 90 MB; calls may come from several threads.
    """

    model = "all-MiniLM-L6-v2-int8/2"
    dimensions = 384
    # Two small calls at once: the cores never wait for the end of a call, and an interrupt only briefly.
    limits = Limits(inputs=4, in_flight=2)

    def __init__(self, threads: int = 0) -> None:
        self._threads = threads or cores()
        self._lock = Lock()
        self._loaded: tuple[WordPieces, Any] | None = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. Raises ValueError for a blank text, EmbeddingError if the model cannot be loaded.

        Beside the result, memory is bounded by the longest text.
        """
        import numpy as np

        refuse_blank(texts)
        pieces, session = self._load()
        windows = ((row, window) for row, text in enumerate(texts) for window in _windows(pieces.numbers(text)))
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        while some := list(islice(windows, _WINDOWS_AT_ONCE)):
            # A question is one window: to hand it to a thread would take a sixth of the time.
            run = self._pool.map if len(some) > 1 and self._threads > 1 else map
            vectors = run(lambda each: _window_vector(each[1], session), some)
            for (row, _), vector in zip(some, vectors, strict=True):
                sums[row] += vector
        unit: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return unit

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`; a question is embedded like a document."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def load_ahead(self) -> None:
        """Begin to load the model beside what the caller does next; if it cannot be, the first call says so."""

        def load() -> None:
            with suppress(EmbeddingError):
                self._load()

        Thread(target=load, name="load-model").start()

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """Return threads that stay: a server embeds a sentence at a time, and starting them took as long."""
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed")

    def _load(self) -> tuple[WordPieces, Any]:
        with self._lock:
            if self._loaded is None:
                folder = Path(__file__).parent
                try:
                    # One thread per run: runs are parallel already, and the library's own would spin between them.
                    session = open_session(folder / "minilm-int8.onnx", threads=1)
                    self._loaded = WordPieces(folder), session
                except Exception as exc:  # the library raises a class of its own for each kind of damage
                    raise EmbeddingError(f"cannot load the model in {folder}: {exc}; reinstall bookwise") from exc
            return self._loaded


@cache
def vocabulary() -> frozenset[str]:
    """Return the whole words that the model knows, in small letters."""
    return frozenset(piece for piece in read_vocabulary(Path(__file__).parent) if not piece.startswith(INSIDE))


def _windows(pieces: list[int]) -> list[Window]:
    """Split a text's pieces into as few windows as hold them, of equal size give or take one."""
    import numpy as np

    return np.array_split(np.array(pieces, np.int64), max(1, -(-len(pieces) // WINDOW)))


def _window_vector(window: Window, session: Any) -> Vector:
    """Return the mean of the vectors of the window's pieces and marks, normalised to length one."""
    import numpy as np

    ids = np.concatenate(([_START], window, [_END]))[np.newaxis]
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean: Vector = session.run(None, feed)[0][0].mean(axis=0)
    return mean / np.linalg.norm(mean)

"""Exact token counts, without a network."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from ingestion.errors import ConfigurationError

if TYPE_CHECKING:
    from ingestion.tokens.ranks import Ranks

Tokenizer = Literal["auto", "toktok", "tiktoken"]
TOKENIZERS: tuple[str, ...] = get_args(Tokenizer)

FEW_CHARACTERS = 100_000
"""With `auto` words are looked up one by one in runs that read no more, which takes 1 µs a character: to build a
vocabulary takes 0.15 s."""

LARGE_CHARACTERS = 200_000
"""With `auto` toktok counts in runs that read more: tiktoken takes five times as long, a sixth of a first run of a
book of a million with an embedding service, and less than a twentieth with the built-in model."""

RANKS = {
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
"""The name of each encoding's ranks in tiktoken's cache, and their SHA-256: others it would delete and download."""

_tokenizer: Tokenizer = "auto"
_expected = 0


def choose_tokenizer(name: str) -> None:
    """Let this tokenizer count from now on, in the whole process (the setting `chunk.tokenizer`)."""
    global _tokenizer
    if name not in TOKENIZERS:
        *others, last = TOKENIZERS
        raise ConfigurationError(f"invalid tokenizer {name!r}: choose {', '.join(others)} or {last}")
    _tokenizer = cast("Tokenizer", name)


def require_tokenizer() -> None:
    """Raise ConfigurationError where the chosen tokenizer cannot count, before any lesson is read."""
    if _tokenizer == "tiktoken":
        count_tokens([""])


def expect_characters(count: int) -> None:
    """Let `auto` know how much a run is going to read."""
    global _expected
    _expected = count


def count_tokens(texts: Sequence[str], encoding: str = "cl100k_base") -> list[int]:
    """Return the number of tokens in each text, in order, exactly as OpenAI's `tiktoken` counts them.

    `encoding` is `cl100k_base` (embeddings) or `o200k_base` (chat). Text that looks like a special token, such as
    `<|endoftext|>`, counts as plain text. A lone surrogate counts as U+FFFD, as in tiktoken.

    With `auto`, the words of a few pages are looked up in a table. Of more text, tiktoken counts where its ranks lie
    in its cache folder, and toktok elsewhere and in large runs; all give the same numbers. Raises ConfigurationError
    for an unknown encoding, or if tiktoken was chosen and cannot get its ranks.
    """
    if _tokenizer == "auto" and encoding == "cl100k_base" and _expected <= FEW_CHARACTERS:
        return [
            _counter(encoding)([text], encoding)[0] if (count := _ranks().count(text)) is None else count
            for text in texts
        ]
    return _counter(encoding)(texts, encoding)


def has_cached_ranks(encoding: str) -> bool:
    """Return whether tiktoken can count without a download: its ranks of this encoding are cached, and whole."""
    return _has_ranks(encoding, _cache_folder())


def _counter(encoding: str) -> Callable[[Sequence[str], str], list[int]]:
    if _tokenizer == "auto":
        is_large = _expected > LARGE_CHARACTERS
        return _count_with_tiktoken if not is_large and has_cached_ranks(encoding) else _count_with_toktok
    return _count_with_tiktoken if _tokenizer == "tiktoken" else _count_with_toktok


@cache
def _ranks() -> Ranks:
    from ingestion.tokens.ranks import Ranks

    return Ranks()


def _cache_folder() -> str:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable]
    return os.path.join(tempfile.gettempdir(), "data-gym-cache")


@cache
def _has_ranks(encoding: str, folder: str) -> bool:
    if not folder or encoding not in RANKS:
        return False
    name, digest = RANKS[encoding]
    try:
        return hashlib.sha256((Path(folder) / name).read_bytes()).hexdigest() == digest
    except OSError:
        return False


def _count_with_toktok(texts: Sequence[str], encoding: str) -> list[int]:
    from toktok import truncate

    try:
        # Truncating at no limit returns the count of the whole text, without the 50 µs that each `batch_count` costs.
        return [truncate(text, sys.maxsize, encoding)[1] for text in texts]
    except UnicodeEncodeError:
        return [truncate(_without_lone_surrogates(text), sys.maxsize, encoding)[1] for text in texts]
    except KeyError as exc:
        raise _unknown(encoding) from exc


def _count_with_tiktoken(texts: Sequence[str], encoding: str) -> list[int]:
    import tiktoken

    try:
        ranks = tiktoken.get_encoding(encoding)
    except ValueError as exc:
        raise _unknown(encoding) from exc
    except OSError as exc:  # requests' errors are OSErrors too
        raise ConfigurationError(
            f"BOOKWISE_TOKENIZER=tiktoken: the ranks of {encoding} are not cached and cannot be downloaded; "
            "set TIKTOKEN_CACHE_DIR to a folder that holds them, or use BOOKWISE_TOKENIZER=toktok"
        ) from exc
    return [len(ranks.encode_ordinary(text)) for text in texts]


def _unknown(encoding: str) -> ConfigurationError:
    return ConfigurationError(f"cannot count tokens of {encoding!r}: use cl100k_base or o200k_base")


def _without_lone_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

"""Exact token counts, without a network."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Literal, cast

from ingestion.errors import ConfigurationError

Tokenizer = Literal["toktok", "tiktoken"]

_tokenizer: Tokenizer = "toktok"


def choose_tokenizer(name: str) -> None:
    """Let this tokenizer count from now on, in the whole process (the setting `chunk.tokenizer`)."""
    global _tokenizer
    if name not in _COUNTERS:
        raise ConfigurationError(f"invalid tokenizer {name!r}: choose {' or '.join(_COUNTERS)}")
    _tokenizer = cast("Tokenizer", name)


def require_tokenizer() -> None:
    """Raise ConfigurationError where the chosen tokenizer cannot count, before any lesson is read."""
    if _tokenizer == "tiktoken":
        count_tokens([""])


def count_tokens(texts: Sequence[str], encoding: str = "cl100k_base") -> list[int]:
    """Return the number of tokens in each text, in order, exactly as OpenAI's `tiktoken` counts them.

    `encoding` is `cl100k_base` (embeddings) or `o200k_base` (chat). Text that looks like a special token, such as
    `<|endoftext|>`, counts as plain text. A lone surrogate counts as U+FFFD, as in tiktoken.

    `toktok` counts, unless `choose_tokenizer` chose the reference, which is about ten times as slow. Raises
    ConfigurationError for an unknown encoding, or if tiktoken cannot get its ranks.
    """
    return _COUNTERS[_tokenizer](texts, encoding)


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


_COUNTERS: dict[str, Callable[[Sequence[str], str], list[int]]] = {
    "toktok": _count_with_toktok,
    "tiktoken": _count_with_tiktoken,
}


def _unknown(encoding: str) -> ConfigurationError:
    return ConfigurationError(f"cannot count tokens of {encoding!r}: use cl100k_base or o200k_base")


def _without_lone_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

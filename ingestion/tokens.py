"""Exact token counts, without a network."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ingestion.errors import ConfigurationError


def count_tokens(texts: Sequence[str], encoding: str = "cl100k_base") -> list[int]:
    """The number of tokens in each text, in order, exactly as OpenAI's `tiktoken` counts them.

    `encoding` is `cl100k_base` (embeddings) or `o200k_base` (chat). Text that looks like a special token, such as
    `<|endoftext|>`, counts as plain text. A lone surrogate counts as U+FFFD, as in tiktoken.

    `toktok` counts; with `BOOKWISE_TOKENIZER=tiktoken` the reference does, about ten times as slowly. Raises
    ConfigurationError for another tokenizer, an unknown encoding, or if tiktoken cannot get its ranks.
    """
    tokenizer = os.environ.get("BOOKWISE_TOKENIZER") or "toktok"
    if tokenizer == "toktok":
        return _count_with_toktok(texts, encoding)
    if tokenizer == "tiktoken":
        return _count_with_tiktoken(texts, encoding)
    raise ConfigurationError(f"BOOKWISE_TOKENIZER={tokenizer}: must be toktok (the default) or tiktoken")


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
            "set TIKTOKEN_CACHE_DIR to a folder that holds them, or unset BOOKWISE_TOKENIZER"
        ) from exc
    return [len(ranks.encode_ordinary(text)) for text in texts]


def _unknown(encoding: str) -> ConfigurationError:
    return ConfigurationError(f"cannot count tokens of {encoding!r}: use cl100k_base or o200k_base")


def _without_lone_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

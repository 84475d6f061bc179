"""Settings of the chunks that lessons are cut into."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import book_setting, parse_choice, parse_int, parse_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """The size of chunks, and what counts their tokens."""

    tokens: int = book_setting(
        400, parse_int(50, 8000), env="BOOKWISE_CHUNK_TOKENS", help="target of embedded tokens per chunk"
    )
    max_tokens: int = book_setting(
        512,
        parse_int(50, 8191),
        env="BOOKWISE_CHUNK_MAX_TOKENS",
        help="maximum of embedded tokens per chunk, whose text has twice as many at most",
    )
    tokenizer: str = book_setting(
        "auto",
        parse_choice("auto", "toktok", "tiktoken"),
        env="BOOKWISE_TOKENIZER",
        help="what counts tokens; all give the same numbers: `tiktoken`, which may download its ranks, `toktok`, "
        "five times as fast, or `auto`: our own table for a few pages, `tiktoken` for more if its ranks are cached, "
        "`toktok` for the rest",
    )
    visible_props: tuple[str, ...] = book_setting(
        (),
        parse_texts,
        help="component attributes with visible text, in addition to `title`, `label` and similar",
    )

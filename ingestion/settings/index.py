"""Settings of the index on disk."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import Secret, parse_int, parse_secret, parse_text, setting

STATE_FILE, STATE_AUTO, STATE_QDRANT = ".ingestion_state.json", "auto", "qdrant"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """Places of the embedded index, the records and the databases, and their safeguards."""

    directory: str = setting(
        ".bookwise",
        parse_text,
        env="BOOKWISE_DIRECTORY",
        is_path=True,
        help="folder of the embedded index and the cache",
    )
    state: str = setting(
        STATE_FILE,
        parse_text,
        env="BOOKWISE_STATE",
        is_path=True,
        help="ingestion state: a file, `qdrant` (on the server) or `auto` (the file if it exists, else the server)",
    )
    database_url: Secret | None = setting(
        None,
        parse_secret,
        env="DATABASE_URL",
        in_file=False,
        help="database of jobs, conversations and API keys; unset, files in the index's folder",
    )
    wait: int = setting(10, parse_int(0, 3600), env="BOOKWISE_WAIT", help="seconds to wait for a locked index")
    max_delete: int = setting(
        50,
        parse_int(0, 100),
        env="BOOKWISE_MAX_DELETE",
        help="maximum percentage of a book that a run may delete without --allow-delete",
    )

"""Settings of the index on disk."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import Secret, number, secret, setting, text

STATE_FILE, STATE_AUTO, STATE_QDRANT = ".ingestion_state.json", "auto", "qdrant"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """Where the embedded index, the records and the databases lie, and what guards them."""

    directory: str = setting(
        ".bookwise", text, env="BOOKWISE_DIRECTORY", help="folder of the embedded index and the cache"
    )
    state: str = setting(
        STATE_FILE,
        text,
        env="BOOKWISE_STATE",
        help="state file; `qdrant` keeps the records on the server, `auto` too unless the file is there",
    )
    database_url: Secret | None = setting(
        None,
        secret,
        env="DATABASE_URL",
        in_file=False,
        help="job ledger, conversations and API keys, files in the index's folder unless set",
    )
    wait: int = setting(10, number(0, 3600), env="BOOKWISE_WAIT", help="seconds to wait for an index in use")
    max_delete: int = setting(
        50, number(0, 100), env="BOOKWISE_MAX_DELETE", help="percent of a book's files a run may delete unasked"
    )

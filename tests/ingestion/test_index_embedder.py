"""What is said where an index was made by another embedder than the chosen one."""

from __future__ import annotations

import pytest

from ingestion.factory import remedy_of
from ingestion.settings.loader import load_settings


@pytest.mark.parametrize(
    ("made_by", "says"),
    [
        ("text-embedding-3-small@512/2", "set OPENAI_API_KEY (this index was made by"),
        ("fastembed-0.7/BAAI/bge-small/1", "BOOKWISE_EMBEDDER=fastembed and OPENAI_EMBEDDING_MODEL=BAAI/bge-small ("),
        ("sentence-transformers-5.1/e5@256/1", "=sentence-transformers and OPENAI_EMBEDDING_MODEL=e5 ("),
        ("all-MiniLM-L6-v2-int8/2", "set BOOKWISE_EMBEDDER=local"),
    ],
)  # fmt: skip
def test_what_to_set_follows_from_what_made_the_index(made_by: str, says: str) -> None:
    assert says in remedy_of(load_settings({}, environ={}), made_by)

"""What a version in the name of an embedder means."""

from __future__ import annotations

import pytest

from ingestion.versions import same_model


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("all-MiniLM-L6-v2-int8/1", "all-MiniLM-L6-v2-int8/2", True),
        ("fastembed-0.7/BAAI/bge-small/1", "fastembed-0.7/BAAI/bge-small/2", True),
        ("fastembed-0.7/BAAI/bge-small/2", "fastembed-0.7/BAAI/bge-large/2", False),
        ("text-embedding-3-small", "text-embedding-3-large", False),
        ("text-embedding-3-small", "text-embedding-3-small", True),
    ],
)
def test_versions_of_one_model_are_ranked_together_and_other_models_are_not(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same

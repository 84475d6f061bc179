"""What databases hold is for their owner alone, whatever the umask, while they are open too."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

import numpy as np
import pytest

from ingestion.embedding.cache import EmbeddingCache
from ingestion.state.job_ledger import JobLedger
from rag.conversations.api_keys import KeyStore
from rag.conversations.database import ConversationDatabase

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")


def ledger(where: Path | str) -> AbstractContextManager[object]:
    made = JobLedger(where)
    made.queue("b", "full")
    return closing(made)


def cache(where: Path | str) -> AbstractContextManager[object]:
    made = EmbeddingCache(Path(where))
    made.put({"key": np.ones(3, np.float32)})
    return closing(made)


def keys(where: Path | str) -> AbstractContextManager[object]:
    made = ConversationDatabase(where)
    KeyStore(made).add("reader")
    return closing(made)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def loose_umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {file.name: oct(file.stat().st_mode & 0o777) for file in folder.glob("a.sqlite*")}


@pytest.mark.usefixtures("loose_umask")
@pytest.mark.parametrize("make", [ledger, cache, keys])
@pytest.mark.parametrize("by_url", [False, True])
def test_databases_are_for_their_owner_alone(
    tmp_path: Path, make: Callable[[Path | str], AbstractContextManager[object]], by_url: bool
) -> None:
    path = tmp_path / "deep" / "a.sqlite"
    if by_url and make is cache:
        pytest.skip("the cache has no URL")
    with make(f"sqlite:///{path}" if by_url else path):
        assert set(modes(path.parent).values()) == {"0o600"}
        if make in (cache, keys):
            assert {"a.sqlite-wal", "a.sqlite-shm"} <= modes(path.parent).keys()
    assert set(modes(path.parent).values()) == {"0o600"}


@pytest.mark.parametrize("make", [ledger, cache, keys])
def test_a_database_of_ours_that_others_could_read_is_closed_to_them(
    tmp_path: Path, make: Callable[[Path | str], AbstractContextManager[object]]
) -> None:
    path = tmp_path / "a.sqlite"
    with make(path):
        pass
    path.chmod(0o644)
    with make(path):
        assert set(modes(tmp_path).values()) == {"0o600"}

"""A key that may only read is enough to plan and to search; a run that would write says in one sentence why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.errors import ExitCode
from tests.support.books import page, write_book
from tests.support.command_line import PAGES, run
from tests.support.qdrant_access import token
from tests.support.qdrant_server import KEY, QdrantServer, running

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

READ = [{"collection": name, "access": "r"} for name in ("documentation", "documentation_state")]


@pytest.mark.parametrize("state", ["file", "qdrant"])
@pytest.mark.parametrize("key", ["reader", token(KEY, {"access": READ})], ids=["read-only", "scoped"])
def test_a_key_that_may_only_read(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch, key: str, state: str
) -> None:
    write_book(clean_surroundings / "docs", PAGES)
    at = ["--state", "qdrant"] if state == "qdrant" else ["--state", "records.json"]
    with running(QdrantServer(read_only_key="reader")) as server:
        monkeypatch.setenv("QDRANT_URL", server.url)
        monkeypatch.setenv("QDRANT_COLLECTION_NAME", "documentation")
        monkeypatch.setenv("QDRANT_API_KEY", KEY)
        assert run("ingest", "--book", "one", *at).exit_code == 0
        monkeypatch.setenv("QDRANT_API_KEY", key)
        assert "3 unchanged" in run("plan", "--book", "one", *at).stdout
        assert run("search", "late subscriber").exit_code == 0
        assert "3 unchanged" in run("ingest", "--book", "one", *at).stdout, "nothing to write"
        write_book(clean_surroundings / "docs", PAGES | {"new.md": page("New", "A page that came later.")})
        assert "1 new" in run("plan", "--book", "one", *at).stdout
        refused = run("ingest", "--book", "one", *at)
        assert refused.exit_code == ExitCode.VECTOR_STORE
        [sentence] = [line for line in refused.stderr.splitlines() if line.startswith("error: ")]
        assert "403" in sentence and "Traceback" not in refused.stderr

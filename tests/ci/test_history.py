"""Ten real changes of a documentation site go through the pull-request workflow, one after the other."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.ci.conftest import MakeRunner, Repository
from tests.ci.test_recipes import MAIN, PULL_REQUEST, event
from tests.support.openai_server import OpenAIServer
from tests.support.paths import SHARED

HISTORY = SHARED / "histories" / "otel-docs"
CHANGES = 10


def apply(repository: Repository, change: Path) -> str:
    """Commit one change on the branch of a pull request."""
    repository.commit({}, "change")
    arguments = ["git", "apply", "--directory=docs", str(change)]
    subprocess.run(arguments, cwd=repository.folder, check=True, capture_output=True)
    return repository.commit({}, "change")


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.timeout(900)
@pytest.mark.skipif(not HISTORY.is_dir(), reason="the history is not at hand")
def test_each_change_costs_only_what_is_new_in_it(repository: Repository, runner_for: MakeRunner) -> None:
    with tarfile.open(HISTORY / "base.tar.gz") as base:
        base.extractall(repository.folder / "docs", filter="data")
    # Asking questions embeds texts too; here only what the lessons cost is counted.
    config = '[book]\nid = "otel"\n'
    repository.commit({"bookwise.toml": config, "questions.jsonl": None})
    with OpenAIServer() as service:

        def run(commit: str, *, pull_request: bool, base: str = "") -> tuple[int, str]:
            runner = runner_for(commit, **(event(base) if pull_request else {}))
            runner.environ = runner.environ | {"OPENAI_BASE_URL": service.base_url, "BOOKWISE_EMBEDDER": "openai"}
            asked = sum(len(request.body["input"]) for request in service.requests)
            done = runner.run_job(*((PULL_REQUEST, "preview") if pull_request else (MAIN, "index")))
            assert done, runner.failures()
            texts = sum(len(request.body["input"]) for request in service.requests) - asked
            return texts, runner.summary

        first, _ = run(repository.head, pull_request=False)
        spent = []
        for change in sorted((HISTORY / "changes").glob("*.diff"))[:CHANGES]:
            base = repository.head
            commit = apply(repository, change)
            texts, summary = run(commit, pull_request=True, base=base)
            assert "to embed" in summary or "Nothing to do" in summary
            repository.merge("change")
            again, _ = run(repository.head, pull_request=False)
            spent.append((texts, again))
    assert first > 1000
    # Pages of a few kilobytes in a book of four megabytes: what a change costs has nothing to do with the book.
    assert sum(texts for texts, _ in spent) < first / 20

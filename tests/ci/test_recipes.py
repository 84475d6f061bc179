"""The recipes for CI do what they say, run step by step as a runner would run them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.conftest import MakeRunner, Repository
from tests.support.openai_server import OpenAIServer
from tests.support.paths import ROOT
from tests.support.workflow_runner import Runner

RECIPES = ROOT / "examples" / "ci"
MAIN = RECIPES / "github" / "main.yml"
PULL_REQUEST = RECIPES / "github" / "pull-request.yml"


def result_of(runner: Runner, step: str = "Run bookwise") -> dict[str, Any]:
    """The report of the run, as the step handed it over."""
    document: dict[str, Any] = json.loads(runner.result(step).outputs["result"])
    return document


def outcomes(runner: Runner) -> dict[str, str]:
    return {result.name: result.outcome for result in runner.results}


def changed(repository: Repository, branch: str = "change", **pages: str) -> str:
    return repository.commit({f"docs/{path.replace('__', '/')}.md": text for path, text in pages.items()}, branch)


def event(base: str, *, fork: bool = False) -> dict[str, Any]:
    return {
        "event_name": "pull_request",
        "ref": "refs/pull/7/merge",
        "ref_name": "7/merge",
        "head_ref": "change",
        "base_ref": "main",
        "event": {
            "pull_request": {"base": {"sha": base}, "head": {"repo": {"fork": fork}}},
            "repository": {"default_branch": "main"},
        },
    }


@pytest.fixture
def indexed(repository: Repository, runner_for: MakeRunner) -> str:
    """The commit of main, whose index lies in the cache."""
    assert runner_for(repository.head).run_job(MAIN, "index")
    return repository.head


def test_main_indexes_verifies_measures_and_publishes(repository: Repository, runner_for: MakeRunner) -> None:
    runner = runner_for(repository.head)
    assert runner.run_job(MAIN, "index"), runner.failures()
    report = result_of(runner)
    assert (report["files"]["new"], report["total_files"]) == (3, 3), "docs/ is the book, not the whole repository"
    assert outcomes(runner)["Verify"] == outcomes(runner)["Measure"] == "success"
    artifact = runner.storage / "artifacts" / "bookwise-index"
    assert (artifact / ".bookwise").is_dir() and (artifact / ".ingestion_state.json").is_file()
    assert "3 new" in runner.summary


@pytest.mark.parametrize("crlf", [False, True])
def test_a_second_checkout_embeds_nothing_with_either_line_ending(
    indexed: str, runner_for: MakeRunner, crlf: bool
) -> None:
    again = runner_for(indexed, crlf=crlf)
    assert again.run_job(MAIN, "index")
    assert b"\r\n" in (again.workspace / "docs/index.md").read_bytes() or not crlf
    assert result_of(again)["chunks"]["embedded"] == 0


def test_what_was_embedded_before_a_lesson_failed_is_not_paid_for_again(
    repository: Repository, runner_for: MakeRunner
) -> None:
    commit = repository.commit({"docs/ros2/bad.md": b"# Bad\n\n\xff\xfe is no UTF-8.\n"})
    failing = runner_for(commit)
    assert not failing.run_job(MAIN, "index")
    first = result_of(failing)
    assert [failure["path"] for failure in first["failures"]] == ["ros2/bad.md"]
    steps = outcomes(failing)
    assert {steps[name] for name in ("Save the index", "Verify", "Measure", "Publish as an artifact")} == {"success"}
    assert steps["Fail where lessons failed"] == "failure", "the job is red at its end"
    assert "ros2/bad.md" in failing.summary
    mended = runner_for(changed(repository, "main", ros2__bad="# Good\n\nNow it can be read.\n"))
    assert mended.run_job(MAIN, "index")
    assert (first["chunks"]["embedded"], result_of(mended)["chunks"]["embedded"]) == (3, 1)


def test_a_pull_request_is_shown_its_plan_its_mistakes_and_what_becomes_of_the_answers(
    repository: Repository, indexed: str, runner_for: MakeRunner
) -> None:
    commit = changed(
        repository,
        ros2__pump="# The pump\n\nThe pump is gone.\n",
        ros2__water="# Watering\n\nThe pump runs for ninety seconds.\n",
    )
    runner = runner_for(commit, **event(indexed))
    assert runner.run_job(PULL_REQUEST, "preview"), runner.failures()
    body = (runner.storage / "artifacts/bookwise-comment/comment/body.md").read_text(encoding="utf-8")
    assert "1 modified, 1 new" in body and "pages checked" in body
    assert "1 of 1 answers changed." in body and "How long does the pump run?" in body


def test_a_page_of_main_that_cannot_be_read_takes_no_answers_from_a_pull_request(
    repository: Repository, runner_for: MakeRunner
) -> None:
    base = repository.commit({"docs/ros2/bad.md": b"# Bad\n\n\xff\xfe is no UTF-8.\n"})
    commit = changed(repository, ros2__pump="# The pump\n\nThe pump is gone.\n")
    runner = runner_for(commit, **event(base))
    assert not runner.run_job(PULL_REQUEST, "preview"), "the check is red"
    body = (runner.storage / "artifacts/bookwise-comment/comment/body.md").read_text(encoding="utf-8")
    assert body.index("How long does the pump run?") < body.index("pages checked"), "the answers come first"
    assert "ros2/bad.md" in body and "UTF-8" in body, "what was left out, and why"
    assert "```mermaid" not in body


def test_a_pull_request_embeds_only_what_it_changes(
    repository: Repository, indexed: str, runner_for: MakeRunner
) -> None:
    commit = changed(repository, ros2__lamp="# The lamp\n\nThe lamp burns all night long now.\n")
    runner = runner_for(commit, **event(indexed))
    assert runner.run_job(PULL_REQUEST, "preview")
    assert result_of(runner)["chunks"]["embedded"] == 0, "the base comes from the cache of main"
    assert "**1 to embed**" in runner.summary


def test_a_fork_needs_no_secret_and_finds_none_in_its_environment(
    repository: Repository, indexed: str, runner_for: MakeRunner, tmp_path: Path
) -> None:
    commit = changed(repository, ros2__lamp="# The lamp\n\nSomebody else wrote this.\n")
    runner = runner_for(commit, secrets={}, **event(indexed))
    assert runner.run_job(PULL_REQUEST, "preview")
    workflow = yaml.safe_load(PULL_REQUEST.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}


def test_a_fork_of_a_book_with_a_paid_model_is_told_the_price_and_embeds_nothing(
    repository: Repository, runner_for: MakeRunner
) -> None:
    base = repository.commit({"bookwise.toml": '[book]\nid = "robots"\n'})
    with OpenAIServer() as service:
        paid = runner_for(base)
        paid.environ = paid.environ | {"OPENAI_BASE_URL": service.base_url, "BOOKWISE_EMBEDDER": "openai"}
        assert paid.run_job(MAIN, "index"), paid.failures()
        asked = len(service.requests)
    commit = changed(repository, ros2__lamp="# The lamp\n\nSomebody else wrote this.\n")
    fork = runner_for(commit, secrets={}, **event(base, fork=True))
    fork.environ = fork.environ | {"BOOKWISE_EMBEDDER": "openai"}
    assert fork.run_job(PULL_REQUEST, "preview"), fork.failures()
    assert asked and (outcomes(fork)["Plan"], outcomes(fork)["Check the lessons"]) == ("success", "success")
    body = (fork.storage / "artifacts/bookwise-comment/comment/body.md").read_text(encoding="utf-8")
    assert "**1 to embed**" in body and "$0.00" in body


def test_the_comment_is_made_by_a_workflow_that_runs_nothing_of_the_pull_request() -> None:
    workflow = yaml.safe_load((RECIPES / "github/pull-request-comment.yml").read_text(encoding="utf-8"))
    [job] = workflow["jobs"].values()
    uses = [step["uses"].split("@")[0] for step in job["steps"]]
    assert uses == ["actions/download-artifact", "actions/github-script"]
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}


def test_the_action_installs_from_the_lock_with_hashes(
    repository: Repository, runner_for: MakeRunner, tmp_path: Path
) -> None:
    runner_for(repository.head).run_job(MAIN, "index")
    first, second = (tmp_path / "pip.log").read_text().splitlines()
    assert "--require-hashes" in first and "requirements" in first
    assert second.endswith(str(ROOT)) and "--no-deps" in second and "--no-build-isolation" in second


def test_the_shell_recipe_keeps_its_index_between_jobs(
    repository: Repository, tools: dict[str, str], tmp_path: Path
) -> None:
    keep = tmp_path / "keep"

    def run(name: str) -> str:
        repository.check_out(tmp_path / name, "main")
        done = subprocess.run(
            [str(RECIPES / "index.sh")],
            cwd=tmp_path / name,
            env=tools | {"KEEP": str(keep)},
            capture_output=True,
            text=True,
            timeout=110,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "3 new" in run("first")
    assert "Nothing to do" in run("second")


def test_the_shell_recipe_indexes_the_other_lessons_where_one_fails(
    repository: Repository, tools: dict[str, str], tmp_path: Path
) -> None:
    repository.commit({"docs/ros2/bad.md": b"# Bad\n\n\xff\xfe is no UTF-8.\n"})
    repository.check_out(tmp_path / "checkout", "main")
    done = subprocess.run(
        [str(RECIPES / "index.sh")],
        cwd=tmp_path / "checkout",
        env=tools | {"KEEP": str(tmp_path / "keep")},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 3 and "3 new" in done.stdout and "ros2/bad.md" in done.stderr + done.stdout


@pytest.mark.parametrize("recipe", ["gitlab-ci.yml", "azure-pipelines.yml"])
def test_the_lines_of_other_services_run(
    repository: Repository, tools: dict[str, str], tmp_path: Path, recipe: str
) -> None:
    document = yaml.safe_load((RECIPES / recipe).read_text(encoding="utf-8"))
    if recipe.startswith("gitlab"):
        lines = [line for name in ("check the lessons", "index the lessons") for line in document[name]["script"]]
    else:
        steps = document["jobs"][0]["steps"]
        lines = [step["script"] for step in steps if "script" in step and "pip" not in step["script"]]
        # What Azure passes of a variable that nobody set.
        tools |= {"OPENAI_API_KEY": "$(OPENAI_API_KEY)", "QDRANT_URL": "$(QDRANT_URL)"}
        tools |= {"BUILD_ARTIFACTSTAGINGDIRECTORY": str(tmp_path)}
    repository.check_out(tmp_path / "checkout", "main")
    script = "\n".join(lines)
    done = subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=tmp_path / "checkout",
        env=tools,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "checkout/check.xml").is_file() and (tmp_path / "checkout/ingest.xml").is_file()


def test_two_runs_that_began_with_one_cached_index_both_leave_a_right_one(
    repository: Repository, indexed: str, runner_for: MakeRunner
) -> None:
    one = runner_for(changed(repository, "one", ros2__one="# One\n\nThe first change.\n"), ref_name="one")
    repository.commit({"docs/ros2/one.md": None}, "two")
    two = runner_for(changed(repository, "two", ros2__two="# Two\n\nThe second change.\n"), ref_name="two")
    assert one.run_job(MAIN, "index") and two.run_job(MAIN, "index")
    assert result_of(one)["total_files"] == result_of(two)["total_files"] == 4

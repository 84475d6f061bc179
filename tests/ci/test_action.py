"""The lines of the composite action, run by bash as a runner would: folders with blanks, inputs of several lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT
from tests.support.workflow_runner import fill

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are scripts for a POSIX shell")

STEPS = {
    step["name"]: step for step in yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
}
TOLD = """#!/usr/bin/env python3
import json, os, sys
print(json.dumps(sys.argv[1:]), file=open(os.environ["TOLD"], "a"))
sys.exit(int(os.environ.get("CODE", 0)))
"""


def run_step(folder: Path, name: str, **inputs: str) -> tuple[int, list[list[str]], str]:
    """Run one step with a stand-in for `bookwise`; returns its exit code, what it ran, and its outputs."""
    commands = folder / "bin"
    commands.mkdir(parents=True)
    (commands / "bookwise").write_text(TOLD, encoding="utf-8")
    (commands / "bookwise").chmod(0o755)
    outputs, told = folder / "out puts", folder / "told.jsonl"
    step = STEPS[name]
    environ = dict.fromkeys(step["env"], "") | {
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(outputs),
        "TOLD": str(told),
        "MODE": "incremental",
        "REPORT": str(folder / "my temp" / "bookwise-report"),
        "EVALUATION": str(folder / "evaluation.json"),
    }
    shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(shell, cwd=folder, env=environ | inputs, timeout=60, check=False)
    return done.returncode, [json.loads(line) for line in told.read_text().splitlines()], outputs.read_text()


def test_inputs_with_blanks_stay_one_argument(tmp_path: Path) -> None:
    _, [ran], outputs = run_step(tmp_path / "my book", "Run bookwise", DOCS="my docs", BOOK="my id", STRICT="true")
    assert ran[:2] == ["ingest", "my docs"]
    assert ran[ran.index("--book") + 1] == "my id"
    assert "--strict" in ran
    assert f"report={tmp_path / 'my book' / 'my temp' / 'bookwise-report.json'}\n" in outputs


@pytest.mark.parametrize(
    "arguments", ["--wait 60 --max-tokens 9", "--wait 60\n--max-tokens 9\n", " --wait  60\n\n --max-tokens\t9"]
)
def test_further_arguments_may_stand_on_several_lines(tmp_path: Path, arguments: str) -> None:
    _, [ran], _ = run_step(tmp_path, "Run bookwise", ARGUMENTS=arguments)
    assert ran[-4:] == ["--wait", "60", "--max-tokens", "9"]


def test_without_further_inputs_nothing_empty_is_passed(tmp_path: Path) -> None:
    _, [ran], _ = run_step(tmp_path, "Run bookwise", PLAN_ONLY="true")
    assert ran[:3] == ["plan", "--mode", "incremental"]
    assert "" not in ran


def test_the_exit_code_is_an_output_and_that_of_the_step(tmp_path: Path) -> None:
    code, _, outputs = run_step(tmp_path, "Run bookwise", CODE="3")
    assert code == 3
    assert "exit-code=3\n" in outputs


def test_questions_are_asked_with_the_recall_that_is_wanted(tmp_path: Path) -> None:
    code, [ran], outputs = run_step(
        tmp_path, "Ask the questions", QUESTIONS="my questions.jsonl", MIN_RECALL="0.9", CODE="12"
    )
    assert ran[:2] == ["eval", "my questions.jsonl"]
    assert ran[-2:] == ["--min-recall", "0.9"]
    assert code == 12
    assert outputs == f"evaluation={tmp_path / 'evaluation.json'}\n"


FORK, OWN = {"full_name": "stranger/book"}, {"full_name": "owner/book"}


@pytest.mark.parametrize(
    ("given", "event", "trusts"),
    [
        ("true", {}, True),
        ("false", {}, False),
        ("true", {"pull_request": {"head": {"repo": OWN}}}, True),
        ("true", {"pull_request": {"head": {"repo": FORK}}}, False),
        ("true", {"pull_request": {"head": {"repo": None}}}, False),
        ("true", {"workflow_run": {"head_repository": FORK}}, False),
        ("true", {"issue": {"pull_request": {"url": "x"}}}, False),
    ],
)
@pytest.mark.parametrize("step", ["Run bookwise", "Ask the questions"])
def test_a_book_is_trusted_on_the_repositorys_own_branches_only(
    step: str, given: str, event: dict[str, Any], trusts: bool
) -> None:
    context = {"inputs": {"trust-config": given}, "github": {"repository": "owner/book", "event": event}}
    assert fill(STEPS[step]["env"]["GIVEN_BOOKWISE_TRUST_CONFIG"], context) == ("1" if trusts else "")
    assert "BOOKWISE_TRUST_CONFIG" in STEPS[step]["run"]

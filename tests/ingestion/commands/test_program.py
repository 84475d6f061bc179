"""How a command ends: exit codes, one document for every error, closed pipes, full disks; and how help is grouped."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bookwise.command_line import app
from ingestion.commands.parsing.examples import EXAMPLES
from ingestion.commands.parsing.program import exit_code_of
from ingestion.errors import ExitCode, UsageError
from tests.support.command_line import run

ROOT = Path(__file__).parents[3]


def in_a_shell(script: str, *, folder: Path) -> subprocess.CompletedProcess[str]:
    command = f"bookwise() {{ {sys.executable} -c 'from bookwise.command_line import app; app()' \"$@\"; }}\n{script}"
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(clean_surroundings: Path) -> Path:
    """A current folder with one lesson."""
    (clean_surroundings / "docs").mkdir()
    (clean_surroundings / "docs" / "a.md").write_text("# A\n")
    return clean_surroundings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ingest", "--mode", "sideways"], "invalid --mode 'sideways': choose incremental, full or recreate"),
        (["search", "--tier", "7", "x"], "invalid --tier '7': choose a number from 1 to 4"),
        (["search", "--tier=7", "x"], "invalid --tier '7': choose a number from 1 to 4"),
        (["search"], "missing QUESTION"),
        (["search", "x", "--nope"], "no such option: --nope"),
        (["verfy", "x"], "no such command 'verfy'. Did you mean 'verify'?"),
        (["jobs", "show", "0"], "invalid ID: choose a number of 1 or more"),
        (["copy"], "missing --to"),
    ],
)
def test_usage_errors_name_the_flag_and_what_can_be_given(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0] == f"error: {message}" and "hint: see `bookwise" in result.stderr
    told = json.loads(run(*arguments, "--json").stdout)
    assert told == {"error": {"message": message, "kind": "usage", "exit_code": 2, "hint": told["error"]["hint"]}}
    assert "--help`" in told["error"]["hint"]


def test_an_error_of_a_command_has_the_same_shape(folder: Path) -> None:
    result = run("ingest", "nowhere", "--json")
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["exit_code"], error["kind"]) == (5, 5, "source")
    assert set(error) == {"message", "kind", "exit_code", "hint"}


def break_down() -> None:
    """A command with a bug."""
    raise ZeroDivisionError("one by zero")


def test_a_bug_is_one_document_too_and_its_traceback_goes_on() -> None:
    script = (
        "from tests.ingestion.commands.test_program import break_down, exit_code_of; "
        "exit_code_of(break_down, ['--json'])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)["error"]
    assert (done.returncode, told["kind"], told["exit_code"]) == (1, "bug", 1) and "ZeroDivisionError" in done.stderr
    with pytest.raises(ZeroDivisionError):
        exit_code_of(break_down, [])


def test_a_question_that_holds_json_is_no_flag(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> None:
        raise UsageError("no")

    assert exit_code_of(refuse, ["ask", "--", "--json"]) == ExitCode.USAGE
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's pipes")
@pytest.mark.parametrize("command", ["--help", "search --help", "crawl docs"])
def test_a_reader_that_leaves_ends_the_command_quietly(command: str, folder: Path) -> None:
    done = in_a_shell(f"bookwise {command} | true; echo ${{PIPESTATUS[0]}}", folder=folder)
    assert (done.stdout.strip(), done.stderr) == ("141", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", ["--help", "search --help", "crawl docs", "crawl docs --json"])
def test_a_full_disk_on_stdout_has_a_code_of_its_own(command: str, folder: Path) -> None:
    done = in_a_shell(f"bookwise {command} > /dev/full", folder=folder)
    assert (done.returncode, done.stderr) == (13, "error: cannot write the output: No space left on device\n")


def test_commands_and_filters_stand_in_groups() -> None:
    shown = run("--help").stdout
    titles = [line.rstrip(":") for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Options", "Index", "Ask", "Serve", "Manage"]
    search = run("search", "--help").stdout
    places = [search.index(each) for each in ("Filters:", "  --tier N", "Options:", "--ranking hybrid|dense|keyword")]
    assert places == sorted(places)


def test_every_line_of_the_list_of_commands_is_whole() -> None:
    listed = [line for line in run("--help").stdout.splitlines() if line.startswith("  ")]
    assert len(listed) > 20 and [line for line in listed if line.endswith("...")] == []


def test_help_is_a_command_and_a_flag() -> None:
    assert run("help").stdout == run("--help").stdout and run("help", "ask").stdout == run("ask", "--help").stdout
    assert run("help", "jobs", "show").stdout == run("jobs", "show", "--help").stdout
    assert run("help", "sing").exit_code == 2
    assert run("-V").stdout == run("--version").stdout


def test_shell_completion_can_be_installed() -> None:
    assert "--install-completion" in run("--help").stdout


def test_every_command_has_an_example_that_its_options_allow() -> None:
    root: Any = get_command(app)
    names = set()
    for name, command in _leaves(root):
        names.add(name)
        words = shlex.split(EXAMPLES[name])[len(name.split()) :]
        command.make_context(name, words, resilient_parsing=True)
        assert f"Example:\n  bookwise {EXAMPLES[name]}"[:60] in run(*name.split(), "--help").stdout
    assert names == EXAMPLES.keys()


def _leaves(root: Any) -> Iterator[tuple[str, Any]]:
    context = root.make_context("bookwise", [], resilient_parsing=True)
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        if command.hidden:
            continue
        inner = getattr(command, "commands", {})
        yield from ((f"{name} {each}", inner[each]) for each in inner)
        if not inner:
            yield name, command


def test_no_help_shows_a_type_of_the_program() -> None:
    for name in EXAMPLES:
        assert not re.search(r"<[a-z]+(?: range|\[\w+\])?>|<=x", run(*name.split(), "--help").stdout), name


@pytest.mark.parametrize("option", ["--json", "--tier"])
def test_an_option_before_its_command_is_told_where_it_goes(option: str) -> None:
    done = run(option, "search", "node")
    assert done.exit_code == 2 and f"`bookwise search {option} …`" in done.stderr

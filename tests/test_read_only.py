"""Commands on a folder that their user can read and not write, in a real process without the right to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingestion.errors import ExitCode
from tests.support.books import page, write_book
from tests.support.command_line import run
from tests.support.paths import ROOT
from tests.support.read_only import close_to_others, give_away

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")

COMMANDS = """
import json, sys
from typer.testing import CliRunner
from bookwise.command_line import app
done = [CliRunner().invoke(app, command) for command in json.loads(sys.argv[1])]
print(json.dumps([(each.exit_code, each.stdout, each.stderr) for each in done]))
"""


@dataclass(frozen=True)
class Reader:
    """Runs commands where `folder` cannot be written."""

    folder: Path
    prefix: Sequence[str]
    home: Path

    def run(self, *commands: Sequence[str]) -> list[tuple[int, str, str]]:
        environ = {**os.environ, "XDG_CACHE_HOME": str(self.home), "PYTHONPATH": str(ROOT)}
        command = [*self.prefix, sys.executable, "-P", "-c", COMMANDS, json.dumps(commands)]
        done = subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return [(code, out, err) for code, out, err in json.loads(done.stdout)]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A book that was indexed by its owner."""
    folder = tmp_path / "book"
    write_book(
        folder / "docs", {"module-1-ros2/01-one.md": page("Nodes", "A node talks to the robot's other nodes.")}
    )
    (folder / "bookwise.toml").write_text('[book]\nid = "robots"\n', encoding="utf-8")
    monkeypatch.chdir(folder)
    made = run("ingest")
    assert made.exit_code == 0, made.output
    monkeypatch.chdir(tmp_path)
    # Only its owner may read these; a disk that nobody writes, such as a layer of a container, shows them.
    for database in (folder / ".bookwise").glob("*.sqlite"):
        database.chmod(0o644)
    for above in (tmp_path, tmp_path.parent):
        above.chmod(0o755)
    return Reader(folder, give_away(folder), tmp_path / "cache")


@pytest.mark.slow
def test_every_command_that_reads_works_where_nothing_can_be_written(reader: Reader, tmp_path: Path) -> None:
    commands = [
        ["search", "robot"],
        ["ask", "What does a node talk to?"],
        ["chat"],
        ["info"],
        ["generations", "list"],
        ["lesson", "module-1-ros2/01-one.md"],
        ["export", str(tmp_path / "texts")],
        ["verify"],
        ["plan"],
        ["ingest", "--dry-run"],
        ["check"],
        ["crawl"],
        ["doctor"],
        ["jobs"],
        ["questions"],
        ["keys", "list"],
    ]
    done = reader.run(*commands)
    failed = [(command, each) for command, each in zip(commands, done, strict=True) if each[0] != 0]
    assert not failed
    assert "A node talks" in done[1][1]
    said = [err for _, _, err in done if "cannot be written" in err]
    assert len(said) == 1, "what the copy takes is said by the first command alone"


@pytest.mark.slow
def test_a_command_that_writes_says_that_the_index_cannot_be_written(reader: Reader) -> None:
    commands = [
        ["ingest"],
        ["ingest", "--mode", "recreate"],
        ["verify", "--repair"],
        ["delete-book", "robots", "--yes"],
        ["generations", "rollback"],
        ["generations", "drop", "--yes"],
    ]
    for command, (code, _, err) in zip(commands, reader.run(*commands), strict=True):
        assert code == ExitCode.VECTOR_STORE, (command, err)
        assert "cannot be written (Permission denied)" in err and "BOOKWISE_DIRECTORY" in err, command


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "commands", "code"),
    [
        (".bookwise", ["info", "search robot", "generations list"], ExitCode.VECTOR_STORE),
        (".bookwise", ["plan", "verify", "jobs", "questions", "keys list", "ingest"], ExitCode.STATE),
        (".bookwise/jobs.sqlite", ["jobs", "jobs show 1"], ExitCode.STATE),
        (".ingestion_state.json", ["info", "plan", "verify"], ExitCode.STATE),
        ("bookwise.toml", ["info", "check", "jobs"], ExitCode.CONFIGURATION),
        ("docs", ["plan", "check", "crawl", "ingest"], ExitCode.SOURCE),
    ],
)
def test_what_is_closed_to_this_user_is_named_with_who_can_read_it(
    reader: Reader, closed: str, commands: Sequence[str], code: ExitCode
) -> None:
    close_to_others(reader.folder / closed)
    done = reader.run(*(command.split() for command in commands), ["doctor"])
    for command, (ended, _, err) in zip(commands, done, strict=False):
        assert ended == code, (command, err)
        assert closed in err and "run this as its owner" in err, command
        assert "Traceback" not in err and "[Errno" not in err, command
    ended, out, err = done[-1]
    assert ended in (ExitCode.DONE, ExitCode.NOT_IN_STEP), err
    if closed != ".bookwise/jobs.sqlite":
        assert closed in out and "run this as its owner" in out


@pytest.mark.slow
def test_what_cannot_be_kept_is_refused_before_the_first_question(reader: Reader) -> None:
    for command in (["keys", "add", "me"], ["chat", "--session", "new"]):
        ((code, _, err),) = reader.run(command)
        assert code == ExitCode.STATE
        assert "cannot be written; set DATABASE_URL" in err

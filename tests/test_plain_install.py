"""What an installation without extras does, and what it says of the commands that need one."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingestion.extras import install_command
from tests.support.books import write_book
from tests.support.command_line import PAGES, QOS
from tests.support.paths import ROOT

LEFT_OUT = ("alembic", "filelock", "fsspec", "hf_xet", "huggingface_hub", "mako", "sqlalchemy", "tokenizers")
"""Packages of extras; some would come with others."""

SCRIPT = """
import contextlib, io, json, sys
left_out, runs = json.loads(sys.argv[1])
sys.modules |= dict.fromkeys(left_out)  # an import of one raises ModuleNotFoundError, as where it is not installed
from bookwise.command_line import app
ends = []
for arguments in runs:
    sys.stdin = io.StringIO("Who keeps the last message?\\n")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = app(arguments, standalone_mode=False)
    ends.append((code or 0, said.getvalue()))
print(json.dumps(ends))
"""


def ends_of(folder: Path, runs: Sequence[Sequence[str]], **environ: str) -> list[tuple[int, str]]:
    """Return the exit code of each command and what it wrote to stderr, without the packages of extras."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([LEFT_OUT, runs])],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    ends: list[Any] = json.loads(done.stdout)
    return [(code, said) for code, said in ends]


def test_commands_without_an_extra_import_no_package_of_one(tmp_path: Path) -> None:
    write_book(tmp_path / "docs", PAGES)
    question = {"question": "Who keeps the last message?", "answerable": True, "source_file": QOS}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    runs = [
        ["check"],
        ["plan"],
        ["ingest", "--book", "b"],
        ["verify", "--book", "b", "--vectors"],
        ["search", "last message"],
        ["ask", "Who keeps the last message for late subscribers?"],
        ["chat"],
        ["lesson", QOS],
        ["eval", "questions.jsonl"],
        ["doctor"],
        ["info"],
        ["jobs"],
        ["generations"],
        ["export", "out"],
        ["delete-book", "b", "--yes"],
    ]
    ends = ends_of(tmp_path, runs)
    assert {run[0]: end for run, end in zip(runs, ends, strict=True) if end[0] or "is not installed" in end[1]} == {}


def test_a_command_that_needs_an_extra_says_how_to_install_it(tmp_path: Path) -> None:
    write_book(tmp_path / "docs", PAGES)
    needing = {
        "api": (["keys"], ["keys", "add", "x"], ["questions"], ["serve"], ["chat", "--session", "new"]),
        "postgres": (["jobs"],),
    }
    assert [code for code, _ in ends_of(tmp_path, [["ingest", "--book", "b"]])] == [0]
    for extra, runs in needing.items():
        environ = {"DATABASE_URL": "postgresql+psycopg://127.0.0.1/x"} if extra == "postgres" else {}
        for run, (code, said) in zip(runs, ends_of(tmp_path, runs, **environ), strict=True):
            assert (code, install_command(extra) in said) == (4, True), (run, said)


def test_the_pinned_packages_of_a_plain_installation_have_none_of_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    names = {line.split("==")[0] for line in pinned if "==" in line} | {
        each.split(">=")[0] for each in project["dependencies"]
    }
    assert {name.replace("-", "_").lower() for name in names} & {*LEFT_OUT} == set()

"""Commands in a process that has only what Windows has of `os`, `signal` and the modules of POSIX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.books import page, write_book
from tests.support.paths import ROOT

# `uname` and `statvfs` stay: numpy and shutil use them wherever `sys.platform` says Linux.
COMMANDS = """
import asyncio, json, multiprocessing, os, signal, subprocess, sys, tempfile
from typer.testing import CliRunner
for name in ("O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC WNOHANG chown fchmod fchown fork getegid geteuid "
    "getgid getloadavg getpgid getuid killpg lchown mkfifo nice pread pwrite setsid sysconf").split():
    if hasattr(os, name):
        delattr(os, name)
for name in "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 alarm pthread_sigmask setitimer".split():
    if hasattr(signal, name):
        delattr(signal, name)
def kill(pid, number):
    raise AssertionError("on Windows os.kill with signal 0 is Ctrl-C, and with any other the end of a process")
os.kill = kill
sys.modules.update(dict.fromkeys(["grp", "pwd", "resource"]))
from bookwise.command_line import app
done = [CliRunner().invoke(app, command) for command in json.loads(sys.argv[1])]
print(json.dumps([(each.exit_code, each.output) for each in done]))
"""


LESSON = 'A node talks to other nodes.\n\n--8<-- "docs/module-1-ros2/part.txt"'


def run_without_posix(folder: Path, *commands: Sequence[str]) -> list[str]:
    write_book(
        folder / "docs",
        {
            "module-1-ros2/01-one.md": page(
                "Nodes", 'A node talks to other nodes.\n\n--8<-- "docs/module-1-ros2/part.txt"'
            ),
            "module-1-ros2/part.txt": "An executor runs the callbacks.",
        },
    )
    site = "site_name: Robots\nmarkdown_extensions: [pymdownx.snippets]\n"
    (folder / "mkdocs.yml").write_text(site, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMANDS, json.dumps(commands)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout)
    assert [code for code, _ in ended] == [0] * len(commands), ended
    return [output for _, output in ended]


def test_commands_that_read_lessons_need_nothing_of_posix(tmp_path: Path) -> None:
    run_without_posix(tmp_path, ["init", "--yes"], ["check"], ["crawl"], ["plan"], ["jobs"])


@pytest.mark.slow
def test_commands_on_an_index_need_nothing_of_posix(tmp_path: Path) -> None:
    outputs = run_without_posix(
        tmp_path,
        ["ingest"],
        ["search", "executor"],
        ["verify"],
        ["info"],
        ["jobs"],
        ["doctor"],
        ["generations", "list"],
    )
    assert "1 new" in outputs[0]
    assert "An executor runs the callbacks" in outputs[1]

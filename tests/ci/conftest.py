"""A repository with a small book, and runners for its workflows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT
from tests.support.workflow_runner import Runner

PAGES = {
    "docs/index.md": "# Robots\n\nWhat a robot is made of, and how its parts talk to each other.\n",
    "docs/ros2/pump.md": "# The pump\n\nThe pump runs for ninety seconds after each watering of the bed.\n",
    "docs/ros2/lamp.md": "# The lamp\n\nThe lamp burns from six in the morning until ten in the evening.\n",
    "README.md": "# Not a lesson\n\nOnly the folder `docs` is the book.\n",
    "questions.jsonl": json.dumps(
        {"id": "pump", "question": "How long does the pump run?", "answerable": True, "source_file": "ros2/pump.md"}
    ),
}


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, str]:
    """The environment of a runner: `bookwise` of this checkout, and a `pip` that only notes what it is asked for."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name, line in {
        "bookwise": f'exec "{sys.executable}" -P -c "import sys; sys.path.insert(0, \'{ROOT}\'); '
        'sys.argv[0] = \'bookwise\'; from bookwise.command_line import app; app()" "$@"',
        "python": f'if [ "$3" = pip ]; then echo "$@" >> "{tmp_path}/pip.log"; else exec "{sys.executable}" "$@"; fi',
    }.items():
        script = folder / name
        script.write_text(f"#!/bin/sh\n{line}\n")
        script.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    return {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8"}


class Repository:
    """A git repository whose commits runners check out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._git("init", "-q", "-b", "main")

    def commit(self, pages: Mapping[str, str | bytes | None], branch: str = "main") -> str:
        """Write the pages (None: remove) on a branch and return the commit."""
        self._git("checkout", "-q", "-B", branch)
        for path, text in pages.items():
            file = self.folder / path
            if text is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", "a change")
        return self._git("rev-parse", "HEAD").strip()

    def merge(self, branch: str) -> None:
        """Make main what the branch is."""
        self._git("checkout", "-q", "-B", "main", branch)

    @property
    def head(self) -> str:
        """The newest commit of main."""
        return self._git("rev-parse", "main").strip()

    def check_out(self, target: Path, commit: str, *, crlf: bool = False) -> None:
        """Lay a commit in a folder; what is there and no file of the commit stays, as without `clean`."""
        target.mkdir(parents=True, exist_ok=True)
        if not (target / ".git").exists():
            self._git("clone", "-q", "-n", str(self.folder), str(target / "x"))
            shutil.move(target / "x" / ".git", target / ".git")
            (target / "x").rmdir()
        self._git("-C", str(target), "config", "core.autocrlf", str(crlf).lower())
        self._git("-C", str(target), "fetch", "-q", "origin")
        self._git("-C", str(target), "checkout", "-q", "-f", commit)

    def _git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        return subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """The book in its first commit on main."""
    repository = Repository(tmp_path / "repository")
    repository.commit(PAGES)
    return repository


MakeRunner = Callable[..., Runner]


@pytest.fixture
def runner_for(tmp_path: Path, tools: dict[str, str], repository: Repository) -> MakeRunner:
    """Make a runner with an empty workspace that checks out this commit; caches are shared by all of them."""
    count = iter(range(100))

    def make(commit: str, *, crlf: bool = False, secrets: dict[str, str] | None = None, **github: Any) -> Runner:
        def checkout(target: Path, given: Mapping[str, Any]) -> None:
            repository.check_out(target, str(given.get("ref") or commit), crlf=crlf)

        number = next(count)
        return Runner(
            workspace=tmp_path / f"runner-{number}",
            storage=tmp_path / "storage",
            environ=tools,
            checkout=checkout,
            github={"run_id": str(1000 + number), "run_attempt": "1", "sha": commit} | github,
            secrets=secrets or {},
            actions={"OWNER/bookwise": ROOT},
        )

    return make

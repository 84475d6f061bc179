"""Other people's tools, such as site generators and API clients, installed once outside of the tests' environment.

A folder of tests names them in its `package.json` and `requirements.txt`; `.tools/` at the root of the checkout holds
what was installed. Where they cannot be had (no npm, no network), the tests that need them are skipped and say so.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import ROOT

FOLDER = ROOT / ".tools"
BUILD_SECONDS = 600


def run(command: list[str], folder: Path) -> str:
    """Run a tool; fails the test with what it printed."""
    environ = os.environ | {
        "CI": "1",
        "JEKYLL_NO_BUNDLER_REQUIRE": "true",
        "NO_COLOR": "1",
        "NO_UPDATE_NOTIFIER": "1",
        "DOCUSAURUS_NO_PERSISTENT_CACHE": "1",
    }
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    if done.returncode:
        pytest.fail(f"{' '.join(command)} exited {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


@cache
def node_modules(tests: Path) -> Path:
    """The node modules that a folder of tests names; skips the test where npm or a registry is not at hand."""
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm is not at hand")
    wanted = tests / "package.json"
    folder = FOLDER / tests.name / "node"
    with _alone(folder):
        if not _is_made(folder, wanted):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            shutil.copy(wanted, folder)
            _install([npm, "install", "--no-audit", "--no-fund", "--no-package-lock"], folder)
            _mark(folder, wanted)
    return folder / "node_modules"


@cache
def _python_tools(tests: Path) -> Path:
    wanted = tests / "requirements.txt"
    folder = FOLDER / tests.name / "python"
    with _alone(folder):
        if not _is_made(folder, wanted):
            shutil.rmtree(folder, ignore_errors=True)
            _install([sys.executable, "-m", "venv", str(folder)], tests)
            _install([str(folder / "bin/python"), "-m", "pip", "install", "-q", "-r", str(wanted)], tests)
            _mark(folder, wanted)
    return folder / "bin"


def python_tool(tests: Path, name: str) -> str:
    """A command from PyPI that a folder of tests names; skips the test where it is not to be had for this machine."""
    tool = _python_tools(tests) / name
    if not tool.exists():
        pytest.skip(f"{name} is not at hand")
    return str(tool)


def system_tool(name: str) -> str:
    """A generator of the machine's own; skips the test where it has none."""
    tool = shutil.which(name)
    if not tool:
        pytest.skip(f"{name} is not at hand")
    return tool


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Tests run side by side: one process looks and installs, the others wait for it."""
    import fcntl

    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    if done.returncode:
        pytest.skip(f"cannot be installed here: {' '.join(command)}: {done.stderr.strip()[-300:]}")


def _is_made(folder: Path, wanted: Path) -> bool:
    mark = folder / ".made"
    return mark.is_file() and mark.read_text() == _hash(wanted)


def _mark(folder: Path, wanted: Path) -> None:
    (folder / ".made").write_text(_hash(wanted))


def _hash(wanted: Path) -> str:
    return hashlib.sha256(wanted.read_bytes()).hexdigest()

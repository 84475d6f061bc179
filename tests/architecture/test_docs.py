"""What the program says of itself: help of every command, the changelog, the package."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bookwise.command_line import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LOCKS = ("requirements.lock", "requirements-server.lock", "requirements-dev.lock")
PROGRAM: Any = get_command(app)
COMMANDS = {name: PROGRAM.get_command(None, name) for name in PROGRAM.list_commands(None)}


def pins_of(name: str) -> dict[str, str]:
    """Return the pinned version of each package, with what it holds for."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pins = (line.removesuffix("\\").split(";")[0].strip().partition("==") for line in lines if "==" in line[:80])
    return {package.split("[")[0]: version for package, _, version in pins if package and package[0].isalnum()}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(name: str) -> None:
    command = COMMANDS[name]
    assert command.help and command.help.strip().endswith((".", "(exit 10)."))
    assert all(parameter.help for parameter in command.params if parameter.param_type_name == "option")


def test_a_command_imports_no_other_command() -> None:
    code = (
        "import sys; from bookwise.command_line import app; sys.argv = ['bookwise', 'jobs', '-h']\n"
        "try: app()\nexcept SystemExit: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "ingestion.commands.jobs" in loaded
    assert not {"ingestion.commands.plan", "rag.commands.ask", "ingestion.commands.watch"} & set(loaded)


def test_the_readme_fits_on_two_screens() -> None:
    assert len(README.encode()) <= 8 * 1024


def test_the_changelog_has_an_entry_for_what_is_built() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert all(f"`bookwise {name}`" in changelog or f"`{name}`" in changelog for name in COMMANDS)


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_by_hash_and_names_no_registry(name: str) -> None:
    lock = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in lock and "index-url" not in lock and "--hash=sha256:" in lock


def test_what_the_demo_installs_holds_no_tool_of_the_tests_and_the_same_versions() -> None:
    runtime, server, every = (pins_of(name) for name in LOCKS)
    assert not {"pytest", "mypy", "ruff", "hypothesis", "playwright", "schemathesis", "fastapi"} & runtime.keys()
    assert runtime.items() <= every.items() and server.items() <= every.items()
    assert len(runtime) <= len(every) / 2 and {"fastapi", "mcp", "psycopg", "redis"} <= server.keys()


def test_the_server_image_copies_what_the_wheel_is_built_from() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert all((ROOT / name).exists() for name in names)
    assert names == {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert {"bookwise", "ingestion", "rag", "pyproject.toml"} <= names


def test_everything_the_wheel_needs_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(project["tool"]["setuptools"]["packages"])
    on_disk = {
        folder.relative_to(ROOT).as_posix().replace("/", ".")
        for top in ("bookwise", "ingestion", "rag")
        for folder in (ROOT / top, *(ROOT / top).rglob("*"))
        if (folder / "__init__.py").is_file() or (folder.is_dir() and {"static", "mermaid"} & {*folder.parts})
    }
    assert packages == on_disk


def test_contributing_names_only_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:bookwise|docs|ingestion|rag|scripts|tests)/[\w./-]*)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []
    table = text.split("### Where do I change …?")[1].split("###")[0]
    assert table.count("\n| ") >= 17
    assert text.count("- **A ") == 5


def test_what_make_quick_runs_is_there() -> None:
    made = (ROOT / "Makefile").read_text(encoding="utf-8").split("QUICK := ")[1].split("\n\n")[0]
    named = re.findall(r"tests/[\w/.]+(?=[\s)]|$)", made.replace("tests/ingestion/,", ""))
    assert len(named) >= 4 and all((ROOT / path).exists() for path in named)

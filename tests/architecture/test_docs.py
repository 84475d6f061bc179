"""What the program says of itself: help of every command, the changelog, the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(name: str) -> None:
    command = COMMANDS[name]
    assert command.help and command.help.strip().endswith((".", "(exit 10)."))
    assert all(parameter.help for parameter in command.params if parameter.param_type_name == "option")


def test_the_readme_fits_on_two_screens() -> None:
    assert len(README.encode()) <= 8 * 1024


def test_the_changelog_has_an_entry_for_what_is_built() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert all(f"`bookwise {name}`" in changelog or f"`{name}`" in changelog for name in COMMANDS)


def test_no_lock_or_manifest_names_a_registry() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in lock and "index-url" not in lock and "--hash=sha256:" in lock


def test_everything_the_wheel_needs_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(project["tool"]["setuptools"]["packages"])
    on_disk = {
        folder.relative_to(ROOT).as_posix().replace("/", ".")
        for top in ("bookwise", "ingestion", "rag")
        for folder in (ROOT / top, *(ROOT / top).rglob("*"))
        if (folder / "__init__.py").is_file() or (folder.is_dir() and "static" in folder.parts)
    }
    assert packages == on_disk

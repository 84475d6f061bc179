"""The README says what the program does: every command, every setting, every exit code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from cli import app
from ingestion import errors
from ingestion.settings import FIELDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


def settings_table() -> str:
    """The README's table of settings, made from the settings themselves."""
    rows = ["| `bookwise.toml` | environment | default | meaning |", "| --- | --- | --- | --- |"]
    for name, each in FIELDS.items():
        toml, env = name if each.metadata["in_file"] else "", each.metadata["env"]
        default = "" if each.default in (None, "", ()) else f"`{each.default}`"
        names = [f"`{source}`" if source else "" for source in (toml, env)]
        rows.append(f"| {names[0]} | {names[1]} | {default} | {each.metadata['help']} |")
    return "\n".join(rows)


def test_the_table_of_settings_is_that_of_the_program() -> None:
    assert settings_table() in README, settings_table()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_and_an_example_in_the_readme(name: str) -> None:
    command = COMMANDS[name]
    assert command.help and command.help.strip().endswith((".", "(exit 10)."))
    assert f"bookwise {name}" in README
    assert all(parameter.help for parameter in command.params if parameter.param_type_name == "option")


def test_every_exit_code_of_an_error_is_explained() -> None:
    codes = {
        each.exit_code for each in vars(errors).values() if isinstance(each, type) and hasattr(each, "exit_code")
    }
    shown = {
        int(code) for code in re.findall(r"(?:^|\| )(\d+)(?:, (\d+))?(?= \|)", README, re.M) for code in code if code
    }
    assert codes <= shown


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
        for top in ("ingestion", "rag")
        for folder in (ROOT / top, *(ROOT / top).rglob("*"))
        if (folder / "__init__.py").is_file() or (folder.is_dir() and "static" in folder.parts)
    }
    assert packages == on_disk

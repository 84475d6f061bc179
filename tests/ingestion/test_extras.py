"""A hint for a missing extra is the command of the tool that installed bookwise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingestion.extras import install_command
from tests.support.paths import ROOT


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [
        ("uv-receipt.toml", "[tool]\n", "uv tool install 'bookwise[api]'"),
        ("pipx_metadata.json", "{}", "pipx install --force 'bookwise[api]'"),
        ("pyvenv.cfg", "home = /usr/bin\nuv = 0.9.1\n", "uv pip install 'bookwise[api]'"),
        ("pyvenv.cfg", "home = /usr/bin\nprompt = uv\n", "pip install 'bookwise[api]'"),
        ("other", "", "pip install 'bookwise[api]'"),
    ],
)
def test_the_command_follows_how_bookwise_was_installed(tmp_path: Path, file: str, text: str, command: str) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert install_command("api", tmp_path) == command


def test_a_run_without_installing_is_repeated_with_the_extra(tmp_path: Path) -> None:
    assert install_command("mcp", tmp_path / "archive-v0" / "3fb1c") == "uvx --from 'bookwise[mcp]' bookwise"


def test_no_message_names_pip_itself() -> None:
    files = [path for top in ("ingestion", "rag", "bookwise") for path in (ROOT / top).rglob("*.py")]
    saying = [path.name for path in files if re.search(r"pip install '", path.read_text(encoding="utf-8"))]
    assert saying == []

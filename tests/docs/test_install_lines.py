"""Install lines lead to this project: until it is published, whoever registers its name would be installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.paths import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
ADDRESS = f"git+https://github.com/OWNER/bookwise@v{VERSION}"
FILES = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "reference" not in path.parts),
    *sorted(path for path in (ROOT / "examples/ci").rglob("*") if path.is_file()),
]
INSTALL = re.compile(r"(?:uv tool|pipx|uv pip|pip) install[^`\n#]*\bbookwise\b[^`\n#]*")
LINES = sorted({found[0].strip() for file in FILES for found in INSTALL.finditer(file.read_text(encoding="utf-8"))})


def test_each_install_line_names_where_the_project_is() -> None:
    assert len(LINES) > 4
    assert [line for line in LINES if ADDRESS not in line] == []


def test_each_use_of_the_action_names_this_version() -> None:
    texts = [file.read_text(encoding="utf-8") for file in FILES]
    uses = [found for text in texts for found in re.findall(r"OWNER/bookwise@v([\d.]*\d)", text)]
    assert set(uses) == {VERSION}
    assert f"rev: v{VERSION}" in (ROOT / "docs/guides/ci.md").read_text(encoding="utf-8")
    assert not any("owner/bookwise" in text for text in texts)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("line", [line for line in LINES if "pipx" not in line])
def test_an_install_line_installs_bookwise_from_a_clone(line: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{ROOT}", str(clone)], check=True)
    line = line.replace(ADDRESS, f"git+file://{clone}")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    tools = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "venv/bin")}
    environ = os.environ | tools | {"PATH": f"{tmp_path}/venv/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-ec", line], check=True, env=environ, capture_output=True, cwd=tmp_path)
    done = subprocess.run(
        [str(tmp_path / "venv/bin/bookwise"), "--version"], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout == f"bookwise {VERSION}\n"

"""Install lines lead to this project: until it is published, whoever registers its name would be installed."""

from __future__ import annotations

import re
import tomllib

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

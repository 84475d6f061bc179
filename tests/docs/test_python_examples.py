"""Every Python example of the guide runs as it stands, over the sample book."""

from __future__ import annotations

import importlib.util
import re
import shutil
import warnings
from pathlib import Path

import pytest

from tests.support.paths import ROOT

GUIDE = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"<!-- run-python(?:: ([\w.]+))? -->\n```python\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "examples" / "physical-ai", home / "my-book", ignore=shutil.ignore_patterns(".*"))
    return home


def test_every_python_fence_of_the_guide_is_run() -> None:
    assert len(EXAMPLES) == GUIDE.count("```python") >= 5


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs_and_shows_something(
    home: Path, number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needs, code = EXAMPLES[number]
    if needs and importlib.util.find_spec(needs.split(".")[0]) is None:
        pytest.skip(f"{needs} is not installed")
    monkeypatch.chdir(home)
    with warnings.catch_warnings():
        if needs:
            warnings.simplefilter("ignore")  # of its own dependencies
        exec(compile(code, f"example {number}", "exec"), {"__name__": "__main__"})
    assert len(capsys.readouterr().out) > 20

"""Setting one table of a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.settings.toml_editor import set_table

VALUES = {"model": "m/1", "weights": [1.0, -2.5], "levels": [0.1]}


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# mine\n[book]\nid = 'x'  # the id\n",
        "[confidence]\npolicy = 'auto'\nweights = [0.0]\n# kept\n\n[book]\nid = 'x'\n",
        "a = 1",
    ],
)
def test_one_table_is_set_and_all_else_stays(tmp_path: Path, before: str) -> None:
    path = tmp_path / "bookwise.toml"
    path.write_text(before, encoding="utf-8")
    set_table(path, "confidence", VALUES)
    after = path.read_text(encoding="utf-8")
    wanted = tomllib.loads(before)
    assert tomllib.loads(after) == wanted | {"confidence": wanted.get("confidence", {}) | VALUES}
    kept = [line for line in before.split("\n") if line.strip() and not line.startswith("weights")]
    assert all(line in after.split("\n") for line in kept)
    set_table(path, "confidence", VALUES)
    assert path.read_text(encoding="utf-8") == after


def test_a_missing_file_is_made(tmp_path: Path) -> None:
    set_table(tmp_path / "new.toml", "confidence", VALUES)
    assert tomllib.loads((tmp_path / "new.toml").read_text(encoding="utf-8")) == {"confidence": VALUES}


@pytest.mark.parametrize(
    "before", ["[confidence\n", "confidence = { policy = 'auto' }\n", "[confidence]\nweights = [\n  1.0,\n]\n"]
)
def test_a_file_that_cannot_be_edited_line_by_line_stays_as_it_is(tmp_path: Path, before: str) -> None:
    path = tmp_path / "bookwise.toml"
    path.write_text(before, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"bookwise\.toml"):
        set_table(path, "confidence", VALUES)
    assert path.read_text(encoding="utf-8") == before

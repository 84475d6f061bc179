"""What the configuration of a Hugo site says, in one file or in several."""

from __future__ import annotations

from pathlib import Path

from ingestion.source.generators.hugo.config import facts_of, read


def test_a_file_of_parameters_adds_to_those_of_the_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "_default"
    folder.mkdir(parents=True)
    (folder / "hugo.yaml").write_text(
        "baseURL: https://x.example\nparams:\n  repo: &repo https://r.example\n  edit: *repo\n"
    )
    (folder / "params.yaml").write_text("version: v2\n")
    (folder / "menus.yaml").write_text("- name: first\n")
    site = read(tmp_path, folder / "hugo.yaml")
    assert dict(facts_of(site).params) == {"repo": "https://r.example", "edit": "https://r.example", "version": "v2"}

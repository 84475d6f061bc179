"""A damaged file of the embedded engine ends in an error of ours that names the index, and a new one can be built."""

from __future__ import annotations

import os

import pytest

from ingestion.vector_stores.edge.generations import EdgeGenerations
from tests.support.vector_points import SCHEMA, build_index, index_directory, open_in_child


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["edge_config.json", "version.info", "config.json", "quantized.config.json", "status.dat", "first-index"]
)
def test_a_truncated_engine_file_is_opened_without_it_or_refused_by_name(name: str) -> None:
    with index_directory() as directory:
        build_index(directory)
        damaged = sorted(path for path in directory.rglob(name) if path.is_file() and path.stat().st_size)
        assert damaged, "the engine keeps a file of this name"
        for path in damaged:
            os.truncate(path, path.stat().st_size // 3)
        child = open_in_child(directory)
        assert child.returncode == 0, child.stderr
        assert child.stdout.startswith("opened") or str(directory) in child.stdout, child.stdout
        build_index(directory)
        assert EdgeGenerations(directory).active().schema == SCHEMA

"""The suite that runs on a Qdrant server: on the one that the environment names, else on the contract server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.qdrant.operator import Operator
from tests.support.real_qdrant import Target, any_target


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """The server; what a test module made there is deleted at its end."""
    with any_target() as target:
        yield target


@pytest.fixture
def operator(target: Target, tmp_path: Path) -> Operator:
    """Somebody with a book and a command line, whose collection nobody else uses."""
    return Operator(target, tmp_path)

"""The surroundings of every test: nothing of the machine that runs it."""

import os
from pathlib import Path

import pytest

from tests.conftest import SETTINGS_PREFIXES


@pytest.fixture(scope="module", autouse=True)
def settings_of_the_machine() -> object:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("BOOKWISE_BOOK", "OPENAI_API_KEY", "QDRANT_URL", "AGENT_TOP_K", "DATABASE_URL"):
            patch.setenv(name, "from the machine")
        yield


def test_no_setting_of_the_machine_reaches_a_test() -> None:
    assert [name for name in os.environ if name.startswith(SETTINGS_PREFIXES)] == []


def test_the_current_folder_is_empty() -> None:
    assert list(Path.cwd().iterdir()) == []

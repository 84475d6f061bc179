"""Every test starts without settings of the machine, in an empty current folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SETTINGS_PREFIXES = ("BOOKWISE_", "OPENAI_", "QDRANT_", "AGENT_", "DATABASE_URL")

# A test run must not depend on luck or on how busy the machine is. The fixture below stays the same for all
# examples of one test, which is why hypothesis' warning about that is off.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=50,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def empty_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the current folders of all tests lie; pytest's own numbered ones cost more with each test."""
    return tmp_path_factory.mktemp("current")


@pytest.fixture(autouse=True)
def clean_surroundings(monkeypatch: pytest.MonkeyPatch, empty_folders: Path) -> Path:
    """No settings in the environment or of the user, and an empty current folder."""
    for name in list(os.environ):
        if name.startswith(SETTINGS_PREFIXES):
            monkeypatch.delenv(name)
    folder = Path(tempfile.mkdtemp(dir=empty_folders))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(empty_folders / "configuration"))
    monkeypatch.setenv("APPDATA", str(empty_folders / "configuration"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(empty_folders / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(empty_folders / "cache"))
    return folder


@pytest.fixture(scope="session")
def cases() -> Path:
    """Byte-exact inputs of faults met in practice, one folder a case."""
    return Path(__file__).parent / "cases"


@pytest.fixture(scope="session")
def index_of_the_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the book and its index, made once and copied by the tests that need one."""
    from tests.support.command_line import PAGES, index_book

    return index_book(tmp_path_factory.mktemp("indexed"), PAGES)

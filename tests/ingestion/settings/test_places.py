"""Where a book's configuration is found, and what its paths are relative to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingestion.factory import generations_of, states_of
from ingestion.settings.loader import load, load_settings
from ingestion.settings.places import find_config, user_cache, user_config
from ingestion.state.state_file import StateFile


def book_at(folder: Path, text: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bookwise.toml").write_text(text, encoding="utf-8")
    return folder / "bookwise.toml"


def test_the_nearest_book_above_is_found_and_named_from_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book_at(tmp_path / "library")
    book_at(tmp_path / "library" / "course")
    inside = tmp_path / "library" / "course" / "docs" / "part"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert find_config(Path()) == Path("../../bookwise.toml")
    assert find_config(inside) == tmp_path / "library" / "course" / "bookwise.toml"
    monkeypatch.chdir(tmp_path / "library")
    assert find_config(Path("course")) == Path("course/bookwise.toml")
    assert find_config(Path()) == Path("bookwise.toml")


def test_the_search_ends_at_the_root_of_the_repository(tmp_path: Path) -> None:
    book_at(tmp_path)
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "repository" / "docs").mkdir()
    assert find_config(tmp_path / "repository" / "docs") is None
    book_at(tmp_path / "repository")
    assert find_config(tmp_path / "repository" / "docs") == tmp_path / "repository" / "bookwise.toml"


def test_the_search_ends_at_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book_at(tmp_path)
    home = tmp_path / "me"
    (home / "notes").mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: home)
    assert find_config(home / "notes") is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives folders away")
def test_the_search_ends_where_folders_belong_to_someone_else(tmp_path: Path) -> None:
    book_at(tmp_path)
    (tmp_path / "mine" / "docs").mkdir(parents=True)
    os.chown(tmp_path / "mine", 12345, -1)
    os.chown(tmp_path / "mine" / "docs", 12345, -1)
    assert find_config(tmp_path / "mine" / "docs") is None


def test_paths_of_the_book_are_relative_to_it_and_those_of_flags_to_the_current_folder(tmp_path: Path) -> None:
    config = book_at(tmp_path / "course", '[book]\ndocs = "lessons"\n[index]\nstate = "records.json"\n')
    loaded = load({"trust.config": True}, config=config, environ={})
    course = tmp_path / "course"
    assert loaded.settings.folder == course
    assert Path(loaded.settings.book.docs) == course / "lessons"
    assert Path(loaded.settings.index.state) == course / "records.json"
    assert Path(loaded.settings.index.directory) == course / ".bookwise"
    flagged = load_settings(
        {"book.docs": "elsewhere"}, config=config, environ={"BOOKWISE_DIRECTORY": "kept", "BOOKWISE_STATE": "auto"}
    )
    assert (flagged.book.docs, flagged.index.directory, flagged.index.state) == ("elsewhere", "kept", "auto")


def test_the_users_own_configuration_is_below_the_books_and_above_the_defaults(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "own"), "APPDATA": str(tmp_path / "own")}
    own = user_config(environ)
    assert own is not None
    own.parent.mkdir(parents=True)
    own.write_text('[chunk]\ntokens = 107\n[agent]\nmodel = "mine"\n', encoding="utf-8")
    config = book_at(tmp_path / "book", "[chunk]\ntokens = 103\n")
    loaded = load({}, config=config, environ=environ)
    assert (loaded.settings.chunk.tokens, loaded.settings.agent.model) == (103, "mine")
    assert (loaded.sources["agent.model"], loaded.sources["agent.timeout"]) == (str(own), "default")
    assert loaded.sources["chunk.tokens"] == str(config)


def test_what_can_be_made_again_lies_in_the_cache_folder_of_the_system(tmp_path: Path) -> None:
    own = {"XDG_CACHE_HOME": str(tmp_path / "own"), "LOCALAPPDATA": str(tmp_path / "own"), "HOME": "/home/me"}
    assert user_cache(own) == tmp_path / "own" / "bookwise"
    assert user_cache({}) is None
    if os.name != "nt":
        assert user_cache({"HOME": "/home/me"}) == Path("/home/me/.cache/bookwise")


def test_a_dotenv_beside_the_book_is_read_from_any_folder_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = book_at(tmp_path / "book")
    (tmp_path / "book" / ".env").write_text("BOOKWISE_BOOK=named\n", encoding="utf-8")
    (tmp_path / "book" / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "book" / "docs")
    assert load_settings({}, config=config, environ={}).book.id == "named"


def test_a_state_chosen_by_itself_is_the_file_beside_the_book(tmp_path: Path) -> None:
    config = book_at(tmp_path / "book")
    (tmp_path / "book" / ".ingestion_state.json").write_text("{}", encoding="utf-8")
    settings = load_settings(
        {}, config=config, environ={"BOOKWISE_STATE": "auto", "QDRANT_URL": "http://127.0.0.1:1"}
    )
    states = states_of(settings, generations_of(settings))
    assert isinstance(states, StateFile)
    assert states.path == tmp_path / "book" / ".ingestion_state.json"

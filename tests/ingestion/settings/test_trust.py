"""What the files of a book may decide: neither where the user's keys go, nor what is read and written elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.settings import Settings
from ingestion.settings.loader import load_settings
from ingestion.settings.places import user_config
from ingestion.settings.validators import Secret

KEY = "sk-very-secret-1234567890-1234567890-1234567890"
PAIRS = [
    ("OPENAI_API_KEY", "OPENAI_BASE_URL", "[openai]\nbase_url", "openai"),
    ("QDRANT_API_KEY", "QDRANT_URL", "[qdrant]\nurl", "qdrant"),
    ("BOOKWISE_RERANK_API_KEY", "BOOKWISE_RERANK_URL", "[rerank]\nurl", "rerank"),
]
EVIL = "https://evil.example/v1"

pairs = pytest.mark.parametrize(("key", "address", "toml", "table"), PAIRS)


def book(toml: str = "", dotenv: str = "") -> Path:
    Path("bookwise.toml").write_text(toml, encoding="utf-8")
    if dotenv:
        Path(".env").write_text(dotenv, encoding="utf-8")
    return Path("bookwise.toml")


def key_of(settings: Settings, table: str) -> Secret:
    key = getattr(settings, table).api_key
    assert isinstance(key, Secret)
    return key


def commit(*names: str) -> None:
    for command in (["init", "-q"], ["add", "-f", *names]):
        subprocess.run(["git", *command], check=True)


@pairs
def test_a_key_of_the_environment_goes_to_no_host_that_the_book_chose(
    key: str, address: str, toml: str, table: str
) -> None:
    settings = load_settings({}, config=book(f'{toml} = "{EVIL}"\n'), environ={key: KEY})
    with pytest.raises(ConfigurationError) as caught:
        key_of(settings, table).reveal()
    said = str(caught.value)
    assert "evil.example" in said and address in said and "--trust-config" in said and KEY not in said


@pairs
def test_the_same_in_a_dotenv_that_git_tracks(key: str, address: str, toml: str, table: str) -> None:
    config = book(dotenv=f"{address}={EVIL}\n")
    assert key_of(load_settings({}, config=config, environ={key: KEY}), table).reveal() == KEY
    commit(".env")
    with pytest.raises(ConfigurationError):
        key_of(load_settings({}, config=config, environ={key: KEY}), table).reveal()


@pairs
def test_the_same_in_a_tracked_dotenv_of_the_current_folder(
    key: str, address: str, toml: str, table: str, tmp_path: Path
) -> None:
    (tmp_path / "bookwise.toml").touch()
    Path(".env").write_text(f"{address}={EVIL}\n", encoding="utf-8")
    commit(".env")
    with pytest.raises(ConfigurationError):
        key_of(load_settings({}, config=tmp_path / "bookwise.toml", environ={key: KEY}), table).reveal()


@pairs
def test_a_host_that_the_user_or_the_keys_own_source_named_gets_it(
    key: str, address: str, toml: str, table: str
) -> None:
    config = book(f'{toml} = "{EVIL}"\n')
    assert key_of(load_settings({}, config=config, environ={key: KEY, address: EVIL}), table).reveal() == KEY
    flag = f"{table}.{'base_url' if table == 'openai' else 'url'}"
    assert key_of(load_settings({flag: EVIL}, config=config, environ={key: KEY}), table).reveal() == KEY
    tracked = book(dotenv=f"{address}={EVIL}\n{key}={KEY}\n")
    commit(".env")
    assert key_of(load_settings({}, config=tracked, environ={}), table).reveal() == KEY


@pairs
def test_the_user_can_allow_a_host_a_book_or_one_run(
    key: str, address: str, toml: str, table: str, tmp_path: Path
) -> None:
    config = book(f'{toml} = "{EVIL}"\n')
    environ = {key: KEY, "XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)}
    assert key_of(load_settings({"trust.config": True}, config=config, environ=environ), table).reveal() == KEY
    allowed = environ | {"BOOKWISE_TRUST_CONFIG": "1"}
    assert key_of(load_settings({}, config=config, environ=allowed), table).reveal() == KEY
    own = user_config(environ)
    assert own is not None
    own.parent.mkdir(parents=True)
    for text in ('hosts = ["evil.example"]', f"folders = ['{Path.cwd()}']"):
        own.write_text(f"[trust]\n{text}\n", encoding="utf-8")
        assert key_of(load_settings({}, config=config, environ=environ), table).reveal() == KEY


def test_no_file_of_a_book_can_allow_itself() -> None:
    with pytest.raises(ConfigurationError, match="only your own configuration, the environment or a flag may set it"):
        load_settings({}, config=book('[trust]\nhosts = ["evil.example"]\n'), environ={})
    with pytest.raises(ConfigurationError, match=r"BOOKWISE_TRUST_CONFIG \(.env\): only your own"):
        load_settings({}, config=book(dotenv="BOOKWISE_TRUST_CONFIG=1\n"), environ={})


@pytest.mark.parametrize(
    "toml",
    [
        '[book]\ndocs = "../../secret"\n',
        '[book]\ndocs = "/etc"\n',
        '[index]\ndirectory = "../elsewhere"\n',
        '[index]\nstate = "/tmp/state.json"\n',
        '[book]\ndocs = "link"\n',
    ],
)
def test_a_book_leads_to_no_folder_outside_of_it(toml: str, tmp_path: Path) -> None:
    Path("link").symlink_to(tmp_path)
    with pytest.raises(ConfigurationError, match="outside of the book's folder"):
        load_settings({}, config=book(toml), environ={})
    assert load_settings({"trust.config": True}, config=book(toml), environ={})


def test_the_user_may_name_any_folder(tmp_path: Path) -> None:
    settings = load_settings({"book.docs": "/etc"}, config=book(), environ={"BOOKWISE_DIRECTORY": str(tmp_path)})
    assert (settings.book.docs, settings.index.directory) == ("/etc", str(tmp_path))

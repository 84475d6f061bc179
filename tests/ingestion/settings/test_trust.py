"""What the files of a book may decide: neither where the user's keys go, nor what is read and written elsewhere."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.file_owner import Owner, owner_of_file
from ingestion.settings import FIELDS, Settings, value_of
from ingestion.settings.loader import load, load_settings
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


MAY_SET = {
    *("modules", "embedding.model", "embedding.dimensions"),
    *("page.questions", "page.disclaimer", "page.colour", "page.logo"),
    *(name for name in FIELDS if name.partition(".")[0] in ("book", "crawl", "check", "chunk", "confidence")),
}
"""What a book may set, written down once more: a setting that is added is the user's unless it is here too."""

CHOSEN: Mapping[str, object] = {
    "embedding.model": "text-embedding-3-large",
    "chunk.max_tokens": 6000,
    "api.limits": {"rate": 7},
    "book.addresses": {"trailing_slash": True},
    "confidence.fitted": {"model": "m/1"},
    "embedding.limits": {"in_flight": 7},
    "qdrant.client": {"timeout": 7},
}


def raw_value(name: str) -> object:
    """A value that the setting takes and that is not its default."""
    tried: list[object] = [
        *([CHOSEN[name]] if name in CHOSEN else []),
        *("a-word", "https://evil.example/v1", "127.0.0.1:9", "0.5", "60", "6000", 7, 0.5, True, False),
        *(["a-word"], [0.1, 0.2, 0.3], [0.1] * 7, ["10.0.0.0/8"], {"a": 1}, [{"name": "a"}], __file__),
        *(
            "spec",
            "physical-ai",
            "tiktoken",
            "local",
            "int8",
            "json",
            "ur",
            "text-embedding-3-large",
            "#0c6660",
            "a.svg",
        ),
    ]
    for raw in tried:
        with suppress(ValueError, TypeError, AttributeError):
            if FIELDS[name].metadata["read"](raw) not in (FIELDS[name].default, None):
                return raw
    raise AssertionError(f"no value for {name}: add one")


def toml_of(name: str, raw: object) -> str:
    table, _, key = name.rpartition(".")
    if isinstance(raw, dict):
        return f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in raw.items())
    if raw == [{"name": "a"}]:
        return '[[modules]]\nname = "a"\n'
    return f"[{table}]\n{key} = {json.dumps(raw)}\n"


@pytest.mark.parametrize("name", [name for name, field in FIELDS.items() if field.metadata["in_file"]])
def test_a_book_sets_what_is_listed_and_nothing_else(name: str, caplog: pytest.LogCaptureFixture) -> None:
    raw = raw_value(name)
    config = book(toml_of(name, raw))
    loaded = load({}, config=config, environ={})
    assert (loaded.sources[name] != "default") == (name in MAY_SET)
    if name not in MAY_SET:
        [line] = [record.getMessage() for record in caplog.records]
        assert line.startswith(f"{name} ({config}) is ignored: a book cannot set it") and "--trust-config" in line
        assert value_of(loaded.settings, name) == value_of(load_settings({}, environ={}), name)


@pytest.mark.parametrize("name", [name for name, field in FIELDS.items() if field.metadata["env"]])
def test_a_dotenv_that_git_tracks_sets_no_more_than_that(name: str, caplog: pytest.LogCaptureFixture) -> None:
    variable, raw = FIELDS[name].metadata["env"], raw_value(name)
    written = ",".join(map(str, raw)) if isinstance(raw, list) else json.dumps(raw) if isinstance(raw, dict) else raw
    config = book(dotenv=f"{variable}='{written}'\n")
    commit(".env")
    sources = load({}, config=config, environ={}).sources
    assert (sources[name] != "default") == (name in MAY_SET)
    if name not in MAY_SET:
        assert [record.getMessage().split(" is ignored")[0] for record in caplog.records] == [f"{variable} (.env)"]


def test_a_book_names_only_models_whose_price_is_known() -> None:
    config = book('[embedding]\nmodel = "./model"\ndimensions = 512\n')
    settings = load_settings({}, config=config, environ={})
    assert (settings.embedding.model, settings.embedding.dimensions) == ("text-embedding-3-small", 512)


def test_what_a_book_may_not_set_is_not_read_either(caplog: pytest.LogCaptureFixture) -> None:
    load_settings({}, config=book('[index]\nwait = "soon"\n'), environ={})
    assert "index.wait (bookwise.toml) is ignored" in caplog.text


@pytest.mark.parametrize("allowed", ["flag", "environment", "folder"])
def test_a_book_that_the_user_trusts_sets_everything(allowed: str, tmp_path: Path) -> None:
    config = book(f'[openai]\nbase_url = "{EVIL}"\n[index]\nwait = 3\n')
    environ = {"OPENAI_API_KEY": KEY, "XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)}
    flags = {"trust.config": True} if allowed == "flag" else {}
    if allowed == "environment":
        environ["BOOKWISE_TRUST_CONFIG"] = "1"
    elif allowed == "folder":
        own = user_config(environ)
        assert own is not None
        own.parent.mkdir(parents=True)
        own.write_text(f"[trust]\nfolders = ['{Path.cwd()}']\n", encoding="utf-8")
    settings = load_settings(flags, config=config, environ=environ)
    assert settings.index.wait == 3 and settings.openai.base_url == EVIL
    assert key_of(settings, "openai").reveal() == KEY


@pairs
def test_a_key_of_the_environment_goes_to_no_host_that_a_dotenv_of_unknown_hand_names(
    key: str, address: str, toml: str, table: str
) -> None:
    settings = load_settings({}, config=book(dotenv=f"{address}={EVIL}\n"), environ={key: KEY})
    with pytest.raises(ConfigurationError) as caught:
        key_of(settings, table).reveal()
    said = str(caught.value)
    assert "evil.example" in said and address in said and "--trust-config" in said and KEY not in said


@pairs
def test_its_own_key_goes_to_the_address_of_the_service_or_of_the_user(
    key: str, address: str, toml: str, table: str
) -> None:
    config = book(dotenv=f"{key}={KEY}\n")
    assert key_of(load_settings({}, config=config, environ={}), table).reveal() == KEY
    assert key_of(load_settings({}, config=config, environ={address: EVIL}), table).reveal() == KEY
    both = key_of(load_settings({}, config=book(dotenv=f"{key}={KEY}\n{address}={EVIL}\n"), environ={}), table)
    if table == "openai":
        with pytest.raises(ConfigurationError, match=r"evil\.example"):
            both.reveal()
    else:
        assert both.reveal() == KEY


@pairs
def test_a_dotenv_that_git_leaves_out_is_the_users(key: str, address: str, toml: str, table: str) -> None:
    config = book(dotenv=f"{address}={EVIL}/${{SUFFIX}}\n{key}={KEY}\n")
    commit("bookwise.toml")
    settings = load_settings({}, config=config, environ={})
    assert key_of(settings, table).reveal() == KEY


def test_git_is_asked_in_the_repository_around_the_book_and_not_in_one_that_its_files_make_up() -> None:
    for name, text in {
        "HEAD": "ref: refs/heads/main\n",
        "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n",
        "objects/x": "",
        "refs/x": "",
        ".env": f"OPENAI_BASE_URL={EVIL}\n",
        "bookwise.toml": "",
    }.items():
        Path("book", name).parent.mkdir(parents=True, exist_ok=True)
        Path("book", name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], check=True)
    blob = subprocess.run(
        ["git", "hash-object", "-w", "book/.env"], check=True, capture_output=True, text=True
    ).stdout.strip()
    subprocess.run(["git", "update-index", "--add", "--cacheinfo", f"100644,{blob},book/.env"], check=True)
    assert owner_of_file(Path("book/.env")) is Owner.BOOK
    settings = load_settings({}, config=Path("book/bookwise.toml"), environ={"OPENAI_API_KEY": KEY})
    assert settings.openai.base_url is None


def test_a_dotenv_whose_name_git_tracks_in_another_case_is_the_books() -> None:
    Path(".ENV").write_text("", encoding="utf-8")
    commit(".ENV")
    assert owner_of_file(Path(".env")) is Owner.BOOK
    assert owner_of_file(Path("other")) is Owner.USER


def test_no_file_of_a_book_can_allow_itself() -> None:
    assert load_settings({}, config=book("[trust]\nfolders = ['/']\n"), environ={}).trust.folders == ()
    assert not load_settings({}, config=book(dotenv="BOOKWISE_TRUST_CONFIG=1\n"), environ={}).trust.config


def test_a_setting_of_an_earlier_release_stops_nothing(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    own = user_config({"XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)})
    assert own is not None
    own.parent.mkdir(parents=True)
    own.write_text('[trust]\nhosts = ["qdrant.example"]\n', encoding="utf-8")
    load_settings({}, environ={"XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)})
    assert "trust.hosts" in caplog.text and "trust.folders" in caplog.text


@pytest.mark.parametrize(
    "toml",
    [
        '[book]\ndocs = "../../secret"\n',
        '[book]\ndocs = "/etc"\n',
        '[book]\ndocs = "link"\n',
    ],
)
def test_a_book_leads_to_no_folder_outside_of_it(toml: str, tmp_path: Path) -> None:
    Path("link").symlink_to(tmp_path)
    with pytest.raises(ConfigurationError, match="outside the book's folder"):
        load_settings({}, config=book(toml), environ={})
    assert load_settings({"trust.config": True}, config=book(toml), environ={})


@pytest.mark.parametrize("name", ["docs", ".bookwise", ".ingestion_state.json"])
def test_neither_does_a_link_at_the_place_of_a_default(name: str, tmp_path: Path) -> None:
    Path(name).symlink_to(tmp_path)
    with pytest.raises(ConfigurationError, match=r"\(default\).* is outside the book's folder"):
        load_settings({}, config=book(), environ={})
    assert load_settings({"trust.config": True}, config=book(), environ={})


def test_the_user_may_name_any_folder(tmp_path: Path) -> None:
    settings = load_settings({"book.docs": "/etc"}, config=book(), environ={"BOOKWISE_DIRECTORY": str(tmp_path)})
    assert (settings.book.docs, settings.index.directory) == ("/etc", str(tmp_path))

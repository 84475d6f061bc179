"""Where settings come from, which source wins, and that every mistake is named at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import ConfigurationError
from ingestion.settings import FIELDS, Settings
from ingestion.settings.loader import load_settings
from ingestion.settings.validators import Module, Secret

SECRET = "sk-very-secret-1234567890-1234567890-1234567890"


def write_toml(text: str, folder: Path | None = None) -> Path:
    path = (folder or Path.cwd()) / "bookwise.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def mistakes_of(
    flags: dict[str, Any], config: Path | None = None, environ: dict[str, str] | None = None
) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(flags, config=config, environ=environ or {})
    head, *lines = str(caught.value).split("\n")
    assert head == "settings:"
    return [line.strip() for line in lines]


def test_without_any_source_the_defaults_hold() -> None:
    settings = load_settings({}, environ={})
    assert settings == Settings()
    assert (settings.qdrant.collection, settings.agent.model, settings.agent.top_k) == ("bookwise", "gpt-4o-mini", 5)
    assert settings.index.state == ".ingestion_state.json"


def test_each_source_beats_those_below_it() -> None:
    config = write_toml("[chunk]\ntokens = 102\n")
    environ = {"BOOKWISE_CHUNK_TOKENS": "104"}
    assert load_settings({}, environ={}).chunk.tokens == 400
    assert load_settings({}, config=config, environ={}).chunk.tokens == 102
    Path(".env").write_text("BOOKWISE_CHUNK_TOKENS=103\n")
    assert load_settings({}, config=config, environ={}).chunk.tokens == 103
    assert load_settings({}, config=config, environ=environ).chunk.tokens == 104
    assert load_settings({"chunk.tokens": 106}, config=config, environ=environ).chunk.tokens == 106


def test_each_setting_is_taken_from_its_own_best_source() -> None:
    config = write_toml('[book]\nid = "toml"\ntitle = "T"\n[qdrant]\ncollection = "toml"\n')
    Path(".env").write_text("BOOKWISE_BOOK=dotenv\nBOOKWISE_STATE=dotenv.json\n")
    settings = load_settings({"book.docs": "flagged"}, config=config, environ={"QDRANT_COLLECTION_NAME": "env"})
    assert (settings.book.id, settings.book.title, settings.qdrant.collection) == ("dotenv", "T", "env")
    assert (settings.book.docs, Path(settings.index.state)) == ("flagged", config.parent / "dotenv.json")


def test_a_flag_that_is_not_given_and_an_empty_variable_count_as_unset() -> None:
    Path(".env").write_text("OPENAI_MODEL=\n")
    settings = load_settings({"agent.model": None}, environ={"OPENAI_MODEL": ""})
    assert settings.agent.model == "gpt-4o-mini"


def test_the_environment_of_the_process_is_read_unless_another_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKWISE_BOOK", "from-process")
    assert load_settings({}).book.id == "from-process"
    assert load_settings({}, environ={}).book.id is None


@pytest.mark.parametrize(
    "variable",
    [
        "OPENAI_API_KEY",
        "OPENAI_MODEL",
        "OPENAI_BASE_URL",
        "QDRANT_URL",
        "QDRANT_API_KEY",
        "QDRANT_COLLECTION_NAME",
        "AGENT_TOP_K",
        "AGENT_SCORE_THRESHOLD",
        "AGENT_MAX_TURNS",
        "BOOKWISE_BOOK",
        "BOOKWISE_EMBEDDER",
    ],
)
def test_the_names_of_the_specifications_are_kept(variable: str) -> None:
    assert variable in {field.metadata["env"] for field in FIELDS.values()}


def test_every_setting_has_a_source_and_a_help_text_and_no_two_share_a_name() -> None:
    variables = [field.metadata["env"] for field in FIELDS.values() if field.metadata["env"]]
    assert len(variables) == len(set(variables))
    assert all(field.metadata["help"] for field in FIELDS.values())
    assert all(field.metadata["env"] or field.metadata["in_file"] for field in FIELDS.values())


def test_all_mistakes_are_named_at_once_each_with_its_source() -> None:
    folder = Path.cwd() / "environment"
    config = write_toml('[chunk]\ntokens = "many"\nmax_tokens = -1\n[nonsense]\nkey = 1\n', folder)
    Path(".env").write_text("BOOKWISE_EMBEDDER=cloud\n")
    mistakes = mistakes_of({"index.max_delete": 101}, config, {"AGENT_TOP_K": "0", "QDRANT_URL": "localhost:6333"})
    assert sorted(line for line in mistakes if not line.startswith("nonsense")) == [
        "AGENT_TOP_K (environment): 0 is not between 1 and 100",
        "BOOKWISE_EMBEDDER (.env): 'cloud' is not valid: "
        "choose auto, local, openai, fastembed or sentence-transformers",
        "QDRANT_URL (environment): is not an http:// or https:// address",
        f"chunk.max_tokens ({config}): -1 is not between 50 and 8191",
        f"chunk.tokens ({config}): 'many' is not a whole number",
        "index.max_delete (flag): 101 is not between 0 and 100",
    ]
    (unknown,) = [line for line in mistakes if line.startswith("nonsense")]
    assert unknown.startswith(f"nonsense.key ({config}): unknown setting; known are agent.answer_tokens,")


def test_a_wrong_value_is_not_replaced_by_that_of_a_lower_source() -> None:
    config = write_toml("[agent]\ntop_k = 2\n")
    assert mistakes_of({}, config, {"AGENT_TOP_K": "lots"}) == [
        "AGENT_TOP_K (environment): 'lots' is not a whole number"
    ]


def test_the_target_size_of_a_chunk_may_not_pass_its_limit() -> None:
    assert mistakes_of({"chunk.tokens": 600}) == ["chunk.tokens is larger than chunk.max_tokens"]


@pytest.mark.parametrize("text", ["[book\n", 'id = "a"\nid = "b"\n'])
def test_a_broken_config_is_named_beside_other_mistakes(text: str) -> None:
    config = write_toml(text)
    broken, other = mistakes_of({}, config, {"AGENT_TOP_K": "x"})
    assert broken.startswith(f"{config}: cannot be read: ")
    assert other.startswith("AGENT_TOP_K")


def test_files_that_are_not_utf8_are_named() -> None:
    config = Path("bookwise.toml")
    config.write_bytes(b'[book]\nid = "caf\xe9"\n')
    Path(".env").write_bytes(b"OPENAI_API_KEY=" + SECRET.encode() + b"\xe9\n")
    second, first = mistakes_of({}, config)
    assert first.startswith("bookwise.toml: cannot be read: ")
    assert second == ".env: cannot be read as UTF-8"


def test_a_config_saved_with_a_byte_order_mark_is_read() -> None:
    assert load_settings({}, config=write_toml('\ufeff[book]\nid = "b"\n'), environ={}).book.id == "b"


def test_secrets_never_show() -> None:
    settings = load_settings({}, environ={"OPENAI_API_KEY": SECRET, "QDRANT_API_KEY": SECRET})
    assert settings.openai.api_key is not None and settings.openai.api_key.reveal() == SECRET
    for shown in (repr(settings), str(settings), f"{settings.openai.api_key}", f"{[settings.qdrant.api_key]}"):
        assert SECRET not in shown and "Secret(***)" in shown


@pytest.mark.parametrize(
    ("environ", "toml"),
    [
        ({"OPENAI_API_KEY": " "}, ""),
        ({"QDRANT_URL": f"ftp://user:{SECRET}@host"}, ""),
        ({"QDRANT_URL": f"http://user:{SECRET}@host:port"}, ""),
        ({"OPENAI_BASE_URL": f"http://user:{SECRET}@ho\u2100st"}, ""),
        ({"OPENAI_BASE_URL": f"http://[{SECRET}"}, ""),
        ({}, f'[openai]\napi_key = "{SECRET}"\n'),
        ({}, f'openai_api_key = "{SECRET}"\n[qdrant]\napi_key = "{SECRET}'),
    ],
)
def test_no_message_repeats_a_secret(environ: dict[str, str], toml: str) -> None:
    mistakes = mistakes_of({}, write_toml(toml), environ)
    assert mistakes
    assert SECRET not in "".join(mistakes)


def test_a_secret_has_no_place_in_the_config_file() -> None:
    (mistake,) = mistakes_of({}, write_toml(f'[openai]\napi_key = "{SECRET}"\n'))
    assert mistake.startswith("openai.api_key") and "unknown setting" in mistake


def test_modules_are_read_with_all_their_keys() -> None:
    config = write_toml(
        '[[modules]]\nname = "ros2"\ntitle = "ROS 2"\npath = "module-1"\naliases = ["robots"]\n'
        'hardware_tier = 2\nproficiency_level = "B1"\nlayer = "L2"\n[[modules]]\nname = "vla"\naliases = "vision"\n'
    )
    assert load_settings({}, config=config, environ={}).modules == (
        Module(
            name="ros2",
            title="ROS 2",
            path="module-1",
            aliases=("robots",),
            hardware_tier=2,
            proficiency_level="B1",
            layer="L2",
        ),
        Module(name="vla", aliases=("vision",)),
    )


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('[[modules]]\ntitle = "x"\n', "a module without a name"),
        ('[[modules]]\nname = "a"\ncolour = "x"\n', "unknown key colour; known are name,"),
        ('[[modules]]\nname = "a"\nhardware_tier = 5\n', "5 is not between 1 and 4"),
        ('[[modules]]\nname = "a"\nlayer = "L9"\n', "'L9' is not valid: choose L1, L2, L3 or L4"),
        ('[[modules]]\nname = "a"\n[[modules]]\nname = "b"\naliases = ["a"]\n', "used for more than one module: a"),
        ('modules = ["a"]\n', "is not a list of tables, write [[modules]]"),
        ('[book]\npaths = ["{modul}/x"]\n', "unknown {modul}; known are {module} {chapter} {lesson}"),
        ("[book]\npaths = 3\n", "3 is not a list of text"),
        ('[book]\ntiers = ["a", "b", "c", "d", "e"]\n', "names 5 tiers, there are 4"),
        ("[book]\nid = 3\n", "3 is not text"),
        ('[book]\nid = " "\n', "' ' is not text"),
        ('[crawl]\ntranslations = "maybe"\n', "'maybe' must be true or false"),
        ("[chunk]\ntokens = true\n", "True is not a whole number"),
        ("[chunk]\ntokens = 400.5\n", "400.5 is not a whole number"),
        ("[agent]\nscore_threshold = 1.5\n", "1.5 is not between 0 and 1"),
        ("[agent]\nscore_threshold = nan\n", "nan is not between 0 and 1"),
        ("[agent]\nscore_threshold = true\n", "True is not a number"),
    ],
)
def test_a_wrong_value_says_what_is_wrong(toml: str, message: str) -> None:
    (mistake,) = mistakes_of({"trust.config": True}, write_toml(toml))
    assert message in mistake


@pytest.mark.parametrize(("raw", "value"), [("true", True), ("YES", True), ("1", True), ("off", False), ("0", False)])
def test_switches_are_read_in_the_spellings_of_shells(raw: str, value: bool) -> None:
    assert FIELDS["crawl.translations"].metadata["read"](raw) is value


def test_addresses_lose_their_trailing_slash_and_texts_their_spaces() -> None:
    settings = load_settings(
        {"book.id": " b ", "book.base_url": "https://x.example/docs/", "book.paths": "a/*"}, environ={}
    )
    assert (settings.book.id, settings.book.base_url, settings.book.paths) == (
        "b",
        "https://x.example/docs",
        ("a/*",),
    )


def test_rules_of_the_check_command_can_be_turned_off() -> None:
    config = write_toml('[check]\ndisable = ["stub-page"]\n')
    assert load_settings({}, config=config, environ={}).check.disable == ("stub-page",)


def test_equal_secrets_are_equal_settings() -> None:
    assert Secret("a") == Secret("a") != Secret("b")

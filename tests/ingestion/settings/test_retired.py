"""Settings of earlier releases: their values count where they live now, and one sentence says where that is."""

from __future__ import annotations

import logging
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from ingestion.settings import FIELDS, Settings
from ingestion.settings.loader import load_settings
from ingestion.settings.retired import GONE, MOVED, VARIABLES

OWN = """
[api]
rate = 7
[embedding]
request_inputs = 9
[confidence]
model = "m/1"
[qdrant]
grpc = true
shards = 3
hnsw_m = 8
quantization = "int8"
payload_on_disk = false
in_flight = 4
[qdrant.options]
shard_number = 5
"""


def user_settings(folder: Path, text: str, **environ: str) -> Settings:
    folder.mkdir(exist_ok=True)
    (folder / "bookwise").mkdir(exist_ok=True)
    (folder / "bookwise" / "config.toml").write_text(text, encoding="utf-8")
    return load_settings({}, environ=environ | {"XDG_CONFIG_HOME": str(folder), "APPDATA": str(folder)})


def test_values_of_an_older_file_count_where_they_live_now(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = user_settings(tmp_path, OWN)
    assert (settings.api.limits.rate, settings.api.limits.read_rate) == (7, 600)
    assert settings.embedding.limits.request_inputs == 9
    assert settings.confidence.fitted.model == "m/1"
    assert settings.qdrant.client.prefer_grpc is True
    assert settings.qdrant.options == {
        "shard_number": 5,
        "hnsw_config": {"m": 8},
        "quantization_config": {"scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}},
        "on_disk_payload": False,
    }
    said = [record.getMessage() for record in caplog.records]
    file = tmp_path / "bookwise" / "config.toml"
    assert f"api.rate ({file}) has moved to api.limits.rate and still works; please move it" in said
    assert (
        f"qdrant.in_flight ({file}) is no longer a setting and is ignored: two write requests run at a time" in said
    )
    assert len(said) == 9


def test_an_older_variable_counts_too_and_leaves_the_rest_of_a_table(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = "[api.limits]\nread_rate = 11\n[qdrant.options]\nshard_number = 3\n"
    settings = user_settings(tmp_path, file, BOOKWISE_API_RATE="12", BOOKWISE_QDRANT_REPLICAS="2")
    assert (settings.api.limits.rate, settings.api.limits.read_rate) == (12, 11)
    assert settings.qdrant.options == {"shard_number": 3, "replication_factor": 2}
    assert "api.rate (environment) has moved to api.limits.rate" in caplog.text


def test_every_moved_setting_names_a_place_that_there_is_and_none_is_a_setting_still() -> None:
    entries = {f"{name}.{each.name}" for name, field in FIELDS.items() for each in entries_of(field.default)}
    places = {place for place in MOVED.values() if not place.startswith("qdrant.options.")}
    assert places <= entries
    assert not (MOVED.keys() | GONE.keys()) & FIELDS.keys()
    assert not VARIABLES.keys() & {field.metadata["env"] for field in FIELDS.values()}


def entries_of(default: object) -> tuple[object, ...]:
    return fields(default) if is_dataclass(default) and not isinstance(default, type) else ()


def test_a_book_may_not_set_what_moved_either(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    config = tmp_path / "bookwise.toml"
    config.write_text("[api]\nrate = 7\n", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert load_settings({}, config=config, environ={}).api.limits.rate == 100
    assert "api.limits" in caplog.text and "a book cannot set it" in caplog.text


def test_settings_stay_few() -> None:
    """What tunes a library goes into a table; a new setting of its own needs a page and a reason."""
    assert len(FIELDS) <= 85

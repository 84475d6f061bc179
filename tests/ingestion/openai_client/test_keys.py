"""A key that is missing or wrong is an error of the command that uses it, and of no other."""

from __future__ import annotations

import pytest

from ingestion.errors import ConfigurationError
from ingestion.factory import embedder_of
from ingestion.openai_client.sdk import Service
from ingestion.settings.loader import load_settings

WRONG = ["abc-not-a-key-0123456789-0123456789-0123456789", "sk-too-short", "sk-" + "é" * 40]


def service(key: str | None, base_url: str | None = None) -> Service:
    return Service(api_key=key, base_url=base_url, timeout=1.0, max_retries=0)


@pytest.mark.parametrize("key", WRONG)
def test_a_key_that_is_not_openais_is_named_but_not_shown(key: str) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as caught:
        service(key)
    assert key not in str(caught.value)


def test_another_service_has_keys_of_its_own_or_none() -> None:
    assert service(WRONG[0], "http://localhost:1") and service(None, "http://localhost:1")


@pytest.mark.parametrize("key", [*WRONG, None])
def test_settings_and_embedder_are_built_with_any_key_and_the_first_call_says_what_is_wrong(key: str | None) -> None:
    environ = {"BOOKWISE_EMBEDDER": "openai"} | ({"OPENAI_API_KEY": key} if key else {})
    embedder = embedder_of(load_settings({}, environ=environ))
    assert (embedder.model, embedder.dimensions) == ("text-embedding-3-small/1", 1536)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        embedder.embed_documents(["a text"])

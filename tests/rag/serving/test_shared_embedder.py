"""The server embeds what it is asked often once, however much else it is asked."""

from __future__ import annotations

from rag.serving.embedders import SharedEmbedder
from tests.support.fakes import FakeEmbedder


def test_a_text_is_embedded_once_while_it_is_asked_for_more_often_than_others_are_kept() -> None:
    fake = FakeEmbedder()
    shared = SharedEmbedder(fake, kept=2)
    for other in ("one", "two", "three", "four"):
        # Each alone, as the sentences of an answer come: what is only recalled counts as used too.
        shared.embed_documents(["often cited"])
        shared.embed_documents([other])
    assert fake.texts == ["often cited", "one", "two", "three", "four"]


def test_what_was_not_asked_for_the_longest_is_forgotten_first() -> None:
    fake = FakeEmbedder()
    shared = SharedEmbedder(fake, kept=2)
    for text in ("a", "b", "c", "b", "a"):
        shared.embed_documents([text])
    assert fake.texts == ["a", "b", "c", "a"]

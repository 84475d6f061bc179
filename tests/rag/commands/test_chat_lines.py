"""Ctrl-C at the prompt of `chat` clears the line; a second one in a row ends the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.settings.loader import load_settings
from rag.commands import chat


def typed(monkeypatch: pytest.MonkeyPatch, folder: Path, *keys: str | type[BaseException]) -> list[str]:
    """Return the lines that the conversation gets where this is typed."""
    left: Iterator[str | type[BaseException]] = iter((*keys, EOFError))

    class Prompt:
        def __init__(self, *_: object, **__: object) -> None: ...

        async def prompt_async(self) -> str:
            key = next(left)
            if isinstance(key, str):
                return key
            raise key

    async def collect() -> list[str]:
        settings = load_settings({"index.directory": str(folder)}, environ={})
        return [line async for line in chat._lines(settings)]

    monkeypatch.setattr("prompt_toolkit.PromptSession", Prompt)
    monkeypatch.setattr(chat, "is_interactive", lambda: True)
    return asyncio.run(collect())


def test_one_interrupt_clears_the_line_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(monkeypatch, tmp_path, KeyboardInterrupt, "one", KeyboardInterrupt, "two") == ["one", "two"]
    assert "Ctrl-C again" in capsys.readouterr().err


def test_a_second_interrupt_in_a_row_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert typed(monkeypatch, tmp_path, KeyboardInterrupt, KeyboardInterrupt, "never") == []

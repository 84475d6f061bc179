"""The SDK's types are there for who looks, in a process of its own: imports of this one are done."""

from __future__ import annotations

import subprocess
import sys

import pytest

DEFERRED = "from ingestion.openai_types import defer_openai_types; defer_openai_types(); import sys, openai; "


def run(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", DEFERRED + program], capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def test_the_import_of_the_sdk_runs_few_of_its_types() -> None:
    assert int(run("print(sum(name.startswith('openai.types.') for name in sys.modules))")) < 200


@pytest.mark.parametrize(
    "program",
    [
        "from openai.types import CreateEmbeddingResponse as found",
        "from openai.types.chat import ChatCompletion as found",
        "from openai.types.responses import Response as found",
        "found = openai.types.Embedding",
        "found = type(openai.OpenAI(api_key='k').chat.completions)",
        "found = type(openai.OpenAI(api_key='k').responses)",
        "import openai.types.chat.chat_completion as module; found = module.ChatCompletion",
    ],
)
def test_a_type_is_there_when_it_is_asked_for(program: str) -> None:
    assert run(f"{program}; print(found.__name__)")


def test_a_reply_is_read_into_its_type() -> None:
    reply = "{'object': 'list', 'model': 'm', 'data': [], 'usage': {'prompt_tokens': 1, 'total_tokens': 1}}"
    program = f"print(openai.types.CreateEmbeddingResponse.model_validate({reply}).usage.total_tokens)"
    assert run(program) == "1"


def test_a_name_that_no_type_has_is_an_error_as_ever() -> None:
    assert run("print(hasattr(openai.types, 'Nothing'), hasattr(openai.types.chat, 'Nothing'))") == "False False"


def test_threads_that_look_at_once_find_the_same_types() -> None:
    program = (
        "from concurrent.futures import ThreadPoolExecutor as Pool; "
        "types = openai.types; "
        "look = lambda number: types.chat.ChatCompletion if number % 2 else types.CreateEmbeddingResponse; "
        "print(len(set(Pool(8).map(look, range(64)))))"
    )
    assert run(program) == "2"

"""Colours of code and formulas: what is made of them, what is left out, and that no text holds up the server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.api.services.renderer import Renderer
from rag.api.services.rendering import ATTRIBUTES, ELEMENTS, MAX_CODE_CHARS, MAX_FORMULA_CHARS, coloured, formula
from tests.support.chat_api import book, indexed, is_problem, serving

__all__ = ["book", "indexed"]

CODE = "def run(count: int = 3):\n    # twice\n    return 'a' * count"
DEADLY = "a\n " * 3000
"""Pygments reads this as C# for minutes."""


def elements(node: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """Every element of a tree with its attributes."""
    if not isinstance(node, str):
        yield node[0], node[1]
        for child in node[2]:
            yield from elements(child)


@pytest.mark.parametrize("info", ["python", "py", "Python", "{.python}", "py {1,3}"])
def test_code_is_parted_by_colour_and_stays_letter_by_letter(info: str) -> None:
    spans = coloured(CODE, info)
    assert spans and "".join(text for _, text in spans) == CODE
    assert {("keyword", "def"), ("name", "run"), ("comment", "# twice"), ("string", "'a'"), ("number", "3")} <= set(
        spans
    )


@pytest.mark.parametrize(
    ("language", "code", "part"),
    [
        ("console", "$ ls -l", ("", "$ ls -l")),
        ("urdf", '<robot name="a"/>', ("string", '"a"')),
        ("diff", "+one\n-two", ("added", "+one")),
        ("yaml", "a: 1 # b", ("comment", "# b")),
    ],
)
def test_languages_of_lessons_are_known(language: str, code: str, part: tuple[str, str]) -> None:
    spans = coloured(code, language)
    assert spans and "".join(text for _, text in spans) == code
    assert any(kind == part[0] and part[1] in text for kind, text in spans)


@pytest.mark.parametrize("info", ["", "mermaid-x", "no such language", "../../etc"])
def test_code_of_an_unknown_language_or_beyond_the_size_is_left_alone(info: str) -> None:
    assert coloured(CODE, info) is None
    assert coloured("x" * (MAX_CODE_CHARS + 1), "python") is None


@pytest.mark.parametrize(
    "tex",
    [
        "E = mc^2",
        r"\frac{a}{b} + \sum_{i=1}^n x_i \quad \vec{v}",
        r"\begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix}",
        r"\begin{cases}1 & x>0 \\ 0 & \text{else}\end{cases}",
        r"\href{javascript:alert(1)}{x} \style{position:fixed}{y} \color{red}{z} \class{a}{b}",
    ],
)
def test_a_formula_is_mathml_of_allowed_elements_and_attributes_alone(tex: str) -> None:
    made = list(elements(formula(tex, False)))
    assert made[0] == ("math", {"display": "inline"})
    assert {name for name, _ in made} <= ELEMENTS
    assert {name for _, attributes in made for name in attributes} <= ATTRIBUTES | {"width"}


@pytest.mark.parametrize(
    "tex", ["", " ", r"\unknown x", r"\left( x", "{" * 10, "_" * 900, "x" * (MAX_FORMULA_CHARS + 1), r"\frac" * 150]
)
def test_what_is_no_formula_is_left_alone(tex: str) -> None:
    assert formula(tex, True) is None


def render(*requests: Any, **options: Any) -> list[Any]:
    """What a renderer answers to one request after the other."""

    async def run() -> list[Any]:
        renderer = Renderer(**options)
        try:
            return [await renderer.render(request) for request in requests]
        finally:
            await renderer.aclose()

    return asyncio.run(run())


def test_a_text_that_takes_too_long_is_given_up_and_the_next_one_rendered() -> None:
    results = render(("code", DEADLY, "csharp"), ("code", "x = 1", "python"), ("math", "a", False))
    assert results[0] is None and ["number", "1"] in results[1] and results[2][0] == "math"


def test_a_renderer_that_does_not_answer_is_given_up() -> None:
    silent = "import time; print('[]', flush=True); time.sleep(3600)"
    assert render(("code", "x = 1", "python"), command=(sys.executable, "-c", silent), seconds=0.2) == [None]


@pytest.mark.parametrize("program", ["raise SystemExit(1)", "print('no JSON', flush=True)"])
def test_a_renderer_that_breaks_leaves_the_text_as_it_is(program: str) -> None:
    assert render(("code", "x = 1", "python"), command=(sys.executable, "-c", program)) == [None]


def test_the_route_renders_in_the_order_of_what_is_asked_and_within_bounds(book: Path) -> None:
    items = [
        {"kind": "math", "text": "a^2", "display": True},
        {"kind": "code", "text": "x = 1", "language": "nothing"},
        {"kind": "code", "text": "x = 1", "language": "py"},
    ]
    with serving(book, open_to_all=True) as client:
        answer = client.post("/render", json={"items": items})
        too_many = client.post("/render", json={"items": items * 20})
        too_long = client.post("/render", json={"items": [items[2] | {"text": "x" * (MAX_CODE_CHARS + 1)}]})
    first, second, third = answer.json()["items"]
    assert first[1] == {"display": "block"} and second is None and ["number", "1"] in third
    assert is_problem(too_many, 422) and is_problem(too_long, 422)

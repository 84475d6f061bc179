"""The troubleshooting page lacks no kind of error and no message that the code raises."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scripts.docs.cures import CURES
from scripts.docs.messages import CLASSES, collect, messages
from tests.support.paths import ROOT

PAGE = messages()


def test_every_kind_of_error_has_a_cause_and_a_way_out_of_its_own() -> None:
    assert CURES.keys() == CLASSES.keys()
    assert len({cure.title for cure in CURES.values()}) == len(CURES)
    assert all(cure.cause.endswith(".") and cure.todo.endswith(".") for cure in CURES.values())


def test_a_class_that_refines_a_kind_for_one_module_is_told_as_that_kind() -> None:
    bases = set(CLASSES)
    strays = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for top in ("ingestion", "rag")
        for path in (ROOT / top).rglob("*.py")
        if path.name != "errors.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and bases & {base.id for base in node.bases if isinstance(base, ast.Name)}
        if {"kind", "exit_code"}
        & {target.id for line in node.body if isinstance(line, ast.Assign) for target in line.targets}  # type: ignore[attr-defined]
    ]
    assert strays == [], "a kind of its own belongs in ingestion/errors.py, with its cause and cure"


@pytest.mark.parametrize(
    "line",
    [
        "no .md or .mdx files below …; name the folder that holds the lessons",
        "the run would embed … tokens, the budget is … (--max-tokens); …",
        "nothing is indexed in …; run `bookwise ingest DOCS` first",
        "is binary: NUL at offset …",
    ],
)
def test_messages_that_users_meet_are_on_the_page(line: str) -> None:
    assert line in PAGE


def test_each_form_of_a_message_is_collected(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        'raise UsageError(f"the {name} is gone; " + ("make it again" if new else "look for it"))\n'
        'raise errors.LessonError(path, f"cannot be read: {error}", 3)\n'
        "class Gone(StateError):\n    pass\nraise Gone(f'{file}: has gone; run again')\n"
        "raise ValueError('is not ours to tell')\nraise UsageError(str(error))\n",
        encoding="utf-8",
    )
    assert collect([source]) == {
        "UsageError": {"the … is gone; make it again", "the … is gone; look for it"},
        "LessonError": {"cannot be read: …"},
        "StateError": {"…: has gone; run again"},
    }

"""The hierarchy of errors: complete in one module, drawn there, each class with a code and a kind of its own."""

from __future__ import annotations

import ast
import re

from ingestion import errors
from ingestion.errors import BookwiseError, ExitCode
from tests.architecture.layers import MODULES, nodes_of

CLASSES = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, BookwiseError)
}


def is_error_class(node: ast.AST) -> bool:
    """Whether it declares an exception that other modules may meet; a leading underscore marks control flow."""
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)] if isinstance(node, ast.ClassDef) else []
    return any(base in CLASSES or re.search(r"(Error|Exception|Exit|Interrupt)$", base) for base in bases) and not (
        isinstance(node, ast.ClassDef) and node.name.startswith("_")
    )


TRANSLATED = {
    "ingestion.bounded_http.ReplyRefused",
    "ingestion.markdown.blocks.TooMuchWork",
    "ingestion.openai_client.connections.NoReply",
    "ingestion.openai_client.posting.PostFailed",
    "ingestion.source.includes.files.CannotInclude",
    "ingestion.source.metadata.front_matter.UnreadableMetadata",
    "ingestion.source.metadata.front_matter_forms.NeverClosed",
    "ingestion.source.metadata.plain_yaml.YamlProblem",
    "ingestion.source.metadata.page.UnpublishedPage",
    "ingestion.source.generators.vitepress.rewrites.UnreadableRewrite",
}
"""What a reader of files or replies raises for its caller, which makes an error or a finding of a lesson of it."""


def test_no_error_class_lives_elsewhere() -> None:
    strays = [f"{module}.{node.name}" for module in MODULES for node in nodes_of(module) if is_error_class(node)]  # type: ignore[attr-defined]
    assert [stray for stray in strays if not stray.startswith("ingestion.errors.") and stray not in TRANSLATED] == []


def test_the_drawing_shows_every_class_below_its_base_with_its_code() -> None:
    drawn: dict[str, tuple[str | None, int]] = {}
    parents: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"([│├└─ ]*)(\w+) {2,}(\d+) ", line):
            depth = len(found[1])
            parents = [parent for parent in parents if parent[0] < depth]
            drawn[found[2]] = (parents[-1][1] if parents else None, int(found[3]))
            parents.append((depth, found[2]))
    declared = {
        name: (kind.__base__.__name__ if kind is not BookwiseError else None, int(kind.exit_code))
        for name, kind in CLASSES.items()
    }
    assert drawn == declared


def test_every_kind_is_its_own_and_every_code_is_named() -> None:
    kinds = [kind.kind for kind in CLASSES.values()]
    assert sorted(kinds) == sorted(set(kinds))
    assert {kind.exit_code for kind in CLASSES.values()} <= set(ExitCode)


def test_exit_codes_stand_in_one_module() -> None:
    """No other module assigns one of the numbers to a constant or exits with a literal."""

    def is_literal_exit(node: ast.AST) -> bool:
        is_exit = isinstance(node, ast.Call) and ast.unparse(node.func) in ("typer.Exit", "sys.exit", "SystemExit")
        return is_exit and any(isinstance(part, ast.Constant) for part in node.args)  # type: ignore[attr-defined]

    assert [module for module in MODULES if any(map(is_literal_exit, nodes_of(module)))] == []

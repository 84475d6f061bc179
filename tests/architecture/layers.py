"""Read the rows of `docs/design.md`, the picture of the architecture, and the imports of every module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache

from tests.support.paths import ROOT

DESIGN = ROOT / "docs" / "design.md"


def read_rows() -> dict[str, int]:
    """Return the row of each package and loose module, as drawn in `docs/design.md`."""
    drawing = DESIGN.read_text(encoding="utf-8").split("```rows\n")[1].split("```")[0]
    rows: dict[str, int] = {}
    for line in drawing.splitlines():
        number, names = line.split(maxsplit=1)
        rows |= {name.replace("/", "."): int(number) for name in re.split(r"\s+", names.strip())}
    return rows


ROWS = read_rows()

FILES = {
    ".".join(parts[:-1] if parts[-1] == "__init__" else parts): file
    for file in [
        ROOT / "cli.py",
        *(file for top in ("bookwise", "ingestion", "rag") for file in sorted((ROOT / top).rglob("*.py"))),
    ]
    for parts in [file.relative_to(ROOT).with_suffix("").parts]
}
MODULES = [name for name in FILES if name not in ("ingestion", "rag")]


def unit_of(module: str) -> str | None:
    """Return the name in ROWS that a module belongs to: its own, or its package's; None where it has none."""
    parts = module.split(".")
    return next((name for end in range(len(parts), 0, -1) if (name := ".".join(parts[:end])) in ROWS), None)


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


@cache
def nodes_of(module: str) -> list[ast.AST]:
    return list(ast.walk(tree_of(module)))


@cache
def imports_of(module: str) -> set[str]:
    """Return all that the module imports anywhere, late imports and those for types included, by full name."""
    return imported_in(nodes_of(module))


def imported_in(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, "imports are absolute"
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in FILES else node.module for name in full}
    return found


def functions_of(module: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in nodes_of(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

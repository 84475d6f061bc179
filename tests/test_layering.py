"""DESIGN.md's table, held by reading the code: imports go one way, each library has one home, files stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from tests.layers import BUILDERS, ROWS

ROOT = Path(__file__).parents[1]

HOMES = {
    "dotenv": {"ingestion.configuration"},
    "fastembed": {"ingestion.embedders.library_models"},
    "frontmatter": {"ingestion.front_matter"},
    "httpx": {"rag.rerank_endpoint"},
    "markdown_it": set(),
    "mcp": {"rag.mcp_command", "rag.mcp_server", "rag.mcp_transports"},
    "mcp_types": {"rag.mcp_server"},
    "onnxruntime": {"ingestion.embedders.minilm"},
    "openai": {"ingestion.embedders.openai", "ingestion.embedders.openai_batch", "rag.chat_model"},
    "pathspec": {"ingestion.crawler"},
    "prompt_toolkit": {"rag.chat_command"},
    "regex": {"ingestion.graphemes"},
    "rich": {"cli", "ingestion.terminal", "ingestion.commands", "rag.commands"},
    "sqlalchemy": {
        *("ingestion.batch_ledger", "ingestion.database", "ingestion.jobs"),
        *("rag.database", "rag.migrations", "rag.migrations.versions.v0001_conversation_threads"),
        "rag.migrations.versions.v0003_public_keys",
        "rag.migrations.versions.v0002_list_index",
        *("rag.thread_tables", "rag.threads"),
        "rag.keys",
    },
    "sentence_transformers": {"ingestion.embedders.library_models", "rag.cross_encoder"},
    "sqlite3": {"ingestion.embedding_cache"},
    "tiktoken": {"ingestion.tokens"},
    "tokenizers": {"ingestion.embedders.minilm"},
    "toktok": {"ingestion.tokens"},
    "opentelemetry": {"rag.tracing"},
    "uvicorn": {"rag.api.serving", "rag.listening", "rag.mcp_transports"},
    "typer": {
        "cli",
        *("ingestion.batch_commands", "ingestion.commands", "ingestion.copy_command", "ingestion.store_commands"),
        "ingestion.terminal",
        *("rag.ask_command", "rag.chat_command", "rag.commands", "rag.eval_command"),
        *("rag.mcp_command", "rag.serve_command"),
    },
    "yaml": {"ingestion.front_matter"},
}
"""The only modules that may import a library; `qdrant_client` and `qdrant_edge` have a package of their own."""

STORES = ("qdrant_client", "qdrant_edge")
SLOW = ("numpy", "onnxruntime", "openai", "pydantic", "qdrant_client", "qdrant_edge", "rich.table", "yaml")
"""What `bookwise --help` must not wait for."""

MAX_LINES = 300
MAX_FUNCTION_LINES = 40


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {
    name_of(file): file
    for file in [ROOT / "cli.py", *sorted((ROOT / "ingestion").rglob("*.py")), *sorted((ROOT / "rag").rglob("*.py"))]
}
MODULES = [name for name in FILES if name not in ("ingestion", "rag")]


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


@cache
def nodes_of(module: str) -> list[ast.AST]:
    return list(ast.walk(tree_of(module)))


@cache
def imports_of(module: str) -> set[str]:
    """Modules of ours and libraries that are imported anywhere in the module, by their full names."""
    return imported_in(nodes_of(module))


def imported_in(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for each in nodes:
        if isinstance(each, ast.Import):
            found |= {alias.name for alias in each.names}
        elif isinstance(each, ast.ImportFrom):
            assert each.module and not each.level, "imports are absolute"
            full = {f"{each.module}.{alias.name}" for alias in each.names}
            found |= {name if name in FILES else each.module for name in full}
    return found


def functions_of(module: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [each for each in nodes_of(module) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_every_module_has_its_row_and_every_row_its_module() -> None:
    assert ROWS.keys() ^ set(MODULES) == set(), "give a new module its row in ROWS, by DESIGN.md's table"


@pytest.mark.parametrize("module", sorted(ROWS.keys() & MODULES))
def test_a_module_imports_only_from_rows_below_its_own(module: str) -> None:
    ours = {name for name in imports_of(module) if name in ROWS and name != module}
    wrong = {name for name in ours if ROWS[name] >= ROWS[module] and (module, name) not in BUILDERS}
    assert not wrong


@pytest.mark.parametrize(("front", "behind"), sorted(BUILDERS))
def test_a_front_imports_what_is_behind_it_only_inside_functions(front: str, behind: str) -> None:
    top = [node for node in tree_of(front).body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert behind in imported_in(each for function in functions_of(front) for each in ast.walk(function))
    assert behind not in imported_in(each for node in top for each in ast.walk(node))


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("ingestion.")])
def test_the_index_knows_nothing_of_questions(module: str) -> None:
    assert not [name for name in imports_of(module) if name.split(".")[0] in ("rag", "cli")]


@pytest.mark.parametrize("module", MODULES)
def test_each_library_is_imported_only_at_its_home(module: str) -> None:
    libraries = {name.split(".")[0] for name in imports_of(module)}
    assert not [library for library in libraries & HOMES.keys() if module not in HOMES[library]]
    if not module.startswith("ingestion.vector_stores"):
        assert libraries.isdisjoint(STORES)


@pytest.mark.parametrize("module", MODULES)
def test_files_and_functions_stay_small(module: str) -> None:
    assert FILES[module].read_text(encoding="utf-8").count("\n") <= MAX_LINES
    lengths = {each.name: (each.end_lineno or 0) - each.lineno + 1 for each in functions_of(module)}
    assert not {name: length for name, length in lengths.items() if length > MAX_FUNCTION_LINES}


@pytest.mark.parametrize("module", [name for name in MODULES if name != "ingestion.terminal"])
def test_only_the_terminal_prints(module: str) -> None:
    names = {each.id for each in nodes_of(module) if isinstance(each, ast.Name)}
    streams = {
        each.attr
        for each in nodes_of(module)
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "sys"
    }
    assert names.isdisjoint({"print", "breakpoint"})
    assert streams.isdisjoint({"stdout", "stderr"})


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_its_job(module: str) -> None:
    assert (ast.get_docstring(tree_of(module)) or "").split("\n")[0].endswith((".", ":", ";", ","))


def test_the_command_line_starts_without_any_slow_library() -> None:
    script = f"import cli, sys; print(*[name for name in {SLOW} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

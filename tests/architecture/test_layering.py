"""The architecture of `docs/design.md`, held by reading the code: rows, homes of libraries, size, printing."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.layers import FILES, MODULES, ROWS, functions_of, imports_of, nodes_of, tree_of, unit_of
from tests.support.paths import ROOT

HOMES = {
    "alembic": ("rag.conversations",),
    "dotenv": ("ingestion.settings",),
    "fastapi": ("rag.api",),
    "fastembed": ("ingestion.embedding.local_libraries",),
    "frontmatter": ("ingestion.source.metadata.front_matter", "ingestion.source.metadata.front_matter_forms"),
    "httpx": ("rag.retrieval.rerankers.endpoint", "ingestion.vector_stores.server", "ingestion.bounded_http"),
    "httpx2": ("ingestion.openai_client",),
    "langchain_core": ("rag.retrieval.integrations.langchain",),
    "llama_index": ("rag.retrieval.integrations.llama_index",),
    "markdown_it": ("ingestion.markdown",),
    "mcp": ("rag.mcp", "rag.commands.mcp"),
    "mcp_types": ("rag.mcp",),
    "onnxruntime": ("ingestion.onnx_sessions",),
    "openai": ("ingestion.openai_client", "rag.chat_model.client"),
    "opentelemetry": ("rag.tracing",),
    "prompt_toolkit": ("rag.commands.chat",),
    "qdrant_client": ("ingestion.vector_stores.server",),
    "qdrant_edge": ("ingestion.vector_stores.edge", "ingestion.vector_stores.bm25"),
    "ray": ("ingestion.sync.distributed.connection",),
    "regex": (
        "ingestion.chunking.oversize",
        "ingestion.source.generators.mdbook.addresses",
        "ingestion.source.site_reading.patterns",
        "rag.chat_model.text_calls",
        "rag.chat_model.unspoken",
    ),
    "rich": ("ingestion.commands", "rag.commands"),
    "sentence_transformers": ("ingestion.embedding.local_libraries", "rag.retrieval.rerankers.cross_encoder"),
    "sqlalchemy": ("ingestion.state", "rag.conversations"),
    "sqlite3": ("ingestion.embedding.cache", "ingestion.foreign_files", "ingestion.state.database"),
    "starlette": ("rag.api", "rag.mcp", "rag.serving"),
    "tiktoken": ("ingestion.tokens",),
    "tokenizers": ("rag.retrieval.rerankers.onnx_model",),
    "toktok": ("ingestion.tokens",),
    "typer": ("ingestion.commands", "rag.commands", "bookwise.command_line"),
    "uvicorn": ("rag.api.http", "rag.serving", "rag.mcp"),
    "yaml": ("ingestion.source",),
}
"""The packages and modules that may import a library."""

SLOW = (
    "markdown_it",
    "numpy",
    "onnxruntime",
    "openai",
    "pydantic",
    "qdrant_client",
    "qdrant_edge",
    "rich.table",
    "yaml",
)
"""What `bookwise --help` must not wait for."""

WARN_LINES, MAX_LINES, MAX_FUNCTION_LINES = 300, 500, 40
MAX_FILES = 25
PRINTING = "ingestion.commands.terminal"


def test_every_package_has_its_row_and_every_row_its_package() -> None:
    assert {unit_of(module) for module in MODULES} == set(ROWS), "draw it in the rows of docs/design.md"


def test_modules_import_only_from_rows_below_their_own() -> None:
    wrong = [
        f"{module} → {name}"
        for module in MODULES
        for name in imports_of(module)
        if (mine := unit_of(module)) and (other := unit_of(name)) and other != mine and ROWS[other] >= ROWS[mine]
    ]
    assert wrong == []


def test_modules_of_one_package_import_each_other_in_no_circle() -> None:
    arrows = {module: {name for name in imports_of(module) if name in FILES} - {module} for module in MODULES}
    try:
        list(TopologicalSorter(arrows).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_the_index_knows_nothing_of_questions() -> None:
    upward = [
        f"{module} → {name}"
        for module in MODULES
        if module.startswith("ingestion.")
        for name in imports_of(module)
        if name.split(".")[0] in ("rag", "cli")
    ]
    assert upward == []


def test_each_library_is_imported_only_at_its_home() -> None:
    strays = [
        f"{module} imports {library}"
        for module in MODULES
        for library in {name.split(".")[0] for name in imports_of(module)} & HOMES.keys()
        if not any(module == home or module.startswith(f"{home}.") for home in HOMES[library])
    ]
    assert strays == []


def test_files_and_functions_stay_small() -> None:
    lines = {module: FILES[module].read_text(encoding="utf-8").count("\n") for module in MODULES}
    long_functions = {
        f"{module}.{function.name}": length
        for module in MODULES
        for function in functions_of(module)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > MAX_FUNCTION_LINES
    }
    smoke = {module: count for module, count in lines.items() if count > WARN_LINES}
    if smoke:
        print(f"more than {WARN_LINES} lines, look whether they hold two subjects: {smoke}")
    assert {module: count for module, count in lines.items() if count > MAX_LINES} == {}
    assert long_functions == {}


def test_a_folder_can_be_read_at_a_glance() -> None:
    in_folder = Counter(file.parent for file in FILES.values())
    assert {str(folder): count for folder, count in in_folder.items() if count > MAX_FILES} == {}


def test_only_the_terminal_prints() -> None:
    def prints(node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in ("print", "breakpoint")
        is_of_sys = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys"
        return isinstance(node, ast.Attribute) and is_of_sys and node.attr in ("stdout", "stderr")

    assert [module for module in MODULES if module != PRINTING and any(map(prints, nodes_of(module)))] == []


def test_every_module_says_its_job() -> None:
    def first_line(module: str) -> str:
        return (ast.get_docstring(tree_of(module)) or "").split("\n")[0]

    empty = {module for module in MODULES if not FILES[module].read_text(encoding="utf-8").strip()}
    assert [
        name for name in MODULES if name not in empty and not first_line(name).endswith((".", ":", ";", ","))
    ] == []


def test_the_command_line_starts_without_any_slow_library() -> None:
    script = f"import cli, sys; print(*[name for name in {SLOW} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_answers_questions_is_given_nothing_that_writes() -> None:
    opens = {"rag.retrieval.retriever", "rag.serving.shared_index"}
    packages = (
        "rag.retrieval.",
        "rag.confidence.",
        "rag.grounding.",
        "rag.quoting.",
        "rag.agent.",
        "rag.evaluation.",
    )
    taken = [
        alias.name
        for module in MODULES
        if module.startswith(packages) and module not in opens
        for node in nodes_of(module)
        if isinstance(node, ast.ImportFrom) and node.module == "ingestion.vector_stores.protocol"
        for alias in node.names
    ]
    assert set(taken) == {"PointReader", "PointSearcher"} and len(taken) >= 10

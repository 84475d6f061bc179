"""DESIGN.md's table, held by reading the code: imports go one way, each library has one home, files stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ROWS = {
    # DESIGN row 0: words, values, settings
    "ingestion.errors": 0,
    "ingestion.file_lock": 0,
    "ingestion.findings": 0,
    "ingestion.identity": 0,
    "ingestion.path_patterns": 0,
    "ingestion.versions": 0,
    "ingestion.models": 1,
    "ingestion.setting_values": 1,
    "ingestion.qdrant_settings": 2,
    "ingestion.embedding_settings": 3,
    "ingestion.settings": 4,
    "ingestion.configuration": 5,
    "ingestion.toml_file": 1,
    # DESIGN row 1: from files to lessons and blocks
    "ingestion.anchors": 10,
    "ingestion.blocks": 10,
    "ingestion.crawler": 10,
    "ingestion.embedding_cache": 10,
    "ingestion.front_matter": 10,
    "ingestion.graphemes": 10,
    "ingestion.hierarchy": 10,
    "ingestion.html_blocks": 10,
    "ingestion.joining": 10,
    "ingestion.lock": 10,
    "ingestion.tables": 10,
    "ingestion.tags": 10,
    "ingestion.tokens": 10,
    "ingestion.audience": 11,
    "ingestion.mdx": 11,
    "ingestion.page": 11,
    "ingestion.prices": 10,
    "ingestion.report": 11,
    "ingestion.guards": 11,
    "ingestion.site_urls": 11,
    "ingestion.source_text": 11,
    "ingestion.table_of_contents": 11,
    "ingestion.block_scanner": 13,
    "ingestion.block_starts": 11,
    "ingestion.containers": 12,
    "ingestion.embed_text": 12,
    "ingestion.headings": 13,
    "ingestion.notices": 14,
    "ingestion.parser": 14,
    "rag.models": 10,
    "rag.conversation": 10,
    "rag.migrations": 10,
    "rag.migrations.versions": 10,
    "rag.migrations.versions.v0001_conversation_threads": 10,
    "rag.migrations.versions.v0003_public_keys": 10,
    "rag.migrations.versions.v0002_list_index": 10,
    "rag.thread_tables": 10,
    "rag.database": 11,
    "rag.migrations.env": 11,
    "rag.threads": 20,
    "rag.events": 11,
    "rag.prompts": 10,
    "rag.shown": 11,
    "rag.tools": 11,
    "rag.citations": 12,
    "rag.history": 22,
    "rag.follow_ups": 23,
    "rag.chat_model": 20,
    "rag.sentences": 10,
    "rag.passage_blocks": 14,
    "rag.statements": 30,
    "rag.support": 31,
    "rag.check_ahead": 32,
    # DESIGN row 2: chunker, embedders, stores
    "ingestion.ahead": 10,
    "ingestion.embedders.packing": 19,
    "ingestion.embedders.pace": 19,
    "ingestion.embedders": 20,
    "ingestion.state_store": 19,
    "ingestion.vector_stores": 20,
    "ingestion.vector_stores.filters": 19,
    "ingestion.vector_stores.edge_lock": 20,
    "ingestion.vector_stores.edge_counts": 20,
    "ingestion.vector_stores.edge_compaction": 23,
    "ingestion.vector_stores.generation_names": 20,
    "ingestion.vector_stores.server_calls": 20,
    "ingestion.oversize": 20,
    "ingestion.embedders.minilm": 21,
    "ingestion.embedders.workers": 21,
    "ingestion.embedders.apart": 22,
    "ingestion.embedders.apart_child": 22,
    "ingestion.embedders.openai": 21,
    "ingestion.embedders.library_models": 22,
    "ingestion.embedders.openai_batch": 22,
    "ingestion.units": 21,
    "ingestion.vector_stores.batches": 21,
    "ingestion.vector_stores.bm25": 21,
    "ingestion.vector_stores.points": 21,
    "ingestion.vector_stores.ranking": 21,
    "ingestion.chunker": 22,
    "ingestion.vector_stores.edge_shard": 22,
    "ingestion.vector_stores.server": 23,
    "ingestion.vector_stores.server_collection": 22,
    "ingestion.vector_stores.server_load": 22,
    "ingestion.vector_stores.server_lease": 22,
    "ingestion.vector_stores.server_states": 22,
    "ingestion.lesson_chunks": 23,
    "ingestion.vector_stores.edge": 24,
    "ingestion.vector_stores.server_generations": 24,
    "ingestion.vector_stores.edge_generations": 25,
    "rag.fusion": 21,
    # DESIGN row 3: what is to be done, and what is found
    "ingestion.batch_ledger": 30,
    "ingestion.check": 30,
    "ingestion.database": 10,
    "ingestion.jobs": 30,
    "ingestion.plan": 30,
    "ingestion.watch": 30,
    "ingestion.survey": 31,
    "ingestion.target": 30,
    "ingestion.carry_over": 33,
    "ingestion.vectors": 30,
    "ingestion.file_groups": 31,
    "ingestion.embed_requests": 31,
    "ingestion.preview": 32,
    "ingestion.stages": 32,
    "ingestion.writer": 32,
    "ingestion.recorder": 32,
    "ingestion.copy_book": 33,
    "ingestion.copy_command": 53,
    "rag.confidence": 31,
    "rag.policies": 30,
    "rag.one_version": 29,
    "rag.passages": 29,
    "rag.reranker": 29,
    "rag.cross_encoder": 30,
    "rag.rerank_endpoint": 30,
    "rag.diversity": 29,
    "rag.fences": 29,
    "rag.question": 29,
    "rag.repeats": 29,
    "rag.evidence": 30,
    "rag.expand": 30,
    "rag.lessons": 30,
    "rag.cuts": 15,
    "rag.quotes": 30,
    "rag.search": 31,
    # DESIGN row 4: the one pass, and the parts it is built from
    "ingestion.run": 40,
    "ingestion.pipeline": 41,
    "ingestion.embedding_batches": 42,
    "ingestion.books": 42,
    "ingestion.rollback": 42,
    "ingestion.build": 42,
    "ingestion.index_info": 43,
    "rag.reader": 43,
    "rag.calibration": 43,
    "rag.eval_answers": 42,
    "rag.eval_outcomes": 43,
    "rag.model_answers": 48,
    "rag.eval_questions": 43,
    "rag.eval_compare": 44,
    "rag.finding": 44,
    "rag.dialogue": 45,
    "rag.extract": 45,
    "rag.answers": 46,
    "rag.agent": 47,
    "rag.evaluation": 45,
    # the chat API
    "rag.topics": 22,
    "rag.keys": 20,
    "rag.api.request_id": 10,
    "rag.api.metrics": 10,
    "rag.api.sse": 10,
    "rag.api.leaving": 10,
    "rag.api.logs": 11,
    "rag.tracing": 9,
    "rag.api.time_bound": 10,
    "rag.api.offload": 10,
    "rag.api.serving": 11,
    "rag.api.schemas": 31,
    "rag.api.examples": 32,
    "rag.api.openapi": 33,
    "rag.api.problems": 32,
    "rag.api.middleware": 33,
    "rag.api.access": 32,
    "rag.api.answers": 32,
    "rag.api.shared_embedder": 22,
    "rag.api.wrapped_embedder": 21,
    "rag.api.stoppable_embedder": 22,
    "rag.api.index": 45,
    "rag.api.ingest_jobs": 50,
    "rag.api.conversations": 50,
    "rag.api.parts": 51,
    "rag.api.chat_routes": 52,
    "rag.api.book_routes": 52,
    "rag.api.health_routes": 52,
    "rag.api.choice_routes": 52,
    "rag.api.page_routes": 10,
    "rag.choices": 30,
    "rag.api.app": 53,
    "rag.api": 10,
    "rag.listening": 9,
    "rag.serve_command": 54,
    "rag.narrowing": 30,
    "rag.mcp_views": 52,
    "rag.mcp_access": 53,
    "rag.mcp_tools": 53,
    "rag.mcp_server": 54,
    "rag.mcp_transports": 10,
    "rag.mcp_command": 55,
    # the command line
    "ingestion.views": 50,
    "ingestion.progress": 50,
    "rag.eval_views": 51,
    "rag.views": 51,
    "ingestion.terminal": 51,
    "ingestion.store_commands": 52,
    "ingestion.batch_commands": 52,
    "ingestion.commands": 53,
    "rag.commands": 53,
    "cli": 60,
    "rag.eval_command": 53,
    "rag.ask_command": 54,
    "rag.chat_command": 55,
    "rag.chat_session": 50,
    "rag.kept_thread": 49,
}
"""A module imports only from rows below its own; a new module gets its row here."""

BUILDERS = {
    ("ingestion.blocks", "ingestion.block_scanner"),
    ("ingestion.embedders", "ingestion.embedders.library_models"),
    ("ingestion.embedders", "ingestion.embedders.minilm"),
    ("ingestion.embedders", "ingestion.embedders.openai"),
    ("ingestion.embedders", "ingestion.embedders.pace"),
    ("rag.reranker", "rag.cross_encoder"),
    ("rag.reranker", "rag.rerank_endpoint"),
    ("ingestion.vector_stores", "ingestion.vector_stores.edge_generations"),
    ("ingestion.vector_stores", "ingestion.vector_stores.server_calls"),
    ("ingestion.vector_stores", "ingestion.vector_stores.server_generations"),
}
"""The front of a package, which imports what is behind it inside the function that needs it."""

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

"""A site generator is one object in one folder: nothing else decides by its name, and only its folder is loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.source.generators import known, styles
from tests.architecture.layers import MODULES, nodes_of
from tests.generators.books.common import write_site
from tests.support.golden_books import BOOKS
from tests.support.paths import ROOT

FOLDERS = "ingestion.source.generators"
WORDS = {"plain", "unknown", "github"}
"""Words with other meanings: kinds of text, a state of a run, a host."""

NAMES = ({*known(), *styles()} - WORDS) | {"starlight"}


def _decided_by(node: ast.AST) -> Iterator[ast.expr | None]:
    """What a node decides by: both sides of a comparison, the keys of a table, what is in a set, a pattern."""
    if isinstance(node, ast.Compare):
        for side in (node.left, *node.comparators):
            yield from side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
    elif isinstance(node, ast.Dict):
        yield from node.keys
    elif isinstance(node, ast.Set):
        yield from node.elts
    elif isinstance(node, ast.MatchValue):
        yield node.value
    elif isinstance(node, ast.Subscript):
        yield node.slice


def test_no_module_outside_of_its_folder_decides_by_a_generators_name() -> None:
    found = [
        f"{module}:{part.lineno} {part.value!r}"
        for module in MODULES
        if not module.startswith(f"{FOLDERS}.")
        for node in nodes_of(module)
        for part in _decided_by(node)
        if isinstance(part, ast.Constant) and part.value in NAMES
    ]
    assert found == []


def test_a_generators_folder_imports_no_other_ones_and_its_data_nothing() -> None:
    from tests.architecture.layers import imports_of

    for name in known():
        own = [
            module for module in MODULES if module == f"{FOLDERS}.{name}" or module.startswith(f"{FOLDERS}.{name}.")
        ]
        assert imports_of(f"{FOLDERS}.{name}") == set()
        others = {f"{FOLDERS}.{other}" for other in known() if other != name}
        assert [
            f"{module} → {imported}"
            for module in own
            for imported in imports_of(module)
            if any(imported == other or imported.startswith(f"{other}.") for other in others)
        ] == []


SCRIPT = """
import sys
from pathlib import Path
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
crawl_book(Path(sys.argv[1]), load_settings({}, environ={}))
print(*[name for name in sys.modules if name.startswith(("ingestion.source.generators.", "ingestion.markdown"))])
"""


@pytest.mark.parametrize(
    ("book", "generator"),
    [
        *((name, name) for name in ("hugo", "jekyll", "mkdocs", "vitepress")),
        *(("docusaurus-instances", "docusaurus"), ("starlight", "astro"), ("unknown", "unknown")),
    ],
)
def test_a_walk_loads_the_folder_of_the_books_generator_alone(tmp_path: Path, book: str, generator: str) -> None:
    """Addresses, headings and includes are loaded when a page is parsed: a run with nothing to do parses none."""
    write_site(tmp_path, BOOKS[book])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert not [name for name in loaded if name.startswith("ingestion.markdown")]
    parts = {part for name in loaded if "." in (part := name.removeprefix(f"{FOLDERS}."))}
    assert {name.split(".")[0] for name in parts} == {generator}
    assert not {f"{generator}.addresses", f"{generator}.text"} & parts

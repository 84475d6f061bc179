"""The index, not the name of the file, says whether a passage is MDX."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.grounding.passage_blocks import blocks_of
from rag.retrieval.expansion import beside
from tests.rag.retrieval.test_search import find
from tests.support.books import Library, long_text


@pytest.mark.parametrize(("format_", "kind"), [("mdx", "paragraph"), ("md", "code")])
def test_indented_lines_of_a_docusaurus_page_are_code_only_where_it_is_markdown(
    tmp_path: Path, format_: str, kind: str
) -> None:
    config = f"module.exports = {{url: 'https://x.example', markdown: {{format: '{format_}'}}}}"
    (tmp_path / "docusaurus.config.js").write_text(config)
    library = Library(tmp_path)
    indented = "    The turtle stands four spaces in."
    library.write(
        {"01-a.md": f"# A\n\n{long_text('axle')}\n\n{indented}\n\n## B\n\n{long_text('wheel')}\n\n{indented}\n"}
    )
    library.run()
    store = library.generations.open_active()
    kinds = set()
    first = find(library, "where does the turtle stand").results[:1]
    for passage in (*first, *beside(first, store)):
        assert passage.page_syntax.mdx is (format_ == "mdx")
        kinds |= {block.kind for block in blocks_of(passage) if "four spaces" in block.text}
    assert kinds == {kind}

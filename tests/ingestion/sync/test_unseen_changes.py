"""A change that no reader sees embeds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.books import Library, long_text

PATH = "01-one.md"
TEXT = f"""# Caf\u00e9 robots

The caf\u00e9 robot serves \u2014 slowly \u2014 what weighs < 5 newtons & no more.

- one item
- another item

{long_text("alpha")}
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write({PATH: TEXT})
    library.run()
    return library


@pytest.mark.parametrize(
    "changed",
    [
        TEXT.replace("items\n", "items  \n").replace("item\n", "item \t\n"),
        TEXT.replace("no more.\n", "no more.   \n"),
        TEXT.replace("robots\n", "robots  \n", 1),
        TEXT.replace("\u00e9", "&eacute;"),
        TEXT.replace("\u00e9", "&#233;").replace("\u2014", "&mdash;"),
        TEXT.replace("< 5", "&lt; 5").replace(" & ", " &amp; "),
        TEXT.replace("\n\n", "\n   \n"),
        TEXT.replace("\n", "\r\n"),
        TEXT.rstrip("\n") + "\n\n\n",
    ],
    ids=["list", "paragraph", "heading", "named", "numbered", "markup", "empty lines", "line ends", "end of file"],
)
def test_a_change_that_nobody_sees_embeds_nothing(library: Library, changed: str) -> None:
    assert changed != TEXT
    before = len(library.embedder.texts)
    (library.docs / PATH).write_bytes(changed.encode())
    planned = library.run(dry_run=True)
    assert planned.chunks.embedded == 0
    library.run()
    assert len(library.embedder.texts) == before
    assert not library.run().pending

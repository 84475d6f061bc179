"""What the generated files should hold, compared with what they hold."""

from __future__ import annotations

from pathlib import Path

from scripts.docs import reference
from scripts.docs.console import refreshed

NOTE = "<!-- Made from the code by `make docs-write`; edit the code. -->\n\n"

BOOK_SETTINGS, END = "<!-- What a book may set, made from the code by `make docs-write`: -->", "<!-- end -->"


def changed_files(root: Path, *, outputs: bool = True) -> dict[Path, str]:
    """Return the files whose text should be another, with that text: reference pages, then shown outputs.

    With `outputs` false no command is run.
    """
    expected = {root / "docs" / "reference" / f"{name}.md": NOTE + make() for name, make in reference.PAGES.items()}
    security = (root / "SECURITY.md").read_text(encoding="utf-8")
    before, _, rest = security.partition(BOOK_SETTINGS)
    after = rest.partition(END)[2]
    expected[root / "SECURITY.md"] = f"{before}{BOOK_SETTINGS}\n{reference.book_settings()}{END}{after}"
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))] if outputs else []
    for page in pages:
        if page not in expected:
            expected[page] = refreshed(page.read_text(encoding="utf-8"), root)
    found = {path: path.read_text(encoding="utf-8") if path.is_file() else None for path in expected}
    return {path: text for path, text in expected.items() if found[path] != text}

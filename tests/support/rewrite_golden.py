"""`make golden` writes the expected parts of the golden files anew; the difference is to be reviewed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.golden_books import BOOKS, FILE, as_text, render_book
from tests.support.golden_files import RENDERERS, rewrite

if __name__ == "__main__":
    for name in RENDERERS:
        rewrite(name)
    books = {}
    for name in BOOKS:
        with TemporaryDirectory() as folder:
            books[name] = render_book(name, Path(folder).resolve())
    FILE.write_text(as_text(books), encoding="utf-8")

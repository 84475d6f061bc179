"""`python -m tests.rewrite_golden` writes the expected parts of the golden files anew."""

from __future__ import annotations

from tests.golden_files import RENDERERS, rewrite

if __name__ == "__main__":
    for name in RENDERERS:
        rewrite(name)

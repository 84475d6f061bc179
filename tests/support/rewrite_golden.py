"""`python -m tests.support.rewrite_golden` writes the expected parts of the golden files anew."""

from __future__ import annotations

from tests.support.golden_files import RENDERERS, rewrite

if __name__ == "__main__":
    for name in RENDERERS:
        rewrite(name)

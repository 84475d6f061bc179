"""Where the checkout lies, and what is beside it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
SHARED = ROOT.parent / "shared"
"""Real books, recorded answers and the like; tests that read it are skipped where it is absent."""

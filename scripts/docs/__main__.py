"""Rewrite or check the generated parts of the documentation."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.docs.build import changed_files

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Rewrite what differs; with `--check` only name it and exit 1, with `--reference` run no command."""
    check = "--check" in sys.argv[1:]
    changed = changed_files(ROOT, outputs="--reference" not in sys.argv[1:])
    for path, text in changed.items():
        print(f"{'differs' if check else 'written'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())

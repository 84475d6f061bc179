"""Print what CHANGELOG.md says of a version: the text of its release.

Usage: python scripts/release_notes.py 0.2.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes_of(version: str, changelog: str) -> str:
    """Return the section of a version without its heading; raises ValueError where there is none, or it is empty."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for section in sections:
        heading, _, text = section.partition("\n")
        if re.match(rf"\[?{re.escape(version)}\]?(\s|$)", heading):
            if not text.strip():
                raise ValueError(f"the section of {version} is empty")
            return text.strip() + "\n"
    raise ValueError(f"CHANGELOG.md has no section '## {version}'")


def main() -> int:
    """Print the notes; exit 1 with a reason where there are none."""
    try:
        print(notes_of(sys.argv[1], CHANGELOG.read_text(encoding="utf-8")), end="")
    except (IndexError, ValueError) as error:
        print(f"error: {error or __doc__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

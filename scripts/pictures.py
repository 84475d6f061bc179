"""Draw what commands print on the sample book as a picture of a terminal: python -m scripts.pictures."""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from scripts.docs.console import run_command, sample_folder

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
COMMANDS = (
    "bookwise ingest",
    "bookwise search late subscriber --limit 1",
    "bookwise plan",
)
COLUMNS = 100
FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fonts of another host, which a picture in the documentation must not load; the reader's own serve as well."""


def main() -> None:
    """Run the commands, one after the other in one folder, and write the picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as place:
        folder = sample_folder("sample", ROOT, Path(place))
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "green"), (command, "bold")))
            console.print(Text(run_command(command, folder, ROOT)))
    drawn = FONT_FACE.sub("", console.export_svg(title="bookwise", unique_id="terminal"))
    PICTURE.write_text(drawn.replace("Fira Code", "ui-monospace, Menlo, Consolas"), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

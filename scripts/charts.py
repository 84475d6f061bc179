"""Draw the tables of the benchmark page as bars: python -m scripts.charts. A test holds the picture to the tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks" / "peers.md"
PICTURE = ROOT / "docs" / "images" / "peers.svg"
JOBS = ("nothing changed", "one paragraph edited", "a file moved", "10 % of files edited", "state lost")
WIDTH, LABEL, BAR, GAP = 720, 190, 14, 16
COLOURS = ("#2563eb", "#94a3b8", "#a8a29e", "#78716c")
"""Ours first; all of them are readable on white and on black."""


def seconds(page: str, book: str) -> tuple[tuple[str, ...], dict[str, list[float]]]:
    """Return the tools, and the processor seconds of each tool by job, of one book's table."""
    section = page.split(f"## {book}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    (_, *tools), _, *jobs = rows
    found = {
        job: [float(match[1]) for cell in cells if (match := re.search(r"([\d.]+) s", cell))] for job, *cells in jobs
    }
    return tuple(tools), found


def chart(page: str, book: str) -> str:
    """Return the bars of one book as SVG: a group a job, a bar a tool, its length the processor seconds."""
    tools, measured = seconds(page, book)
    most = max(value for job in JOBS for value in measured[job])
    y, parts = 34, [_legend(tools)]
    for job in JOBS:
        parts.append(_text(LABEL - 10, y + BAR * len(tools) / 2 + 4, job, anchor="end"))
        for at, value in enumerate(measured[job]):
            length = value / most * (WIDTH - LABEL - 60)
            top = y + at * BAR
            parts.append(
                f'<rect x="{LABEL}" y="{top}" width="{length:.1f}" height="{BAR - 2}" fill="{COLOURS[at]}"/>'
            )
            parts.append(_text(LABEL + length + 6, top + BAR - 4, f"{value:.2f} s"))
        y += BAR * len(tools) + GAP
    title = f"Processor seconds of a run, {book}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img" aria-label="{escape(title)}" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="#808080">\n<title>{escape(title)}</title>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _legend(tools: Sequence[str]) -> str:
    places = [(LABEL + at * 130, tool) for at, tool in enumerate(tools)]
    return "\n".join(
        f'<rect x="{x}" y="6" width="12" height="12" fill="{COLOURS[at]}"/>\n{_text(x + 18, 16, tool)}'
        for at, (x, tool) in enumerate(places)
    )


def _text(x: float, y: float, said: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(chart(PAGE.read_text(encoding="utf-8"), "iot-beginners"), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

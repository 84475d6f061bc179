"""Runs the commands that a page shows and puts their real output under them.

A fence is run where the line above it says so:

    <!-- run: sample -->
    ```console
    $ bookwise info
    …
    ```

`sample` is a folder with the sample book; `indexed` is the same, indexed. The fences of one page that name the same
folder run one after the other in it. `lines=N` shows the first N lines of each output and then `…`. A command that
does not exit with 0 has its code in a last line, `(exit N)`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

FENCE = re.compile(
    r"(?P<mark><!-- run: (?P<folder>\w+)(?: lines=(?P<lines>\d+))? -->\n)(?P<ticks>`{3,})console\n"
    r"(?P<body>.*?)^(?P=ticks)$",
    re.DOTALL | re.MULTILINE,
)
STEADY = (
    (re.compile(r"^\d+ chunks, \d+ of \d+ lessons.*\n", re.MULTILINE), ""),  # how far a slow machine is
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)"), "2026-11-28T03:19:44+00:00"),
    (re.compile(r"\bin \d+(?:\.\d+)? s\b"), "in 3 s"),
    (re.compile(r"\bbw_[\w-]{20,}"), "bw_…"),
    (re.compile(r"\bkey [0-9a-f]{8,}\b"), "key 3f9c1a7e"),
)
"""What differs from run to run, and what is shown instead."""

GENERATION = re.compile(r"\b\d{8}T\d{6}-[0-9a-f]{6}\b")
"""The name of a generation: when it was made, and a random part."""


def refreshed(text: str, root: Path) -> str:
    """Return the page with the output of every fence that is run."""
    with ExitStack() as stack:
        folders: dict[str, Path] = {}

        def run(found: re.Match[str]) -> str:
            name = found["folder"]
            if name not in folders:
                folders[name] = sample_folder(name, root, Path(stack.enter_context(tempfile.TemporaryDirectory())))
            lines = int(found["lines"]) if found["lines"] else None
            output = _session(found["body"], folders[name], root, lines)
            # An output that shows code has fences of its own.
            longest = max((len(run) for run in re.findall(r"^`{3,}", output, re.MULTILINE)), default=2)
            ticks = "`" * max(3, longest + 1)
            return f"{found['mark']}{ticks}console\n{output}{ticks}"

        return FENCE.sub(run, text)


def sample_folder(name: str, root: Path, place: Path) -> Path:
    """Return a copy of the sample book below `place`; `indexed` has an index, `sample` none."""
    folder = place / "my-book"
    shutil.copytree(root / "examples" / "physical-ai", folder)
    if name == "indexed":
        run_command("bookwise ingest", folder, root)
    elif name != "sample":
        raise ValueError(f"no folder {name!r}; use sample or indexed")
    return folder


def _session(body: str, folder: Path, root: Path, lines: int | None) -> str:
    shown = []
    for command in re.findall(r"^\$ (.*(?:\\\n.*)*)$", body, re.MULTILINE):
        output = run_command(command, folder, root)
        if lines is not None and output.count("\n") > lines:
            output = "".join(output.splitlines(keepends=True)[:lines]) + "…\n"
        shown.append(f"$ {command}\n{output}")
    return _with_steady_generations("\n".join(shown))


def _with_steady_generations(output: str) -> str:
    """Return the output with names of generations that are the same in every run, one for each, in their order."""
    for number, name in enumerate(sorted(set(GENERATION.findall(output)))):
        output = output.replace(name, f"20261128T03{19 + number}44-fa114b")
    return output


def run_command(command: str, folder: Path, root: Path) -> str:
    """Return what a command prints in a folder, with what differs from run to run replaced."""
    tools = folder.parent / "tools"
    if not tools.exists():
        tools.mkdir()
        script = tools / "bookwise"
        code = f"import sys; sys.path.insert(0, {str(root)!r}); sys.argv[0] = 'bookwise'; from bookwise.command_line import app; app()"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -c "{code}" "$@"\n')
        script.chmod(0o755)
    home = folder.parent
    environ = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8", "COLUMNS": "100"}
    arguments = ["bash", "-c", command]
    done = subprocess.run(
        arguments, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600
    )
    output = done.stdout.decode("utf-8").replace(str(folder), "/home/me/my-book").replace(str(home), "/home/me")
    for pattern, steady in STEADY:
        output = pattern.sub(steady, output)
    output = "".join(line.rstrip() + "\n" for line in output.splitlines())
    return output + (f"(exit {done.returncode})\n" if done.returncode else "")

"""The page of every error message: collected from where errors are raised, with the causes and cures of each kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from ingestion import errors
from ingestion.errors import BookwiseError
from scripts.docs.cures import CURES
from scripts.docs.markdown import text

ROOT = Path(__file__).parents[2]
CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, BookwiseError)
}
HEAD = """# Troubleshooting

All error messages, grouped by kind. To find one, search this page for a few of its words; `…` stands for a name, number or reason. On the command line, an error is one line, `bookwise: …`, and an [exit code](exit-codes.md). With `--json` it is
`{"error": {"message", "kind", "exit_code", "hint"}}`; over HTTP it is a problem document.

Start with these commands:

- `bookwise doctor` shows the settings with their sources, whether services respond, and whether index, state file and lessons match.
- `bookwise check` lists problems in the lessons, with file and line.
- `bookwise plan` shows what the next run would do. `bookwise verify --repair` compares the index with the lessons and repairs it.
- `-v` shows all details and logs to stderr.
"""


def messages() -> str:
    """Return the page: for each kind of error the cause, the cure and all its messages."""
    found = collect(sorted(path for top in ("ingestion", "rag") for path in (ROOT / top).rglob("*.py")))
    parts = [HEAD]
    for name, value in sorted(CLASSES.items(), key=lambda item: (item[1].exit_code, item[0])):
        cure = CURES[name]
        parts.append(f"## {cure.title}\n")
        parts.append(f"`{value.kind}`, exit code {value.exit_code.value}.\n")
        parts.append(f"**Cause.** {cure.cause}\n\n**What to do.** {cure.todo}\n")
        if lines := sorted(found.get(name, ())):
            parts.append("Messages:\n\n" + "\n".join(f"- {_code(line)}" for line in lines) + "\n")
    return "\n".join(parts)


def collect(files: list[Path]) -> dict[str, set[str]]:
    """Return the messages of each class, wherever it is made from text that the code holds."""
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    kinds = {name: name for name in CLASSES}
    kinds |= {node.name: base for node in nodes if isinstance(node, ast.ClassDef) for base in _bases(node)}
    found: dict[str, set[str]] = {}
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name in kinds:
            found.setdefault(kinds[name], set()).update(_messages(node))
    return found


def _bases(node: ast.ClassDef) -> list[str]:
    """The kinds of error that a class of one module refines for itself; users see the kind."""
    return [
        base.id
        for base in node.bases
        if isinstance(base, ast.Name) and base.id in CLASSES and node.name not in CLASSES
    ]


def _messages(call: ast.Call) -> Iterator[str]:
    """The texts of a call: where the class takes more than the message, each that says something."""
    for argument in call.args:
        for told in _forms(argument):
            line = re.sub(r"…+", "…", text(told))
            if re.search(r"[a-z]{2,} [a-z]", line):
                yield line


def _forms(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.IfExp):
        return [*_forms(node.body), *_forms(node.orelse)]
    if isinstance(node, ast.JoinedStr):
        return _joined([_forms(part) for part in node.values])
    if isinstance(node, ast.BinOp):
        return _joined([_forms(node.left), _forms(node.right)])
    return ["…"]


def _joined(parts: list[list[str]]) -> list[str]:
    """A text of parts, one for each choice of what a part may say."""
    texts = [""]
    for forms in parts:
        texts = [start + form for start in texts for form in forms][:8]
    return texts


def _code(line: str) -> str:
    line = line.replace("\\|", "|")
    ticks = "``" if "`" in line else "`"
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"

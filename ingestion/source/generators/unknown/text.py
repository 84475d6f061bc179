"""Marks of note-taking programs (Obsidian, Logseq), which their readers do not see, and includes of GitBook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, whole

_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)")
_PROPERTY = re.compile(
    r"[ \t]*(?:id:: [\w-]{8,}|collapsed:: (?:true|false)|background-color:: \S+|logseq\.[\w.-]+:: .*)[ \t]*$"
)
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9][A-Za-z0-9-]{0,60}[ \t]*$")
_PICTURE = re.compile(
    r"!\[\[[^\[\]\n|]{1,300}\.(?:png|jpe?g|gif|svg|webp|bmp|avif|pdf|mp4|webm|mp3)(?:\|[^\[\]\n]{0,200})?\]\]", re.I
)
_REFERENCE = re.compile(r"\(\([0-9a-f]{8}-[0-9a-f-]{27}\)\)")


_GITBOOK = re.compile(r'\{%[ \t]{0,9}include[ \t]{1,9}"[^"\n]{0,200}?(?P<path>\.gitbook/[^"\n]{1,300})"[ \t]{0,9}%\}')


def find_gitbook(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield GitBook's `{% include "../.gitbook/includes/file.md" %}`; that folder lies in the book's own."""
    for found in _GITBOOK.finditer(text):
        yield Directive(*found.span(), found["path"][:MAX_TARGET], (folders.docs / found["path"],), whole)


def find_vault_marks(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield ids of blocks, properties that show nothing, pictures, and references by an id, outside of fences."""
    fence = ""
    at = 0
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark["mark"].startswith(fence) and not mark["rest"].strip())):
            fence = "" if fence else mark["mark"]
        elif not fence:
            if "::" in line and at and _PROPERTY.match(line):
                yield _nothing(at - 1, at + len(line))
            elif "^" in line and (found := _BLOCK_ID.search(line)):
                yield _nothing(at + found.start(), at + found.end())
            for pattern in (_PICTURE, _REFERENCE) if "[[" in line or "((" in line else ():
                yield from (_nothing(at + found.start(), at + found.end()) for found in pattern.finditer(line))
        at += len(line) + 1


def _nothing(start: int, end: int) -> Directive:
    return Directive(start, end, "", (), whole, text="")

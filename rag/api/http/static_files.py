"""The files that a browser loads, read once, plain and compressed, and their responses."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import HTTPException, Request, Response

from rag.api.http.bundles import SCRIPTS, STYLES, script_bundle, style_bundle

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
FILE_HEADERS = {
    # Sites that carry the widget load it from here.
    "Cross-Origin-Resource-Policy": "cross-origin",
}
COMMON_HEADERS = {
    # Names without a version: a browser asks each time and gets a 304.
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent, plain or compressed."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str


@cache
def static_files() -> Mapping[str, StaticFile]:
    """Return every file of the pages by its path, bundles too, read once; there are few, and they are small."""
    found = dict(_read(files("rag.api") / "static", ""))
    texts = {name: file.content.decode() for name, file in found.items() if name.endswith((".js", ".css"))}
    bundles = {name: script_bundle(texts, entry) for name, entry in SCRIPTS.items()}
    bundles |= {name: style_bundle(texts, sheets) for name, sheets in STYLES.items()}
    return found | {
        name: static_file(text.encode(), TYPES[name[name.rindex(".") :]]) for name, text in bundles.items()
    }


def _read(folder: Traversable, prefix: str) -> list[tuple[str, StaticFile]]:
    found: list[tuple[str, StaticFile]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
            continue
        media_type = TYPES.get("." + entry.name.rpartition(".")[2])
        if media_type:
            found.append((prefix + entry.name, static_file(entry.read_bytes(), media_type)))
    return found


def static_file(content: bytes, media_type: str) -> StaticFile:
    """Return a file as it is sent."""
    # Weak: plain and compressed are one file, but not the same bytes.
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:24]}"'
    return StaticFile(content, gzip.compress(content, mtime=0), media_type, etag)


def stored(name: str) -> StaticFile:
    """Return a file by its path; 404 where there is none."""
    file = static_files().get(name)
    if file is None:
        raise HTTPException(404, f"no file {name[:80]!r}")
    return file


def send(request: Request, file: StaticFile, headers: Mapping[str, str]) -> Response:
    """Send a file, or a 304 if the browser has it."""
    sent = {**COMMON_HEADERS, **headers, "ETag": file.etag}
    if _matches(request.headers.get("if-none-match", ""), file.etag):
        return Response(status_code=304, headers=sent)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(file.content, media_type=file.media_type, headers=sent)
    return Response(file.compressed, media_type=file.media_type, headers={**sent, "Content-Encoding": "gzip"})


def _matches(given: str, etag: str) -> bool:
    """Return whether the client's copy is this one, whichever way it was sent (RFC 9110, 8.8.3.2)."""
    tags = [tag.strip().removeprefix("W/") for tag in given.split(",")]
    return etag.removeprefix("W/") in tags or tags == ["*"]

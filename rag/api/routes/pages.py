"""Routes of what a browser loads: the chat page, the owner's page, the API's description, the widget, their files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse

from ingestion.settings.page import LOGO_TYPES
from rag.api.dependencies import AppServices, Services
from rag.api.http.languages import chosen_language, filled_page, filled_widget
from rag.api.http.problems import PATH as PROBLEMS_PATH
from rag.api.http.problems import TYPES as PROBLEM_TYPES
from rag.api.http.static_files import FILE_HEADERS, StaticFile, send, static_file, static_files, stored

router = APIRouter(include_in_schema=False)

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""The page loads from this server alone, runs no inline script or style, and can make no markup out of text."""

PAGE_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
MAX_LOGO_BYTES = 500_000
_HOST = re.compile(r"(https?://[\w.-]+(?::\d+)?)(?:/|$)")
_VERSION = re.compile("[0-9a-f]{16}")
LOGO_HEADERS = {
    # A picture of SVG may hold scripts; opened by itself it runs none.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}
VERSIONED_HEADERS = {
    # The path changes with any file, so that a browser need never ask again.
    "Cache-Control": "public, max-age=31536000, immutable",
}


@router.api_route("/", methods=["GET", "HEAD"])
async def page(request: Request, services: Services, lang: str | None = None) -> Response:
    """Serve the chat page in the reader's language."""
    return _page(request, "index.html", lang, services)


@router.api_route("/owner", methods=["GET", "HEAD"])
async def owner_page(request: Request, services: Services, lang: str | None = None) -> Response:
    """Serve the owner's page in the owner's language; what it shows needs the owner's key."""
    return _page(request, "owner.html", lang, services)


@router.api_route("/docs", methods=["GET", "HEAD"])
async def docs_page(request: Request) -> Response:
    """Serve the description of the API."""
    return send(request, stored("docs.html"), PAGE_HEADERS)


@router.get(PROBLEMS_PATH + "{name}", response_class=PlainTextResponse)
async def explain_problem(name: str) -> str:
    """Explain the type of a problem document."""
    for status, kind in PROBLEM_TYPES.items():
        if kind.name == name:
            return f"{name} (HTTP {status} {HTTPStatus(status).phrase})\n\n{kind.advice}\n"
    raise HTTPException(404, f"unknown problem type {name[:80]!r}")


@router.api_route("/robots.txt", methods=["GET", "HEAD"], response_class=PlainTextResponse)
async def robots() -> str:
    """Keep crawlers to the page itself: each of its answers costs its owner."""
    return "User-agent: *\nAllow: /$\nDisallow: /\n"


@router.api_route("/widget.js", methods=["GET", "HEAD"])
async def widget(request: Request, services: Services) -> Response:
    """Serve the script that a site includes to carry the chat."""
    return send(request, _widget(_own(services)), FILE_HEADERS)


@router.api_route("/logo", methods=["GET", "HEAD"])
async def logo(request: Request, services: Services) -> Response:
    """Serve the owner's picture."""
    name = services.settings.page.logo
    try:
        # Opened anew each time: a picture that is replaced needs no new start.
        file = await asyncio.to_thread(_logo, Path(name)) if name else None
    except OSError:
        file = None
    if file is None:
        raise HTTPException(404, "page.logo is not set")
    return send(request, file, FILE_HEADERS | LOGO_HEADERS)


@router.api_route("/static/{name:path}", methods=["GET", "HEAD"])
async def static(request: Request, name: str) -> Response:
    """Serve a script, a style or an icon; below the version of all files for good."""
    version, _, rest = name.partition("/")
    if not _VERSION.fullmatch(version):
        return send(request, stored(name), FILE_HEADERS)
    # While a server is replaced, a page of one process may ask another: it gets what there is, and keeps it not.
    is_current = version == static_version()
    return send(request, stored(rest), FILE_HEADERS | (VERSIONED_HEADERS if is_current else {}))


@cache
def static_version() -> str:
    """Return what names this state of all files together."""
    every = "".join(name + file.etag for name, file in sorted(static_files().items()))
    return hashlib.sha256(every.encode()).hexdigest()[:16]


def _versioned(text: str) -> str:
    """Return a page or the widget's script with the version in the addresses of files."""
    return re.sub(r'(["/])static/(?=[\w{])', rf"\1static/{static_version()}/", text)


def _page(request: Request, name: str, lang: str | None, services: AppServices) -> Response:
    accepted = request.headers.get("accept-language", "")
    language = chosen_language(lang, services.settings.api.language, accepted)
    headers = {**PAGE_HEADERS, "Content-Language": language, "Vary": "Accept-Encoding, Accept-Language"}
    # Pictures of the book's own site, which its passages show. A book may have written the address: no more of it
    # than a host gets into the policy.
    if site := _HOST.match(services.settings.book.base_url):
        policy = CONTENT_POLICY.replace("img-src 'self'", f"img-src 'self' {site[1]}")
        headers["Content-Security-Policy"] = policy
    return send(request, _page_in(name, language, _own(services)), headers)


class _Own(NamedTuple):
    """What page and widget have of the owner's before they have asked for anything."""

    colour: str | None
    has_logo: bool


def _own(services: AppServices) -> _Own:
    page = services.settings.page
    return _Own(page.colour, page.logo is not None)


@cache
def _page_in(name: str, language: str, own: _Own) -> StaticFile:
    file = stored(name)
    text = _versioned(filled_page(file.content.decode(), language))
    if own.colour:
        text = text.replace("<html ", f'<html data-colour="{own.colour}" ', 1)
    if own.has_logo:
        text = re.sub('<link rel="icon"[^>]*>', '<link rel="icon" href="logo">', text)
        text = text.replace("<h1 class=", '<img class="logo" src="logo" alt="">\n      <h1 class=', 1)
    return static_file(text.encode(), file.media_type)


@cache
def _widget(own: _Own) -> StaticFile:
    file = stored("widget.js")
    text = filled_widget(file.content.decode()).replace("{/* own */}", json.dumps(own._asdict()))
    return static_file(_versioned(text).encode(), file.media_type)


def _logo(path: Path) -> StaticFile:
    content = path.read_bytes()
    if len(content) > MAX_LOGO_BYTES:
        raise HTTPException(404, f"the picture of page.logo has more than {MAX_LOGO_BYTES:,} bytes")
    return static_file(content, LOGO_TYPES[path.suffix.lower()])

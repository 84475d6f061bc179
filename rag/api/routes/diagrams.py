"""Route of the frame that draws a diagram of a passage, where the package holds Mermaid.

A diagram is a stranger's text for a large script. Both are shut into a frame without an origin, which reads nothing
of the page or the server and asks for nothing.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, HTTPException, Request, Response

from rag.api.http.static_files import StaticFile, send, static_file, stored

router = APIRouter(include_in_schema=False)

_FRAME = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Diagram</title>
<style>
body {{ margin: 0; background: #ffffff; }}
svg {{ display: block; margin-inline: auto; max-inline-size: 100%; }}
</style>
</head>
<body></body>
<script>{mermaid}</script>
<script>{drawing}</script>
</html>
"""


def has_diagrams() -> bool:
    """Return whether diagrams can be drawn."""
    return (files("rag.api") / "mermaid" / "mermaid.min.js").is_file()


@router.api_route("/diagram", methods=["GET", "HEAD"])
async def diagram(request: Request) -> Response:
    """Serve the frame with all that it needs, which draws what its page sends it; made when it is first asked for."""
    if not has_diagrams():
        raise HTTPException(404, "Mermaid is not installed; diagrams are shown as code")
    file, policy = await asyncio.to_thread(_frame)
    return send(request, file, {"Content-Security-Policy": policy})


@cache
def _frame() -> tuple[StaticFile, str]:
    """Return the frame and its policy: it runs these two scripts and asks for nothing."""
    sources = (
        (files("rag.api") / "mermaid" / "mermaid.min.js").read_text("utf-8"),
        stored("diagram.js").content.decode(),
    )
    # What would end the element around a script is written otherwise within its texts.
    mermaid, drawing = (source.replace("</script", r"<\/script") for source in sources)
    hashes = (base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in (mermaid, drawing))
    scripts = " ".join(f"'sha256-{each}'" for each in hashes)
    # Mermaid writes a style into each drawing.
    policy = f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; sandbox allow-scripts"
    content = _FRAME.format(mermaid=mermaid, drawing=drawing).encode()
    return static_file(content, "text/html; charset=utf-8"), policy

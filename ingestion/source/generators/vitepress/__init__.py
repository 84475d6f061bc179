"""VitePress: a page is an `.html` file or has a clean address; `rewrites` move pages."""

_SCRIPT = ("cjs", "cts", "js", "mjs", "mts", "ts")
CONFIGS = tuple(f"{folder}.vitepress/config.{ending}" for folder in ("", "docs/") for ending in _SCRIPT)
BESIDE = ()
STYLES = ("vitepress",)
RANK = 4

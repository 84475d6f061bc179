"""Astro with Starlight: pages have folders of their own, named by github-slugger."""

CONFIGS = tuple(f"astro.config.{ending}" for ending in ("cjs", "cts", "js", "mjs", "mts", "ts"))
BESIDE = ()
STYLES = ("starlight",)
RANK = 5

"""Docusaurus: addresses without numbers, translations and versions in folders of their own, partials in MDX."""

CONFIGS = tuple(f"docusaurus.config.{ending}" for ending in ("cjs", "cts", "js", "mjs", "mts", "ts"))
BESIDE = ("website", "site", "docs-site", "documentation", "packages/*", "apps/*")
STYLES = ("docusaurus",)
RANK = 0

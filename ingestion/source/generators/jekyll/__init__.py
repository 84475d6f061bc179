"""Jekyll: permalinks, collections and defaults of front matter; kramdown names headings."""

CONFIGS = ("_config.yaml", "_config.yml")
BESIDE = ()
STYLES = ("jekyll",)
RANK = 9
"""The last: its file may lie beside that of another generator, for GitHub."""

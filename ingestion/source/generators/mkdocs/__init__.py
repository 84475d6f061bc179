"""MkDocs, Material and Zensical: a folder a page, headings named by Python-Markdown or by pymdownx."""

CONFIGS = ("zensical.toml", "mkdocs.yaml", "mkdocs.yml")
BESIDE = ()
STYLES = ("mkdocs", "mkdocs-unicode")
RANK = 1

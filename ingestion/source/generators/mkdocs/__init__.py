"""MkDocs and Material: a folder a page, headings named by Python-Markdown or by pymdownx."""

CONFIGS = ("mkdocs.yaml", "mkdocs.yml")
BESIDE = ()
STYLES = ("mkdocs", "mkdocs-unicode")
RANK = 1

"""Sphinx with MyST, and Jupyter Book: toctrees, labels, directives and roles; docutils names headings."""

CONFIGS = ("conf.py", "source/conf.py", "_toc.yml", "myst.yml", ".readthedocs.yaml", ".readthedocs.yml")
BESIDE = ()
STYLES = ("sphinx",)
RANK = 8
"""Behind the generators with a file of their own name, and before the one that reads `_config.yml`."""

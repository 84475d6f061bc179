"""Sphinx: the literals of `conf.py`, which is never run; Jupyter Book: `_toc.yml` and `_config.yml`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ingestion.errors import ConfigurationError
from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import is_own_file, read_mapping, read_text
from ingestion.source.site_reading.values import joined, mapping, texts

_SIGNS = ("extensions", "html_theme", "project", "master_doc", "root_doc")
"""What every `conf.py` of Sphinx assigns one of."""

_MARKDOWN = ("myst_parser", "myst_nb", "recommonmark", "m2r", "m2r2", "sphinx_mdinclude", "jupyter_book")
"""Extensions that make pages of `.md` files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only Sphinx knows of a site.

    `excluded` are its patterns of files without a page. `root_doc` is the page whose toctree holds the others, and
    `contents` tells that `_toc.yml` does. `only_contents` tells that pages outside of it are not built.
    `substitutions` are texts that stand for others. `flat` tells that addresses are made by MyST's own program.
    """

    excluded: tuple[str, ...] = ()
    root_doc: str = "index"
    contents: bool = False
    only_contents: bool = False
    substitutions: tuple[tuple[str, str], ...] = ()
    flat: bool = False


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site | None:
    """Return the site that a configuration file describes; None for one of another program."""
    if config.name == "conf.py":
        values = read_literals(config)
        return _of_sphinx(config, values) if not values.keys().isdisjoint(_SIGNS) else None
    document = read_mapping(config)
    if config.name == "_toc.yml":
        return _of_jupyter_book(folder, config, document)
    if config.name == "myst.yml":
        title = mapping(document.get("project")).get("title")
        note = f"{config.name}: it is not known how mystmd builds URLs: passages have no URL"
        return _site(config, title=title, notes=(note,), facts=Facts(flat=True))
    return _of_read_the_docs(folder, config, mapping(document.get("sphinx")))


def read_literals(config: Path) -> dict[str, Any]:
    """Return the values that a file of Python assigns to names at its top, as far as they are literals.

    Raises ConfigurationError with the line where it is no Python.
    """
    try:
        tree = ast.parse(read_text(config))
    except SyntaxError as error:
        raise ConfigurationError(f"{config}:{error.lineno or 1}: cannot be read: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConfigurationError(f"{config}: cannot be read: {error}") from error
    found: dict[str, Any] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name):
                found[target.id] = _literal(node.value)
    return found


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _of_sphinx(config: Path, values: Mapping[str, Any], *, dirhtml: bool = False) -> Site:
    extensions = texts(values.get("extensions"))
    has_markdown = not extensions or any(name.partition(".")[0] in _MARKDOWN for name in extensions)
    note = f"{config.name}: no extension that reads Markdown is named: the site may have no page for these files"
    return _site(
        config,
        url=joined(str(values.get("html_baseurl") or "")),
        title=values.get("html_title") or values.get("project"),
        language=values.get("language"),
        directory_urls=dirhtml,
        notes=() if has_markdown else (note,),
        facts=Facts(
            excluded=texts(values.get("exclude_patterns")),
            root_doc=str(values.get("root_doc") or values.get("master_doc") or "index"),
            substitutions=_substitutions(values.get("myst_substitutions")),
        ),
    )


def _of_jupyter_book(folder: Path, config: Path, toc: Mapping[str, Any]) -> Site | None:
    if "root" not in toc and "format" not in toc:
        return None
    own = folder / "_config.yml"
    options = read_mapping(own) if is_own_file(own) else {}
    sphinx = mapping(mapping(options.get("sphinx")).get("config"))
    return _site(
        config,
        url=joined(str(mapping(options.get("html")).get("baseurl") or "")),
        title=options.get("title"),
        language=sphinx.get("language"),
        facts=Facts(
            excluded=("_build", *texts(options.get("exclude_patterns"))),
            root_doc=str(toc.get("root") or "index"),
            contents=True,
            only_contents=options.get("only_build_toc_files") == "true",
            substitutions=_substitutions(sphinx.get("myst_substitutions")),
        ),
    )


def _of_read_the_docs(folder: Path, config: Path, sphinx: Mapping[str, Any]) -> Site | None:
    """The site whose `conf.py` a configuration of Read the Docs names; its other options say how it is built."""
    named = sphinx.get("configuration")
    conf = (folder / str(named)).resolve() if named else None
    if conf is None or not conf.is_relative_to(folder.resolve()) or not conf.parent.is_dir():
        return None
    values = read_literals(conf) if conf.is_file() else {}
    site = _of_sphinx(conf, values, dirhtml=sphinx.get("builder") == "dirhtml")
    return site if conf.is_file() else replace(site, config=config)


def _site(config: Path, **facts: Any) -> Site:
    known: dict[str, Any] = {"directory_urls": False, **facts}
    written = {name: str(known[name]) for name in ("title", "language") if known.get(name)}
    return Site(generator="sphinx", folder=config.parent, config=config, docs=".", **{**known, **written})


def _substitutions(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(text)) for name, text in mapping(value).items())

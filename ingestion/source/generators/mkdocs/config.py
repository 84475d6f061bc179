"""MkDocs, Material and Zensical: `mkdocs.yml` or `zensical.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ingestion.source.generators.mkdocs.zensical import as_mkdocs
from ingestion.source.metadata.plain_yaml import TAGGED
from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import read_mapping, texts_below, values_of
from ingestion.source.site_reading.javascript import Values
from ingestion.source.site_reading.values import clean, joined, lines, mapping, one, texts

_NAMED = {
    "uslugify": "lower",
    "uslugify_cased": "none",
    "uslugify_encoded": "lower%",
    "slugify_unicode": "unicode",
}
MAX_PARENTS = 10
NAV_PLUGINS = (
    ("literate-nav", "nav_file", "SUMMARY.md"),
    ("awesome-nav", "filename", ".nav.yml"),
    ("awesome-pages", "filename", ".pages"),
)
"""Plug-ins that read the order from files in the folders: the option that names these, and its default."""

FOLLOWED = frozenset(
    (
        *(name for name, _, _ in NAV_PLUGINS),
        *("blog", "exclude", "exclude-search", "i18n", "include-markdown", "search"),
        # These leave the addresses and the words of pages as they are.
        *("git-authors", "git-committers", "git-revision-date", "git-revision-date-localized", "glightbox", "info"),
        *("htmlproofer", "minify", "mike", "offline", "optimize", "privacy", "redirects", "rss", "section-index"),
        *("social", "tags", "typeset"),
    )
)
"""Plug-ins that are followed, or need not be."""

_MARKS = {
    "annotations": ("md_in_html", "extra", "pymdownx.extra"),
    "carets": ("pymdownx.caret",),
    "tildes": ("pymdownx.tilde",),
}
"""Marks of Syntax by the extensions that read them; Material's annotations need Markdown in elements."""

_WITH_ATTRIBUTES = ("attr_list", "extra", "pymdownx.extra")


UNKNOWN = "unknown"
_SCRIPTED = "a script names the headings, and scripts are not run: links have no anchor"


class HeadingOptions(NamedTuple):
    """What a site's configuration says of the anchors of headings.

    `slugs` names how they are made, empty for the generator's own way and `unknown` for a way that only running it
    tells. `separator` stands between words. `attributes` tells that an id in braces is none of the text, and `icons`
    that `:name:` is a picture.
    """

    slugs: str = ""
    separator: str = "-"
    attributes: bool = True
    icons: bool = False


OWN_HEADINGS = HeadingOptions()
Options = Mapping[str, Mapping[str, Any]]
"""Plug-ins or extensions by their names, each with its options."""


class Blog(NamedTuple):
    """A blog of Material: its folder and that of its posts, in the docs folder; the patterns of their addresses."""

    folder: str
    posts: str
    pattern: str
    dates: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only MkDocs knows of a site: how headings are named, and what its plug-ins do.

    `snippets` are the folders of snippets, relative to the site's; `blogs` have addresses of their own. `has_scripts`
    tells that hooks may change pages. Translations are told apart by a folder (`folder`) or by the names of files
    (`suffix`): `translations` says which, empty for neither. `fragments` are patterns, as `fnmatch` reads them, of
    files without a page, `fragment_expressions` regular expressions, and `unsearched` patterns of pages that the
    site's search leaves out. `nav_file` is the name of the
    files that hold the order of a folder. `includes_files` tells that a plug-in or an extension reads included files.
    `texts` are what pages show as `{{ name }}`, None without the plug-in `macros`. `marks` are those that extensions
    of Markdown add.
    """

    headings: HeadingOptions = OWN_HEADINGS
    snippets: tuple[str, ...] = (".",)
    blogs: tuple[Blog, ...] = ()
    has_scripts: bool = False
    translations: str = ""
    fragments: tuple[str, ...] = ()
    fragment_expressions: tuple[str, ...] = ()
    unsearched: tuple[str, ...] = ()
    nav_file: str = ""
    includes_files: bool = True
    texts: tuple[tuple[str, str], ...] | None = None
    marks: tuple[str, ...] = ()


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes, with those that it inherits from."""
    document = _inherited(config, folder)
    values, plugins = values_of(document), plugins_of(document)
    extensions = {
        name.removeprefix("markdown.extensions."): each for name, each in _listed(document, "markdown_extensions")
    }
    slugs = _slugs(extensions.get("toc", {}))
    languages, default = _languages(plugins.get("i18n", {}))
    return Site(
        generator="mkdocs",
        folder=folder,
        config=config,
        docs=clean(one(values, "docs_dir") or "docs"),
        url=joined(one(values, "site_url")),
        title=one(values, "site_name"),
        language=default or one(values, "theme", "language"),
        languages=languages,
        directory_urls=one(values, "use_directory_urls") != "false",
        # Both are the built-in ones of MkDocs; a site's own patterns come after them.
        excluded=(".*", "/templates/", *lines(values, "exclude_docs")),
        drafts=lines(values, "draft_docs"),
        facts=_facts(document, plugins, extensions, slugs),
        notes=tuple(f"{config.name}: {note}" for note in _notes(slugs, document, plugins)),
    )


def _facts(document: Mapping[str, Any], plugins: Options, extensions: Options, slugs: str) -> Facts:
    values, translated = values_of(document), plugins.get("i18n", {})
    return Facts(
        headings=HeadingOptions(
            slugs=slugs,
            separator=str(extensions.get("toc", {}).get("separator") or "-"),
            attributes=not extensions.keys().isdisjoint(_WITH_ATTRIBUTES),
            icons="pymdownx.emoji" in extensions,
        ),
        snippets=_snippets(values),
        blogs=tuple(Blog(*each) for each in _blogs(plugins)),
        has_scripts="hooks" in document,
        translations=str(translated.get("docs_structure", "suffix")) if translated.get("languages") else "",
        fragments=texts(plugins.get("exclude", {}).get("glob")),
        fragment_expressions=texts(plugins.get("exclude", {}).get("regex")),
        unsearched=(
            *texts(plugins.get("search", {}).get("exclude")),
            *texts(plugins.get("exclude-search", {}).get("exclude")),
        ),
        nav_file=_nav_file(plugins),
        includes_files="include-markdown" in plugins
        or any(name.startswith("markdown_include") for name in extensions),
        texts=(*texts_below(values, "extra"), *_site_texts(values)) if "macros" in plugins else None,
        marks=tuple(mark for mark, names in _MARKS.items() if not extensions.keys().isdisjoint(names)),
    )


def _site_texts(values: Values) -> Iterator[tuple[str, str]]:
    for key in ("site_name", "site_url", "site_description", "repo_url", "copyright"):
        if text := one(values, key):
            yield f"config.{key}", text


def read_config(config: Path) -> Mapping[str, Any]:
    """Return what one configuration file says, in the form of `mkdocs.yml`; raises ConfigurationError."""
    document = read_mapping(config)
    return as_mkdocs(document) if config.suffix == ".toml" else document


def _inherited(config: Path, folder: Path) -> dict[str, Any]:
    """Return a configuration with what it inherits (`INHERIT`).

    They lie in the folder above the site's at most, since the configuration may come from a stranger.
    """
    document = dict(read_config(config))
    seen = {config.resolve()}
    while isinstance(parent := document.pop("INHERIT", None), str) and len(seen) < MAX_PARENTS:
        config = (config.parent / parent).resolve()
        if config in seen or not config.is_relative_to(folder.resolve().parent) or not config.is_file():
            break
        seen.add(config)
        document = _merged(read_mapping(config), document)
    return document


def _merged(parent: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(parent)
    for key, value in own.items():
        other = both.get(key)
        both[key] = _merged(other, value) if isinstance(other, Mapping) and isinstance(value, Mapping) else value
    return both


def plugins_of(document: Mapping[str, Any]) -> Options:
    """Return the plug-ins of a configuration by name, each with its options."""
    listed = _listed(document, "plugins")
    return {name.rpartition("/")[2]: options for name, options in listed if options.get("enabled") != "false"}


def _listed(document: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the names in a list of a configuration, each with its options."""
    listed = document.get(key)
    for each in listed if isinstance(listed, list) else [listed]:
        for name, options in each.items() if isinstance(each, Mapping) else [(each, {})]:
            if name:
                yield str(name), mapping(options)


def _blogs(plugins: Options) -> Iterator[tuple[str, str, str, str]]:
    """The folder, the folder of posts, and the patterns of addresses and dates of a blog."""
    if (options := plugins.get("blog")) is not None:
        folder = clean(str(options.get("blog_dir", "blog"))).strip("/.")
        posts = str(options.get("post_dir", "{blog}/posts")).replace("{blog}", folder).strip("/")
        pattern = str(options.get("post_url_format", "{date}/{slug}"))
        yield folder, posts, pattern, str(options.get("post_url_date_format", "yyyy/MM/dd"))


def _languages(options: Mapping[str, Any]) -> tuple[tuple[str, ...], str | None]:
    """The languages of a site with translations, and the default one."""
    listed = list(map(mapping, options.get("languages") or ()))
    names = tuple(str(each["locale"]) for each in listed if "locale" in each)
    defaults = (str(each["locale"]) for each in listed if each.get("default") == "true" and "locale" in each)
    return names, next(defaults, None)


def _nav_file(plugins: Options) -> str:
    for name, key, default in NAV_PLUGINS:
        if name in plugins:
            return str(plugins[name].get(key, default))
    return ""


def _notes(slugs: str, document: Mapping[str, Any], plugins: Options) -> Iterator[str]:
    """What the configuration does to pages that is not followed."""
    if slugs == UNKNOWN:
        yield _SCRIPTED
    if "hooks" in document:
        yield "`hooks` may change pages, which are not run: headings with remarks in them have no anchor"
    if others := sorted(set(plugins) - FOLLOWED):
        yield f"it is not known what these plug-ins do to pages: {', '.join(others)}"


def _snippets(values: Values) -> tuple[str, ...]:
    """Return the base folders of pymdownx.snippets; `!relative` names them by variables."""
    folders = values.get(("markdown_extensions", "pymdownx.snippets", "base_path")) or (".",)
    docs = clean(one(values, "docs_dir") or "docs")
    return tuple(folder.replace("$config_dir", ".").replace("$docs_dir", docs) for folder in folders)


def _slugs(toc: Mapping[str, Any]) -> str:
    """Return how headings are named: as the style `mkdocs` calls it, or `unknown`."""
    written = toc.get("slugify")
    table = mapping(written)
    options = mapping(table.get("kwds"))
    module, _, name = str(table.get(TAGGED) or table.get("object") or written or "").rpartition(".")
    if module not in ("pymdownx.slugs", "markdown.extensions.toc"):
        return UNKNOWN if written else ""
    if name != "slugify":
        return _NAMED.get(name, UNKNOWN)
    if module != "pymdownx.slugs":
        return ""
    return str(options.get("case", "none")) + ("%" if options.get("percent_encode") == "true" else "")

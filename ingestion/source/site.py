"""Find out which generator builds the site of a book, and what the site's own configuration says of its pages.

The crawler, the linter, the addresses of lessons and `bookwise init` all ask here. Configuration files are read,
never executed; what they do not say as a plain value keeps its default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from ingestion.errors import ConfigurationError
from ingestion.source.site_config import Values, read_config

Generator = Literal["docusaurus", "mkdocs", "mdbook", "hugo", "jekyll", "vitepress", "astro"]

LEVELS_UP = 4
"""How far above the lessons a configuration file is looked for: Starlight's pages lie three folders below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site and where its pages lie.

    `folder` holds the configuration file `config`; `docs` is the folder of the pages, relative to `folder` (`.` is
    the folder itself). `url` is the address of the whole site without a slash at its end, empty where it is not
    known, and `base_url` that of its pages in the default language and version. `route` is what stands between the
    two (Docusaurus' `routeBasePath`). `languages` are all languages, the default one included. `versions` are the
    versions in Docusaurus' order, newest first, and `last_version` is the one that readers see unasked; it is
    `current` for the pages in `docs`. `shown_version` is the same among the versions that are indexed.

    `trailing_slash` is None where the site does not say. `number_prefixes` tells whether numbers before names are
    dropped from addresses, `directory_urls` whether a page has a folder of its own (`guide/` for `guide.md`).
    `excluded` and `drafts` are patterns (gitignore syntax) of files without a page, and of files that only a
    preview shows. `unicode_slugs` tells that MkDocs names headings by pymdownx's slugify, and `snippets` are the
    folders from which its snippets are included, relative to `folder`. `mdx_format` tells which pages are MDX: all
    (`mdx`), none (`md`), or those whose names end in `.mdx` (`detect`). `before_docs` stands before a page's path
    where the root of the lessons holds the docs folder (`docs/`), and `before_root` is what the docs folder has
    before it where the root lies inside.

    Hugo's languages may have folders of their own: `language_folders` names them below the docs folder, and
    `default_in_folder` tells that addresses name the default language too. In Jekyll, `needs_metadata` tells that a
    file without front matter is no page, and `readme_is_index` that README stands for its folder: both are so on
    GitHub, and with a plugin elsewhere.
    """

    generator: Generator
    folder: Path
    config: Path
    docs: str
    url: str = ""
    route: str = ""
    title: str | None = None
    language: str | None = None
    languages: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    last_version: str = "current"
    shown_version: str = "current"
    trailing_slash: bool | None = None
    number_prefixes: bool = False
    directory_urls: bool = True
    excluded: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    unicode_slugs: bool = False
    snippets: tuple[str, ...] = (".",)
    mdx_format: str = "detect"
    before_docs: str = ""
    before_root: str = ""
    language_folders: tuple[tuple[str, str], ...] = ()
    default_in_folder: bool = False
    needs_metadata: bool = False
    readme_is_index: bool = True

    @property
    def base_url(self) -> str:
        """The address below which the pages of the default language and version lie."""
        return f"{self.url}/{self.route}".rstrip("/") if self.url else ""

    @property
    def docs_folder(self) -> Path:
        """The folder of the pages."""
        return self.folder / self.docs

    def page_path(self, path: str) -> str | None:
        """Return the path of a file relative to the docs folder, given that relative to the root of the lessons.

        None for a file outside of the docs folder, which has no page.
        """
        if not path.startswith(self.before_docs):
            return None
        return self.before_root + path.removeprefix(self.before_docs)


def find_site(root: Path) -> Site | None:
    """Return the site that the lessons below `root` belong to, or None; raises ConfigurationError for a broken file.

    A site is found in `root` itself or in a folder above it, up to the git repository, if its pages lie in `root` or
    around it.
    """
    root = root.resolve()
    for folder in _candidates(root):
        for name, read in _READERS:
            config = folder / name
            if not config.is_file() or config.is_symlink():
                continue
            site = read(folder, config)
            if site and (docs := site.docs_folder.resolve()).is_relative_to(site.folder):
                if docs.is_relative_to(root):
                    return replace(site, before_docs=_prefix(docs, root))
                if root.is_relative_to(docs):
                    return replace(site, before_root=_prefix(root, docs))
    return None


def _candidates(root: Path) -> Iterator[Path]:
    for folder in (root, *root.parents)[: LEVELS_UP + 1]:
        yield folder
        if (folder / ".git").exists() or folder == Path.home():
            return


def _prefix(inner: Path, outer: Path) -> str:
    return f"{inner.relative_to(outer).as_posix()}/" if inner != outer else ""


def _docusaurus(folder: Path, config: Path) -> Site:
    values = read_config(config)
    options = _docs_options(values)
    base = _one(values, "baseUrl") or "/"
    address = _one(values, "url") or ""
    versions = _versions(folder)
    disabled = options.get("disableVersioning") == "true"
    return Site(
        generator="docusaurus",
        folder=folder,
        config=config,
        docs=_clean(options.get("path", "docs")),
        url=_joined(address, base) if address else "",
        route=options.get("routeBasePath", "docs").strip("/"),
        title=_one(values, "title"),
        language=_one(values, "i18n", "defaultLocale") or "en",
        languages=values.get(("i18n", "locales"), ()),
        versions=() if disabled else versions,
        last_version=options.get("lastVersion") or (versions[0] if versions and not disabled else "current"),
        trailing_slash=_flag(_one(values, "trailingSlash")),
        number_prefixes=options.get("numberPrefixParser") != "false",
        mdx_format=_one(values, "markdown", "format") or "mdx",
    )


def _docs_options(values: Values) -> dict[str, str]:
    """Return the options of the docs plugin: those of the preset, else those of the plugin itself."""
    for head in (("presets", "docs"), ("plugins",)):
        found = {path[-1]: texts[0] for path, texts in values.items() if path[:-1] == head}
        if found:
            return found
    return {}


def _versions(folder: Path) -> tuple[str, ...]:
    try:
        listed = json.loads((folder / "versions.json").read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{folder / 'versions.json'}: cannot be read: {error}") from error
    return tuple(version for version in listed if isinstance(version, str)) if isinstance(listed, list) else ()


_UNICODE_SLUGS = re.compile(
    r"^[^#\n]*slugify:\s*!!python/(?:name:pymdownx\.slugs\.uslugify|"
    r"object/apply:pymdownx\.slugs\.slugify\b[^!]{0,80}\bcase:\s*[\"']?lower\b(?!-))",
    re.M,
)
"""How Material's documentation names headings; the tag is no value that reading the file gives."""


def _mkdocs(folder: Path, config: Path) -> Site:
    values = read_config(config)
    return Site(
        generator="mkdocs",
        folder=folder,
        config=config,
        docs=_clean(_one(values, "docs_dir") or "docs"),
        url=_joined(_one(values, "site_url") or "", ""),
        title=_one(values, "site_name"),
        language=_one(values, "theme", "language"),
        directory_urls=_one(values, "use_directory_urls") != "false",
        # Both are the built-in ones of MkDocs; a site's own patterns come after them.
        excluded=(".*", "/templates/", *_lines(values, "exclude_docs")),
        drafts=_lines(values, "draft_docs"),
        unicode_slugs=_UNICODE_SLUGS.search(config.read_text(encoding="utf-8-sig")) is not None,
        snippets=_snippets(values),
    )


def _snippets(values: Values) -> tuple[str, ...]:
    """Return the base folders of pymdownx.snippets; `!relative` names them by variables."""
    folders = values.get(("markdown_extensions", "pymdownx.snippets", "base_path")) or (".",)
    docs = _clean(_one(values, "docs_dir") or "docs")
    return tuple(folder.replace("$config_dir", ".").replace("$docs_dir", docs) for folder in folders)


def _mdbook(folder: Path, config: Path) -> Site:
    values = read_config(config)
    return Site(
        generator="mdbook",
        folder=folder,
        config=config,
        docs=_clean(_one(values, "book", "src") or "src"),
        # mdBook knows its path on the host only (`site-url`), and needs it for its page 404 alone.
        title=_one(values, "book", "title"),
        language=_one(values, "book", "language"),
        directory_urls=False,
    )


def _hugo(folder: Path, config: Path) -> Site | None:
    values = {tuple(name.lower() for name in path): texts for path, texts in read_config(config).items()}
    if config.name.startswith("config.") and ("baseurl",) not in values:
        return None
    docs = _clean(_one(values, "contentdir") or "content")
    languages = tuple(sorted({path[1] for path in values if path[0] == "languages" and len(path) > 2}))
    own = ((language, _one(values, "languages", language, "contentdir") or docs) for language in languages)
    return Site(
        generator="hugo",
        folder=config.parent.parent.parent if config.parent.name == "_default" else folder,
        config=config,
        docs=docs,
        url=_joined(_one(values, "baseurl") or "", ""),
        title=_one(values, "title"),
        language=_one(values, "defaultcontentlanguage") or "en",
        languages=languages,
        language_folders=tuple((name, path[len(docs) + 1 :]) for name, path in own if path.startswith(f"{docs}/")),
        default_in_folder=_one(values, "defaultcontentlanguageinsubdir") == "true",
        directory_urls=_one(values, "uglyurls") != "true",
    )


def _jekyll(folder: Path, config: Path) -> Site:
    values = read_config(config)
    address = _one(values, "url") or ""
    permalink = _one(values, "permalink") or ""
    gems, on_github = _gems(folder, values)
    return Site(
        generator="jekyll",
        folder=folder,
        config=config,
        docs=_clean(_one(values, "source") or "."),
        url=_joined(address, _one(values, "baseurl") or "") if address else "",
        title=_one(values, "title"),
        language=_one(values, "lang"),
        directory_urls=permalink == "pretty" or permalink.endswith("/"),
        excluded=values.get(("exclude",), ()),
        needs_metadata=not on_github and "jekyll-optional-front-matter" not in gems,
        readme_is_index=on_github or "jekyll-readme-index" in gems,
    )


def _gems(folder: Path, values: Values) -> tuple[tuple[str, ...], bool]:
    """The plugins that a Jekyll site names, and whether GitHub builds it: where no Gemfile says otherwise."""
    named = values.get(("plugins",), ()) + values.get(("gems",), ())
    try:
        gemfile = (folder / "Gemfile").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return named, True
    except OSError as error:
        raise ConfigurationError(f"{folder / 'Gemfile'}: cannot be read: {error}") from error
    return named, bool(re.search(r"""^[^#\n]*["']github-pages["']""", gemfile, re.M))


def _vitepress(folder: Path, config: Path) -> Site:
    values = read_config(config)
    pages = config.parent.parent
    return Site(
        generator="vitepress",
        folder=pages,
        config=config,
        docs=_clean(_one(values, "srcDir") or "."),
        route=(_one(values, "base") or "").strip("/"),
        title=_one(values, "title"),
        language=_one(values, "lang"),
        directory_urls=False,
        trailing_slash=None,
        excluded=values.get(("srcExclude",), ()),
    )


def _astro(folder: Path, config: Path) -> Site:
    values = read_config(config)
    address = _one(values, "site") or ""
    slash = {"always": True, "never": False}.get(_one(values, "trailingSlash") or "")
    language = next((texts[0] for path, texts in values.items() if path[-1] == "defaultLocale"), None)
    names = (path[path.index("locales") + 1] for path in values if "locales" in path[:-1])
    return Site(
        generator="astro",
        folder=folder,
        config=config,
        docs="src/content/docs",
        url=_joined(address, _one(values, "base") or "") if address else "",
        language=language,
        languages=tuple(dict.fromkeys(names)),
        trailing_slash=slash,
    )


_SCRIPT = ("cjs", "cts", "js", "mjs", "mts", "ts")
_YAML = ("yaml", "yml")
_DATA = ("json", "toml", *_YAML)

_READERS: tuple[tuple[str, Callable[[Path, Path], Site | None]], ...] = tuple(
    (f"{name}.{ending}", read)
    for name, endings, read in (
        ("docusaurus.config", _SCRIPT, _docusaurus),
        ("mkdocs", _YAML, _mkdocs),
        ("book", ("toml",), _mdbook),
        ("hugo", _DATA, _hugo),
        ("config/_default/hugo", _DATA, _hugo),
        ("config/_default/config", _DATA, _hugo),
        ("config", ("toml", *_YAML), _hugo),
        (".vitepress/config", _SCRIPT, _vitepress),
        ("docs/.vitepress/config", _SCRIPT, _vitepress),
        ("astro.config", _SCRIPT, _astro),
        ("_config", _YAML, _jekyll),
    )
    for ending in endings
)
"""The configuration files, in the order of search: a Jekyll file beside another one is there for GitHub."""


def _one(values: Mapping[tuple[str, ...], tuple[str, ...]], *path: str) -> str | None:
    texts = values.get(path)
    return texts[0] if texts else None


def _flag(value: str | None) -> bool | None:
    return None if value is None else value == "true"


def _lines(values: Values, name: str) -> tuple[str, ...]:
    lines = (line.strip() for line in (_one(values, name) or "").split("\n"))
    return tuple(line for line in lines if line and not line.startswith("#"))


def _clean(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).as_posix()


def _joined(address: str, path: str) -> str:
    """Return an http(s) address and a path on it; empty where the address is none."""
    if not re.match(r"https?://[^/]", address):
        return ""
    return f"{address.rstrip('/')}/{path.strip('/')}".rstrip("/")

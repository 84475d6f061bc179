"""Sites whose own configuration decides on addresses: patterns, collections, mounts, rewrites, more docs folders."""

from __future__ import annotations

from collections.abc import Mapping

LAYOUT = "<html><body><main>{{ CONTENT }}</main></body></html>\n"


def page(name: str, metadata: str = "") -> str:
    """A page whose words no other has, with a heading that all have."""
    return f"---\n{metadata}---\n# {name}\n\nWords of {name}.\n\n## Next part\n\nMore of {name}.\n"


JEKYLL_PATTERNS: Mapping[str, str] = {
    "_config.yml": (
        "title: Book\nurl: https://x.example\n"
        "collections:\n"
        "  docs: {output: true, permalink: '/manual/:path/'}\n"
        "  plain: {output: true}\n"
        "  named: {output: true, permalink: '/n/:collection/:slug'}\n"
        "  hidden: {output: false}\n"
        "include: [_more]\n"
        "defaults:\n"
        "  - {scope: {path: ''}, values: {layout: default}}\n"
        "  - {scope: {path: guides}, values: {permalink: '/g/:basename/'}}\n"
        "  - {scope: {path: '', type: plain}, values: {permalink: '/p/:name:output_ext'}}\n"
        "  - {scope: {path: 'closed/*'}, values: {published: false}}\n"
    ),
    "Gemfile": 'gem "jekyll"\n',
    "_layouts/default.html": LAYOUT.replace("CONTENT", "content"),
    "_includes/note.html": "<p>{{ include.kind }} of {{include.stuff}}: {{ include.zqnone }}</p>\n",
    "index.md": page("Home"),
    "top.md": page("Top"),
    "noted.md": page("Noted") + "\n{% include note.html kind=\"A note\" stuff='tungsten' %}\n",
    "guides/start.md": page("Start"),
    "guides/x/deep.md": page("Deep"),
    "guides/own.md": page("Own", "permalink: /elsewhere/Own.html\n"),
    "closed/secret.md": page("Zqclosed"),
    "closed/open.md": page("Open", "published: true\n"),
    "_more/extra.md": page("Extra"),
    "_docs/one.md": page("One"),
    "_docs/README.md": page("Readme"),
    "_docs/index.md": page("Index"),
    "_docs/sub/Two_Words here.md": page("Two"),
    "_docs/2020-03-04-dated.md": page("Dated"),
    "_docs/titled.md": page("Titled", "permalink: /own/:title/\ntitle: Another\n"),
    "_docs/later.md": page("Zqlater", "date: 2199-01-01 10:00:00 +0000\n"),
    "_docs/_under.md": page("Zqunder"),
    "_plain/a-B c.md": page("Plain"),
    "_named/Some Thing.md": page("Named", "slug: Other Name\n"),
    "_hidden/page.md": page("Zqhidden"),
    "_drafts/idea.md": page("Zqdraft"),
    "_posts/2020-01-02-hello-World.md": page("Hello", "categories: [A b, Two]\n"),
    "_posts/2020-01-05-moved.md": page("Moved", "date: 2021-05-06 10:00:00 +0000\nslug: sluggy\n"),
    "_posts/2020-1-7-short.md": page("Short", "categories: one two\n"),
    "_posts/2020-01-08-ünï code.md": page("Code"),
    "_posts/sub/2020-02-02-inside.md": page("Inside"),
    "part/_posts/2020-01-03-second.md": page("Second", "category: third kind\n"),
    "_posts/2199-01-01-future.md": page("Zqfuture"),
    "_posts/2020-01-09-shut.md": page("Zqshut", "published: false\n"),
    "_posts/nodate.md": page("Zqnodate"),
}
JEKYLL_PATTERN_PAGES = 22

HUGO_PATTERNS: Mapping[str, str] = {
    "config/_default/hugo.toml": 'baseURL = "https://x.example/"\ntitle = "B"\ndisableKinds = ["taxonomy", "term"]\n',
    "config/_default/permalinks.yaml": (
        'posts: "/blog/:year/:month/:slug/"\n'
        'docs: "/d/:sections[1:]/:contentbasename"\n'
        'page: {notes: "/n/:title/", more: "/m/:slugorcontentbasename/:day-:monthname-:yearday-:weekday"}\n'
        'section: {notes: "/all-notes/"}\n'
    ),
    "config/_default/languages.toml": "[en]\nweight = 1\n[ur]\nweight = 2\n",
    "config/_default/module.toml": (
        '[[mounts]]\nsource = "content"\ntarget = "content"\n'
        '[[mounts]]\nsource = "manual"\ntarget = "content/handbook"\n'
        '[[mounts]]\nsource = "urdu"\ntarget = "content"\n'
        '[mounts.sites.matrix]\nlanguages = ["ur"]\n'
    ),
    **{
        f"layouts/{name}.html": LAYOUT.replace("CONTENT", ".Content") for name in ("_default/single", "_default/list")
    },
    "layouts/index.html": LAYOUT.replace("CONTENT", ".Content"),
    "content/_index.md": page("Home"),
    "content/a & b/C++ (new).md": page("Signs"),
    "content/posts/_index.md": page("Posts"),
    "content/posts/first.md": page("First", "title: First Post & more\ndate: 2021-02-03\n"),
    "content/posts/second.md": page("Second", "title: x\npublishDate: 2021-03-04T10:00:00Z\nSlug: My Slug\n"),
    "content/posts/undated.md": page("Undated", "title: undated\n"),
    "content/docs/_index.md": page("Docs"),
    "content/docs/a/_index.md": page("Section"),
    "content/docs/a/b/deep.md": page("Deep"),
    "content/docs/bundle/index.md": page("Bundle"),
    "content/notes/_index.md": page("Notes"),
    "content/notes/one.md": page("One", "title: 'A Title: here!'\n"),
    "content/more/p.md": page("More", "date: 2021-12-31\n"),
    "content/more/q.md": page("Slugged", "date: 31 Dec 2021\nslug: other\n"),
    "content/moved.md": page("Moved", "URL: /:year/moved/\ndate: 2020-01-01\n"),
    "content/file.md": page("File", "url: /x/File.html\n"),
    "content/later.md": page("Zqlater", "publishDate: 2199-01-01 10:00:00 +0000\n"),
    "content/gone.md": page("Zqgone", "ExpiryDate: 2001-01-01\n"),
    "content/shut.md": page("Zqshut", 'draft: "true"\n'),
    "manual/one.md": page("Manual"),
    "manual/sub/two.md": page("Below"),
    "urdu/moved.md": page("Urdu", "title: x\n"),
}
HUGO_PATTERN_PAGES = 19

VITEPRESS_REWRITES: Mapping[str, str] = {
    ".vitepress/config.mts": """
import { defineConfig } from 'vitepress'
const base = '/base/'
export default defineConfig({
  title: 'Book', base, srcDir: './src', srcExclude: ['**/TODO.md', 'x/**'], ignoreDeadLinks: true, cleanUrls: true,
  sitemap: { hostname: 'https://x.example' },
  locales: { root: { label: 'English', lang: 'en' }, fr: { label: 'French', lang: 'fr', link: '/fr/guide' } },
  rewrites: {
    'packages/:pkg/src/:slug*': ':pkg/:slug*', // as in VitePress' own documentation
    'one.md': 'uno/eins.md',
    'guide/:page': 'g/:page',
    ':lang(en)/:rest*': ':rest*',
    "q-:num(\\\\d+).md": 'quiz/:num.md',
  },
})
""",
    "package.json": '{"name": "book", "private": true, "type": "module"}\n',
    **{
        f"src/{path}.md": page(name)
        for path, name in (
            *(("index", "Home"), ("one", "One"), ("packages/foo/src/index", "Foo"), ("packages/foo/src/a", "Anchor")),
            *(("packages/foo/src/b/c", "Bell"), ("guide/index", "Guide"), ("guide/start", "Start")),
            *(("guide/deep/er", "Deeper"), ("en/hello", "Hello"), ("en/sub/hi", "Hi"), ("q-12", "Quiz")),
            *(("q-x", "Question"), ("fr/guide/start", "Debut"), ("Ü b/ç", "Letters")),
            *(("TODO", "Zqtodo"), ("x/no", "Zqexcluded")),
        )
    },
}
VITEPRESS_REWRITE_PAGES = 14

DOCUSAURUS_INSTANCES: Mapping[str, str] = {
    "docs/01-one.md": page("One"),
    "docs/02-part/index.md": page("Part"),
    "versions.json": '["2.0", "1.0"]\n',
    "versioned_docs/version-2.0/01-one.md": page("Second"),
    "versioned_docs/version-1.0/01-one.md": page("First"),
    "community/01-team.md": page("Team"),
    "community/deep/02-more.md": page("More", "slug: /far/Away\n"),
    "community_versions.json": '["5"]\n',
    "community_versioned_docs/version-5/01-team.md": page("Fifth"),
    "i18n/ur/docusaurus-plugin-content-docs/current/01-one.md": page("Urdu"),
    "i18n/ur/docusaurus-plugin-content-docs-community/current/01-team.md": page("Urduteam"),
    **{
        f"{name}_sidebars/version-{version}-sidebars.json": '{"all": [{"type": "autogenerated", "dirName": "."}]}\n'
        for name, version in (("versioned", "1.0"), ("versioned", "2.0"), ("community_versioned", "5"))
    },
}
DOCUSAURUS_INSTANCE_PAGES = 9

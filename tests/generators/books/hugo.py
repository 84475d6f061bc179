"""A Hugo site with metadata in all forms, shortcodes, bundles, translations and pages that are not built."""

from __future__ import annotations

from collections.abc import Mapping

from tests.generators.books.common import COMMON, PLAIN

_LAYOUT = "<html><body><main>{{ .Content }}</main></body></html>\n"

_SHORTCODES = """---
title: Shortcodes
---
# Shortcodes

{{< tabs >}}
{{< tab "Walnut tab" >}}
First words in walnut.
{{< /tab >}}
{{% tab header="Maple tab" %}}
Second words in **maple**.
{{% /tab %}}
{{< /tabs >}}

{{% alert title="Mind the pewter step" %}}
It is high.
{{% /alert %}}

{{< figure src="gear.png" alt="The drawn gear" caption="A caption in ochre" >}}

{{< highlight python >}}
print("highlighted in bronze")
{{< /highlight >}}

{{< readfile file="/parts/basics.txt" >}}

{{% readfile "/parts/markdown.txt" %}}

A sample: {{</* tab "literal" */>}} is shown.

Summary ends here.

<!--more-->

## Own {#mine}

An id of its own.

## Wide {#wide .class key="x"}

Attributes beside it.

## Noted[^1] heading

It has a mark.

Setext over
two lines
---------

Both are the heading.

A term
: What the term means, in copper.

> [!NOTE]
> An alert of GitHub in teal.

[^1]: The reason is written on teak.
"""

_SHORTCODE_FILES: Mapping[str, str] = {
    "tabs": "<div>{{ .Inner }}</div>\n",
    "tab": '<div><b>{{ or (.Get "header") (.Get 0) }}</b> {{ .Inner | markdownify }}</div>\n',
    "alert": '<div><h4>{{ .Get "title" }}</h4> {{ .Inner | markdownify }}</div>\n',
    "readfile": '{{ $file := or (.Get "file") (.Get 0) }}{{ readFile $file | safeHTML }}\n',
}

HUGO: Mapping[str, str] = {
    "hugo.toml": (
        'baseURL = "https://x.example/"\ntitle = "Book"\ndisableKinds = ["taxonomy", "term", "rss"]\n'
        'defaultContentLanguage = "en"\n[languages.en]\nweight = 1\n[languages.ur]\nweight = 2\n'
    ),
    **{f"layouts/_default/{kind}.html": _LAYOUT for kind in ("single", "list")},
    **{f"layouts/shortcodes/{name}.html": text for name, text in _SHORTCODE_FILES.items()},
    "layouts/index.html": _LAYOUT,
    "parts/basics.txt": "The part of tin.\n\n## No section here\n",
    "parts/markdown.txt": "A part of *gallium*.\n",
    "content/_index.md": "# Home\n\nThe first page.\n\n## Own {#mine}\n\nAn id of its own.\n",
    "content/part/_index.md": "# Part\n\nStands for its folder in saffron.\n",
    "content/draft.md": COMMON["draft.md"],
    "content/toml.md": '+++\ntitle = "Of TOML"\nslug = "Own Slug"\n+++\n# TOML\n\nWith plus signs.\n',
    "content/json.md": '{\n  "title": "Of JSON",\n  "url": "/moved/Here/"\n}\n\n# JSON\n\nWith braces.\n',
    "content/draft-toml.md": "+++\ndraft = true\n+++\n# Draft\n\nThe zqdraft of TOML.\n",
    "content/later.md": "---\ndate: 2199-01-01\n---\n# Later\n\nThe zqlater page.\n",
    "content/gone.md": "---\nexpiryDate: 2001-01-01\n---\n# Gone\n\nThe zqgone page.\n",
    "content/never.md": "---\nbuild:\n  render: never\n---\n# Never\n\nThe zqnever page.\n",
    "content/cascade/_index.md": "---\ncascade:\n  draft: true\n---\n# Closed\n\nThe zqcascade section.\n",
    "content/cascade/page.md": "# Page\n\nThe zqcascade page.\n",
    "content/cascade/open.md": "---\ndraft: false\n---\n# Open\n\nThe page of hazel is shown.\n",
    "content/leaf/index.md": "---\ntitle: Leaf\n---\n# Leaf\n\nA bundle of amber.\n",
    "content/leaf/inside.md": "---\ntitle: Inside\n---\n# Inside\n\nThe zqresource has no page.\n",
    "content/_under.md": "# Under\n\nAn underscore hides nothing here.\n",
    "content/suffix.markdown": "# Suffix\n\nThe long suffix is built too.\n",
    "content/shortcodes.md": _SHORTCODES,
    "content/leaf/deep/more.md": "# More\n\nThe zqresource of a resource.\n",
    "content/leaf/index.ur.md": "---\ntitle: پتا\n---\n# پتا\n\nعنبر کا صفحہ۔\n",
    "content/body.ur.md": "# سبز\n\nسبز بٹن سے شروع کریں۔\n",
    **{f"content/{path}": text for path, text in PLAIN.items()},
}

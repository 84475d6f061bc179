"""A Jekyll site with kramdown's own marks, Liquid, includes and permalinks."""

from __future__ import annotations

from collections.abc import Mapping

from tests.generators.books.common import PLAIN

_KRAMDOWN = """---
title: Kramdown
---
# Kramdown
{: .no_toc }

* TOC
{:toc}

## Own {#mine}

An id of its own.

## Line of attributes
{: #below .wide}

An id below the heading.

## Noted[^1] heading

It has a mark.

<h2 id="of-html">A heading of HTML</h2>

Words below the heading of HTML in sorrel.

A term
: What the term means, in copper.

{::comment}
zqremark of kramdown
{:/comment}

{% comment %} zqremark of Liquid {% endcomment %}

A paragraph with a class.
{: .zqclass}

The HTML is old.

*[HTML]: Hyper words

{% raw %}A sample of {{ braces }} in raw.{% endraw %}

{% highlight python %}
print("highlighted by Liquid")
{% endhighlight %}

{% if true %}Shown by a condition.{% endif %}

[^1]: The reason is written on teak.
"""

_INCLUDES = """---
title: Includes
---
# Includes

Before the parts in pewter.

{% include basics.md %}

{% include_relative near.md %}

{%- include folder/item.html title="argon" -%}

After the parts in zinc.
"""


def _with_metadata(text: str) -> str:
    return text if text.startswith("---\n") else f"---\n---\n{text}"


JEKYLL: Mapping[str, str] = {
    "_config.yml": (
        'title: Book\nurl: https://x.example\nbaseurl: ""\nexclude: [zqexcluded.md, "*.txt"]\n'
        'defaults: [{scope: {path: ""}, values: {layout: default}}]\n'
    ),
    "Gemfile": 'gem "jekyll"\n',
    "_layouts/default.html": "<html><body><main>{{ content }}</main></body></html>\n",
    "_includes/basics.md": "## Basics\n\nThe part of tin.\n",
    "_includes/folder/item.html": "<p>The item of HTML.</p>\n",
    "near.md": "A part near by, of gallium.\n",
    "README.md": "---\n---\n# Read me\n\nIs a page of its own in umber.\n",
    "plain.md": "# Plain\n\nThe zqplain file has no page without metadata.\n",
    "index.md": "---\n---\n# Home\n\nThe first page.\n",
    "part/index.md": "---\n---\n# Part\n\nStands for its folder in saffron.\n",
    "zqexcluded.md": "---\n---\n# Excluded\n\nThe zqexcluded page.\n",
    "hidden.md": "---\npublished: false\n---\n# Hidden\n\nThe zqunpublished page.\n",
    "moved.md": "---\npermalink: /other/Place/\n---\n# Moved\n\nLies elsewhere.\n",
    "named.markdown": "---\npermalink: /named.html\n---\n# Named\n\nHas a name of its own.\n",
    "_drafts/idea.md": "---\n---\n# Idea\n\nThe zqdraft of Jekyll.\n",
    "kramdown.md": _KRAMDOWN,
    "includes.md": _INCLUDES,
    **{path: _with_metadata(text) for path, text in PLAIN.items()},
}

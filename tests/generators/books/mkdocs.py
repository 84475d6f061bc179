"""An MkDocs site with Python-Markdown's extensions, snippets, drafts and excluded files."""

from __future__ import annotations

from collections.abc import Mapping

from tests.generators.books.common import PLAIN

_EXTENSIONS = """# Extensions

!!! note "The title of a pewter note"

    Words inside of it.

!!! warning

    Without a title.

    !!! tip "Nested"

        Deeper words.

??? info "Closed brass"

    Seen after a click.

=== "Walnut tab"

    First words in walnut.

=== "Maple tab"

    Second words in maple.

    ```python
    turn("maple")
    ```

## Own {#mine}

An id of its own.

## Wide { #wide .class key=x }

Attributes beside it.

## Kramdown {: #kram .note }

Attributes with a colon.

## Mine {#twice}

One.

## Twice

Two.

## Noted[^1] heading

It has a mark.

<h2 id="of-html">A heading of HTML</h2>

Words below the heading of HTML in sorrel.

A term
:   What the term means, in copper.

A paragraph with a class.
{: .zqclass }

The HTML is old.

*[HTML]: Hyper words

<div markdown="1">

Words in a *div* of tin.

</div>

[TOC]

[^1]: The reason is written on teak.
"""

_SNIPPETS = """# Snippets

Before the parts in pewter.

--8<-- "parts/basics.md"

--8<-- "parts/sections.md:shown"

--8<-- "parts/lines.md:2:3"

```python
--8<-- "parts/code.py:main"
```

!!! note

    --8<-- "parts/inner.md"

--8<--
parts/block.md
; parts/zqoff.md
--8<--

;--8<-- "parts/literal.md"

After the parts in zinc.
"""

MKDOCS: Mapping[str, str] = {
    "mkdocs.yml": """
site_name: Book
site_url: https://x.example/
exclude_docs: |
  zqexcluded.md
  /parts/
draft_docs: |
  zqdrafts/
markdown_extensions:
  - attr_list
  - footnotes
  - def_list
  - abbr
  - admonition
  - md_in_html
  - pymdownx.details
  - pymdownx.superfences
  - pymdownx.snippets: {base_path: [docs]}
  - pymdownx.tabbed: {alternate_style: true}
  - toc
""",
    "docs/index.md": "# Home\n\nThe first page.\n\n## Own {#mine}\n\nAn id of its own.\n",
    "docs/part/README.md": "# Part\n\nStands for its folder in saffron.\n",
    "docs/zqexcluded.md": "# Excluded\n\nThe zqexcluded page.\n",
    "docs/zqdrafts/one.md": "# Draft\n\nThe zqdraft page.\n",
    "docs/_under.md": "# Under\n\nAn underscore hides nothing here.\n",
    "docs/metadata.md": "Title: Of MultiMarkdown\nZqkey: zqvalue\n\n# Metadata\n\nWithout marks.\n",
    "docs/suffix.markdown": "# Suffix\n\nThe long suffix is built too.\n",
    "docs/extensions.md": _EXTENSIONS,
    "docs/snippets.md": _SNIPPETS,
    "docs/parts/basics.md": '## Basics\n\nThe part of tin.\n\n--8<-- "parts/inner.md"\n',
    "docs/parts/inner.md": "A part in a part, of gallium.\n",
    "docs/parts/sections.md": (
        "zqbefore\n\n<!-- --8<-- [start:shown] -->\nThe section of krypton.\n<!-- --8<-- [end:shown] -->\n\nzqafter\n"
    ),
    "docs/parts/lines.md": "zqone\nLine two of neon.\nLine three of xenon.\nzqfour\n",
    "docs/parts/code.py": "zqbefore = 1\n# --8<-- [start:main]\nprint('code of cobalt')\n# --8<-- [end:main]\n",
    "docs/parts/block.md": "The block of radon.\n",
    **{f"docs/{path}": text for path, text in PLAIN.items()},
}

_MATERIAL_PAGE = """# Material

[Start](index.md){ .md-button .md-button--primary }

==Marked== words and ++ctrl+alt+del++.

<div class="grid cards" markdown>

-   __Card of beryl__{ .lg }

    ---

    Content of the card.

</div>

``` py title="bubble_sort.py" hl_lines="1"
print("x") # (1)!
```

1.  An annotation in topaz.

!!! info inline end "Side title"

    Beside.

![A gear of Material](gear.png){ width="300" loading=lazy }
"""
_MATERIAL_OPTIONS = """  - pymdownx.tasklist
  - pymdownx.mark
  - pymdownx.keys
theme: {name: material}
"""

MATERIAL: Mapping[str, str] = {
    **MKDOCS,
    "mkdocs.yml": MKDOCS["mkdocs.yml"].replace("  - toc\n", "  - toc: {SLUGIFY}\n") + _MATERIAL_OPTIONS,
    "docs/material.md": _MATERIAL_PAGE,
}

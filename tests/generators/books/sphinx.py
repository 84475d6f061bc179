"""A book of Sphinx with MyST: labels, directives, roles, remarks, toctrees and excluded files."""

from __future__ import annotations

from collections.abc import Mapping

from tests.generators.books.common import PLAIN

_MYST = """(motor-label)=
# Motors

% zqremark about the budget

```{note}
Torque falls when the winding is hot.
```

````{warning} Hot surface
Never touch the casing.

```python
stop("bronze")
```
````

:::{admonition} Remember the gasket
:class: tip
Replace it in *amber*.
:::

See {ref}`the motors <motor-label>`. {kbd}`Tab` and {abbr}`MyST (zqlong)` in {term}`stator <zqterm>`.

```{code-block} python
:emphasize-lines: 1
turn("maple")
```

```{toctree}
:hidden:
headings
body
part/index
```

+++

## After the break

Words on the rotor in copper.

(Big Label_x)=

## Labelled

One.

## Motors

The same title again.

{#own-id}
## With attributes

Two.

## After the break

Again.

```{include} parts/inner.txt
```
"""

SPHINX: Mapping[str, str] = {
    "conf.py": (
        'import os\n\nproject = "Book"\nextensions = ["myst_parser"]\nhtml_baseurl = "https://x.example/"\n'
        'myst_enable_extensions = ["colon_fence", "attrs_block"]\n'
        'exclude_patterns = ["_build", "zqdrafts/*", "zq.md"]\n'
        'html_theme = os.environ.get("THEME", "basic")\n'
    ),
    "index.md": _MYST,
    "headings.md": PLAIN["headings.md"],
    "body.md": PLAIN["body.md"],
    "part/index.md": "# Part\n\nStands for its folder in saffron.\n\n```{toctree}\n:hidden:\ndeep\n```\n",
    "part/deep.md": "# Deep\n\nA page of hazel.\n",
    "_under.md": "# Under\n\nAn underscore hides nothing here.\n",
    "zqdrafts/one.md": "# Draft\n\nThe zqdraft page.\n",
    "zq.md": "# Excluded\n\nThe zqexcluded page.\n",
    "parts/inner.txt": "The included part of radon.\n",
}
SPHINX_PAGES = 6

"""An mdBook with includes in and out of code, part titles and chapters that are not written."""

from __future__ import annotations

from collections.abc import Mapping

from tests.generators.books.common import PLAIN

_INCLUDES = """# Includes

Before the parts in pewter.

{{#include parts/basics.md}}

{{#include parts/lines.md:2:3}}

{{#include parts/anchors.md:shown}}

```rust
{{#include ../listings/main.rs:body}}
```

```rust
{{#rustdoc_include ../listings/main.rs:body}}
```

> Quoted: {{#include parts/inner.md}}

\\{{#include literal.md}}

After the parts in zinc.
"""

_MARKS = """# Marks

## Own {#mine}

An id of its own.

## Wide {#wide .class key=x}

Attributes beside it.

## Mine

One.

## Twice {#mine-1}

Two.

## Reserved {#taken}

Own ids are no slugs.

## Taken

First.

## Taken

Second.

## Taken-1

Third.

<h2 id="of-html">A heading of HTML</h2>

Words below the heading of HTML in sorrel.

Setext over
two lines
---------

Both are the heading.

Another note[^first] stands first.

## Noted[^why] heading

It has a mark.

> [!NOTE]
> An alert of GitHub in teal.

A ~~struck~~ word.

```rust,editable
fn main() {
    println!("shown in bronze");
}
```

<details>
<summary>More about the mauve cable</summary>

Seen by a click on khaki.

</details>

[^first]: Written on balsa.

[^why]: The reason is written on teak.
"""

_OWN: Mapping[str, str] = {
    "README.md": "# Home\n\nThe first page.\n\n## Own {#mine}\n\nAn id of its own.\n",
    "part/README.md": "# Part\n\nStands for its folder in saffron.\n",
    "_under.md": "# Under\n\nAn underscore hides nothing here.\n",
    "includes.md": _INCLUDES,
    "marks.md": _MARKS,
    **PLAIN,
}
_CHAPTERS = "".join(f"- [Page](<{path}>)\n" for path in _OWN)

MDBOOK: Mapping[str, str] = {
    "book.toml": '[book]\ntitle = "Book"\n',
    "src/SUMMARY.md": f"# Summary\n\n[Zqprefix](prefix.md)\n\n# Zqpart\n\n{_CHAPTERS}- [Zqunwritten]()\n",
    "src/prefix.md": "# Prefix\n\nBefore the chapters in lime.\n",
    "src/orphan.md": "# Orphan\n\nThe zqorphan page, which no chapter names.\n",
    "src/parts/basics.md": "## Basics\n\nThe part of tin.\n\n{{#include inner.md}}\n",
    "src/parts/inner.md": "A part in a part, of gallium.\n",
    "src/parts/lines.md": "zqone\nLine two of neon.\nLine three of xenon.\nzqfour\n",
    "src/parts/anchors.md": "zqbefore\n<!-- ANCHOR: shown -->\nThe anchor of krypton.\n<!-- ANCHOR_END: shown -->\n",
    "listings/main.rs": (
        "fn zqhidden() {}\n\nfn main() {\n    // ANCHOR: body\n    let cobalt = 1;\n    // ANCHOR_END: body\n}\n"
    ),
    **{f"src/{path}": text for path, text in _OWN.items()},
}

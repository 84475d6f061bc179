"""A VitePress site with containers, groups of code, includes and what Vue hides."""

from __future__ import annotations

from collections.abc import Mapping

from tests.generators.books.common import PLAIN

_CONTAINERS = """---
title: Containers
---
<script setup>
const zqscript = 1
</script>

# Containers

::: tip
A tip about the walnut desk.
:::

::: warning Mind the pewter step
It is high.
:::

::: details Show the hidden oak
Seen after a click.

- a list in oak
:::

:::: info
::: danger Inner
Nested by more colons.
:::
::::

::: code-group

```js [config.js]
export default 1 // first of the group
```

```ts {1} [config.ts]
export default 2 // second of the group
```

:::

> [!NOTE]
> An alert of GitHub in teal.

## Emoji :tada: heading

Party.

## Literal <span v-pre>{{ braces }}</span>

Not counted by Vue.

## Own {#mine}

An id of its own.

## Wide {#wide .class key=x}

Attributes beside it.

## Version <Badge type="tip" text="beta" />

A badge behind it.

<h2 id="of-html">A heading of HTML</h2>

Words below the heading of HTML in sorrel.

Setext over
two lines
---------

Both are the heading.

<style scoped>
.zqstyle { color: red }
</style>
"""

_INCLUDES = """# Includes

Before the parts in pewter.

<!--@include: ./parts/basics.md-->

<!--@include: ./parts/lines.md{3,4}-->

<!-- @include: @/parts/region.md#shown -->

<<< @/snippets/whole.py

<<< ./snippets/region.py#shown{1 python:line-numbers}

- In a list:

  <!--@include: ./parts/item.md-->

```md
A fence keeps its fence.
```

After the parts in zinc.
"""

VITEPRESS: Mapping[str, str] = {
    ".vitepress/config.mts": """
import { defineConfig } from 'vitepress'
export default defineConfig({
  title: 'Book', base: '/', srcExclude: ['**/parts/**', '**/zqexcluded.md'], ignoreDeadLinks: true,
  cleanUrls: CLEAN,
})
""",
    "package.json": '{"name": "book", "private": true, "type": "module"}\n',
    "index.md": "# Home\n\nThe first page.\n",
    "part/index.md": "# Part\n\nStands for its folder in saffron.\n",
    "zqexcluded.md": "# Excluded\n\nThe zqexcluded page.\n",
    "_under.md": "# Under\n\nAn underscore hides nothing here.\n",
    "part/README.md": "# Read me\n\nIs a page of its own in umber.\n",
    "containers.md": _CONTAINERS,
    "includes.md": _INCLUDES,
    "parts/basics.md": "---\nzqfront: 1\n---\n\n## Basics\n\nThe part of tin.\n\n<!--@include: ./inner.md-->\n",
    "parts/inner.md": "A part in a part, of gallium.\n",
    "parts/item.md": "The item of argon.\n",
    "parts/lines.md": "zqone\nzqtwo\nLine three of neon.\nLine four of xenon.\nzqfive\n",
    "parts/region.md": "zqbefore\n<!-- #region shown -->\nThe krypton region.\n<!-- #endregion shown -->\nzqafter\n",
    "snippets/whole.py": "print('the whole file of radon')\n",
    "snippets/region.py": "zqbefore = 1\n# region shown\n  print('the region of cobalt')\n# endregion shown\n",
    **PLAIN,
}

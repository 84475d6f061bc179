"""A Docusaurus site with routes, tabs, partials, admonitions, translations and versions of awkward kinds."""

from __future__ import annotations

from collections.abc import Mapping

from tests.generators.books.common import COMMON

_TABS = """---
title: "Tabs: all of them"
---
import Tabs from '@theme/Tabs';
import TabItem from '@theme/TabItem';

export const zqimport = 1;

Intro with the sepia dial. {/* zqremark two */}

<Tabs>
  <TabItem value="a" label="Crimson tab">

  First words in carmine.

  </TabItem>
  <TabItem value="b" label="Azure tab">

    ## Inside a tab

    Second words in cerulean. {/* zqremark deep */}

    ```python
    dial.turn(3)  # the cerulean code
    ```

  </TabItem>
</Tabs>

<Tabs defaultValue="x" values={[{label: 'Xanthic label', value: 'x'}, {label: 'Yew label', value: 'y'}]}>
<TabItem value="x">Third words.</TabItem>
<TabItem value="y">Fourth words.</TabItem>
</Tabs>

:::tip[Use the olive screw]

Turn it slowly.

:::

:::note

:::warning[Inner brass title]

The inner brass words.

:::

The outer words again.

:::

::::danger Watch the iron

:::info

Nested by more colons.

:::

::::

## Rope {/* #own-id */}

Attach the rope.

## Note {#note-id}

    Indented four is no code in russet.

## Sum {"both"} of parts

Expressions are counted.

## Twice {#twice}

One.

## Twice

Two.

## Twice

Three.

<h2 id="html-heading">A heading of HTML</h2>

Words below the heading of HTML.

<details>
  <summary>More about the mauve cable</summary>

  Hidden at first, seen by a click on khaki.

</details>

<Card title="Gripper of lead" description={'How it holds eggs'} href="/zqhref" />

<Card title={"Camera of opal"}
  description="How it sees
depth" />

<style>{`.zqstyle { color: red }`}</style>

<svg width="1" height="1"><title>zqtitle</title><path d="M0 0" /></svg>

{/* zqremark

over lines */}
"""

_PARTIALS = """---
title: Partials
---
import Setup from './_setup.mdx';
import Note from './_note.mdx';
import Source from '!!raw-loader!./sample.py';
import CodeBlock from '@theme/CodeBlock';
import Shared from '@site/shared/_words.mdx';

Before the partial in pewter.

<Setup version="nine" />

<Note kind={'mild'} wide>

Children of the note in jade.

</Note>

- In a list:

  <Shared />

<CodeBlock language="python">{Source}</CodeBlock>

After the partial in zinc.
"""

_SETUP = """import Inner from './_inner.mdx';

## Set up

The partial {props.version} of tin.

<Inner/>
"""
_NOTE = """The note has words of its own in nickel, {props.kind}.

<div>{props.children}</div>

After the children.
"""

_COMPONENTS = """
import React from 'react';
import Original from '@theme-original/MDXComponents';

const Card = ({title, description}) => <div><b>{title}</b> {description}</div>;

export default {...Original, Card, Badge: () => <i />};
"""

_PAGES: Mapping[str, str] = {
    **COMMON,
    "01-Basics & more/02_First steps.md": "# First steps\n\nPush the lilac knob.\n\n## Go on\n\nPull it.\n",
    "01-Basics & more/README.md": "# All basics\n\nThe beginning of the vermilion part.\n",
    "01-Basics & more/03 - third.md": "# Third\n\nThe third page about the umber wire.\n",
    "01-Basics & more/_category_.json": '{"label": "Zqcategory", "position": 1}\n',
    "02-part/02-part.md": "# Part page\n\nStands for its folder in saffron.\n",
    "02-part/2024-01-02-news.md": "# News\n\nDates are no numbers, says the puce note.\n",
    "02-part/1.2-release.md": "# Release\n\nVersions are no numbers either.\n",
    "02-part/10-ten.md": "---\nparse_number_prefixes: false\n---\n# Ten\n\nThe indigo rope stays at ten.\n",
    "02-part/slugged.md": "---\nslug: /other/Place\n---\n# Slugged\n\nLies elsewhere, near the fuchsia box.\n",
    "02-part/relative.md": "---\nslug: ../up\n---\n# Relative\n\nOne folder up with the beige cord.\n",
    "02-part/spaced.md": "---\nslug: a b/ü & c\n---\n# Spaced slug\n\nLetters of all kinds in its address.\n",
    "02-part/here.md": "---\nslug: ./here-too\n---\n# Here\n\nBeside the others with the ecru pin.\n",
    "02-part/named.md": "---\nid: own-name\n---\n# Named\n\nIts id names it, on ivory paper.\n",
    "02-part/quoted.md": '---\ntitle: "A: colon"\nslug: "quoted-slug/"\n---\nA title with a colon, in russet.\n',
    "04.four/4-4.md": "# Four of four\n\nNumbers all the way.\n",
    "04.four/index.mdx": "# Four\n\nThe index of the fourth part.\n",
    "5/01.md": "# Bare\n\nA page that is only a number.\n",
    "Ünïcode/straße.md": "# Straße\n\nLetters of a street.\n",
    "03-three/_partial.md": "The zqpartial text alone.\n",
    "03-three/unlisted.md": "---\nunlisted: true\n---\n# Unlisted\n\nThe zqunlisted page.\n",
    "03-three/tabs.mdx": _TABS,
    "03-three/partials.mdx": _PARTIALS,
    "03-three/_setup.mdx": _SETUP,
    "03-three/_inner.mdx": "A partial in a partial, of gallium.\n",
    "03-three/_note.mdx": _NOTE,
    "03-three/sample.py": 'print("shown by the raw loader")\n',
    "03-three/closed.mdx": "---\ntitle: Closed\ndraft: true\n---\n\nThe zqdraft of MDX.\n",
    "03-three/attributes.md": """# Attributes

## Setup {#setup}

Own id.

## Setup

Collides with nothing but itself.

## Line <br/> break

A break in the title.

## Title with ${1} in it

:::note

An aside in plum.

:::

## Wide {#wide .class key=x}

All that the braces hold.

Setext over
two lines
---------

Both are the heading.

Setext first
============

A heading of level one.

## Noted[^why] heading

It has a mark.

## <Badge /> Feature

A tag stands before it.

[^why]: The reason is written on teak.
""",
    "long.markdown": "# Long suffix\n\nDocusaurus builds no page of it, zqsuffix.\n",
}

URDU = "# سبز\n\nسبز بٹن سے شروع کریں۔\n\n## Go on\n\nدبائیں۔\n"
SIDEBAR = '{"all": [{"type": "autogenerated", "dirName": "."}]}\n'
I18N = "i18n/ur/docusaurus-plugin-content-docs"

DOCUSAURUS: Mapping[str, str] = {
    **{f"docs/{path}": text for path, text in _PAGES.items()},
    "src/theme/MDXComponents.js": _COMPONENTS,
    "shared/_words.mdx": "Shared words of argon.\n",
    f"{I18N}/current/01-Basics & more/02_First steps.md": URDU,
    f"{I18N}/version-1.0/intro.md": URDU,
    "versioned_docs/version-1.0/intro.md": "# Intro of one\n\nThe first release in taupe.\n\n## Same\n\nOld.\n",
    "versioned_docs/version-2.0/intro.md": "# Intro of two\n\nThe second release in cyan.\n\n## Same\n\nNew.\n",
    "versioned_docs/version-2.0/02-part/01-deep.md": "# Deep\n\nA page of the second release.\n",
    "versions.json": '["2.0", "1.0"]\n',
    "versioned_sidebars/version-1.0-sidebars.json": SIDEBAR,
    "versioned_sidebars/version-2.0-sidebars.json": SIDEBAR,
}

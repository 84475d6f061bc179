"""Pages that every generator builds, with headings and blocks that each treats in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

HEADINGS = """
## I²C bus

Two wires carry clock and data.

## Two  spaces

A title with two blanks.

## Wheels &amp; motors

Each wheel turns below ten newtons &mdash; never above.

## C++ and C#

Both are languages.

## `std::vector<T>` basics

A growing list.

## The `?` operator

It hands errors on.

## Setup

First.

## Setup

Second.

### Setup

Third, deeper.

## Setup 1

Numbers may collide.

## Ünïcode — straße

Letters of other alphabets.

## سبز بٹن

Urdu letters.

## 机器人 in motion

Chinese letters.

## *Emphasis* and **strong** words

Marks are not shown.

## A [link](https://x.example) in a title

It is clicked.

## 🚀 Launch

A rocket.

## 3. Numbers first

Numbers stay.

Setext heading
--------------

Lines below.

## What is "this"? It's — fine…

Quotes and dashes.

#### Deep one

Far below.

## Step ① of ½ m²

Numbers that are no digits.

## Full　width　blank

A blank as wide as a letter.

## Kept together words

A blank that does not break.

## Half‌space نیم‌فاصله

A mark that joins nothing.

## Fish &lt;tag&gt; &copy; sign

Entities are letters.

## Trailing hashes ##

They close the heading.

## <em>Tagged</em> words and a\\*star\\*

Tags are not shown, stars are.

## Dashes -- two --- three...

Some generators set them in type.

## CAFÉ café ẞ İstanbul

Letters in other cases.

## ...

Nothing but dots.

## Snake_case `code_case` a_b

Underscores stay.

##### Fifth

Below the fourth.

###### Sixth #######

The lowest.
"""

BODY = """
A table:

| Part | Mass |
| --- | --- |
| wheel | 12 g |
| motor | 40 g |

1. First step
2. Second step with `code_word`

   ```python
   value = read_sensor("amber")
   ```

> A quoted warning about the cobalt lever.

- [x] done
- item with **bold cinnabar** and _slanted teal_

![A drawing of the ochre gear](gear.png)

<!-- zqremark one -->

Text after the remark, with a footnote-free ending and an escaped \\*star\\*.
"""

GEAR = "gear.png"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)

COMMON: Mapping[str, str] = {
    "headings.md": f"# Headings of all kinds\n{HEADINGS}",
    "body.md": f"# Blocks of all kinds\n{BODY}",
    "no-title.md": "Only text about the magenta valve, no heading at all.\n",
    "draft.md": "---\ntitle: Draft\ndraft: true\n---\n# Draft\n\nThe zqdraft charger.\n",
}

PLAIN: Mapping[str, str] = {
    "headings.md": COMMON["headings.md"],
    "body.md": COMMON["body.md"],
    "01 Basics/02_First steps.md": "# First steps\n\nPush the lilac knob.\n\n## Go on\n\nPull it.\n",
    "Ünïcode/straße.md": "# Straße\n\nLetters of a street.\n\n## Straße\n\nAgain.\n",
    "part/1.2-release.md": "# Release\n\nVersions are no numbers either.\n\n## Fixes\n\nNone.\n",
}


def write_site(folder: Path, files: Mapping[str, str]) -> None:
    """Write a site's files, and a picture beside every page that shows one."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if GEAR in text:
            (file.parent / GEAR).write_bytes(PIXEL)

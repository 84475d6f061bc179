"""Families of pages made to be slow: one construct each, repeated or nested, at any size."""

from __future__ import annotations

from collections.abc import Callable

Family = Callable[[int], str]
"""Makes a page of about this many characters."""

_UNITS = {
    # headings
    "heading": "# a\n",
    "heading and text": "## Title\n\nWords of a lesson.\n\n",
    "headings of one name": "## Setup\n",
    "heading and blanks": "# a" + " " * 40 + "\n",
    "heading and tabs": "# a\t\n",
    "heading of hashes": "# a # # #\n",
    "empty heading": "#\n",
    "heading with an id": "## A {#a}\n",
    "heading with a remark": "## A {/* a */}\n",
    "underlined": "a\n===\n",
    "underlined with blanks": "a\n=== \t \n",
    "underlined with hyphens": "a\n---\n",
    "rule": "---\n",
    "rule of stars and blanks": "* * *\n",
    # inline marks
    "exclamation marks": "!",
    "question marks": "?",
    "full stops": ".",
    "ideographic full stops": "。",
    "sentences": "Yes! ",
    "sentences without blanks": "a.B",
    "backticks": "`",
    "backticks and letters": "`a",
    "backticks by twos": "``a`",
    "code spans": "`a` ",
    "stars": "*",
    "stars and letters": "*a",
    "emphasis that opens": "*a ",
    "emphasis of both marks": "*a_ ",
    "strong that opens": "**a ",
    "underscores": "_a",
    "tildes": "~~a",
    "double stars": "a**b",
    "opening brackets": "[",
    "closing brackets": "]",
    "brackets": "[]",
    "brackets and parentheses": "[](",
    "link that opens": "[a](",
    "link whose title opens": '[a](b "',
    "link whose address opens": "[a](<b",
    "link": "[a](b) ",
    "picture": "![a](b) ",
    "picture that opens": "![",
    "pictures nested": "![a",
    "reference": "[a][b] ",
    "definition": "[a]: b\n",
    "definitions of many names": "[a]: <b> 'c\n",
    "definition that opens": "[a]:\n",
    "footnote mark": "[^a] ",
    "footnote": "[^a]: b\n\n",
    "footnote in a footnote": "[^a]: [^b]: c\n",
    "parentheses": "(",
    "closing parentheses": ")",
    "parentheses of links": "](a(",
    "entity": "&amp;",
    "ampersands": "&",
    "number entity": "&#",
    "backslashes": "\\",
    "backslash and bracket": "\\[",
    "data address": "data:image/png;base64,",
    "data addresses that open": "data:a/",
    "parameters of data addresses": "data:a/b;c;",
    "address": "http://a.b/c ",
    "addresses without blanks": "http://a",
    "mail": "a@b.c ",
    "letters and at": "a@",
    "angle address": "<http://a> ",
    "math": "$a$ ",
    "dollars": "$",
    "double dollars": "$$ a\n",
    "quotes": '"',
    "apostrophes": "'",
    "attribute lists": "{: .a }\n",
    "braces": "{",
    "closing braces": "}",
    "braces with an id": "{#",
    "braces and words": "{a ",
    "templates": "{{ a }}",
    "templates that open": "{{<",
    "templates of percent": "{{% a",
    "comments of MDX": "{/* a */}",
    "comments of MDX that open": "{/*",
    # letters
    "a word": "a",
    "words": "word ",
    "flags": "🇵🇰",
    "family": "👨\u200d",
    "combining accents": "e\u0301",
    "accents alone": "\u0301",
    "joiners": "\u200d",
    "zero-width blanks": "\u200b",
    "Chinese": "机器人",
    "Thai": "กำ",
    "Korean letters": "\u1100",
    "blanks": " ",
    "tabs": "\t",
    "no-break spaces": "\xa0",
    "letters and blanks": "a" + " " * 30,
    "letters and tabs": "a\t",
    "form feeds": "\f",
    "other line ends": "\u2028",
    "carriage returns": "\r",
    "empty lines": "\n",
    "lines of a blank": " \n",
    "lines of a letter": "a\n",
    "hard breaks": "a  \n",
    "paragraphs": "a\n\n",
    # blocks
    "item": "- a\n",
    "empty item": "-\n",
    "empty item and blanks": "-   \n",
    "item and blanks": "- a" + " " * 30 + "\n",
    "items of other marks": "- a\n+ b\n* c\n",
    "numbered item": "1. a\n",
    "loose items": "- a\n\n",
    "item in an item": "- - a\n",
    "marks of items": "- ",
    "marks of numbers": "1. ",
    "marks of items and quotes": "> - ",
    "task": "- [ ] a\n",
    "quote": "> a\n",
    "empty quote": ">\n",
    "marks of quotes": "> ",
    "marks of quotes without blanks": ">",
    "quote and lazy line": "> a\nb\n",
    "quotes apart": "> a\n\n",
    "quote of a heading and lazy line": "> # a\nb\n",
    "quote of a fence and lazy line": "> ```\n> a\nb\n",
    "quote of code and lazy line": ">     a\nb\n",
    "quotes of a heading and lazy line": "> > # a\nb\n> c\n",
    "item of a heading and lazy line": "- # a\nb\n",
    "item of a quote of a heading and lazy line": "- > # a\nb\n",
    "alert": "> [!NOTE]\n> a\n\n",
    "alerts in one quote": "> [!NOTE]\n",
    "table": "| a | b |\n|---|---|\n| c | d |\n\n",
    "rows": "| a |\n",
    "delimiter rows": "|---|\n",
    "cells": "| a ",
    "pipes": "|",
    "escaped pipes": "\\|",
    "head and delimiter": "a|b\n-|-\n",
    "fence": "```\na\n```\n",
    "fence that opens": "```a\n",
    "fences of other lengths": "```\n````\n",
    "fence of tildes": "~~~\n",
    "fence in a quote": "> ```\n",
    "fence in an item": "- ```\n",
    "fence with an info": "``` a b c\n",
    "indented code": "    a\n",
    "indented code and blanks": "    a\n\n",
    "directive": ":::note\na\n:::\n",
    "directive that opens": ":::note\n",
    "directive and blanks": ":::note \n",
    "directive and many blanks": ":::note" + " " * 40 + "\n",
    "directive with brackets": ":::note[a]\n",
    "directive with an open bracket": ":::note[\n",
    "directive with braces": ":::note{a=b}\n",
    "directive with an open brace": ":::note{\n",
    "colons": ":",
    "lines of colons": ":::\n",
    "admonition of MkDocs": '!!! note "a"\n    b\n',
    "admonitions of MkDocs that open": "!!! note\n",
    "tabs of MkDocs": '=== "a"\n\n    b\n\n',
    "definition list": "a\n: b\n",
    "math block": "$$\na\n$$\n",
    "math block that opens": "$$\n",
    "percent remark": "%% a\n",
    "MDX remark": "{/* a */}\n\n",
    "MDX remark that opens": "{/* a\n",
    "MDX expression": "{a}\n\n",
    "attribute of a block": "{.a}\n",
    # HTML and JSX
    "less-than": "<",
    "less and greater": "<>",
    "greater-than": ">a",
    "tag": "<b>a</b>",
    "tag that opens": "<b>",
    "tag that closes": "</b>",
    "tag without its end": "<b ",
    "tag with an attribute": '<b a="c">',
    "tag whose attribute opens": '<b a="',
    "tag whose brace opens": "<B a={",
    "tag with braces": "<B a={b}/>",
    "attributes": "<b" + " a" * 20,
    "break": "<br/>",
    "picture tag": '<img src="a" alt="b">\n',
    "comment": "<!-- a -->",
    "comment that opens": "<!--",
    "comment lines": "<!-- a -->\n",
    "comment lines that open": "<!-- a\n\n",
    "comment of hyphens": "<!-- --",
    "declaration": "<!A",
    "CDATA": "<![CDATA[",
    "processing": "<?",
    "HTML block": "<div>\na\n</div>\n\n",
    "HTML block that opens": "<div>\n",
    "HTML blocks apart": "<div>\n\n",
    "details": "<details>\n<summary>a</summary>\n\nb\n\n</details>\n\n",
    "summary that opens": "<summary>",
    "script that opens": "<script>\n",
    "style that opens": "<style>",
    "pre that opens": "<pre>\n",
    "svg": "<svg><title>a</title></svg>\n",
    "svg that opens": "<svg><title>",
    "heading tag": "<h2>a</h2>\n",
    "heading tag that opens": "<h2>",
    "anchor": '<a id="a"></a>\n',
    "id that opens": '<a id="',
    "component": "<A b={c} />\n\n",
    "component that opens": "<A b={\n",
    "component and text": "<A>\n\na\n\n</A>\n\n",
    "components that open": "<A>\n\n",
    "component whose text opens": "<A b=`\n",
    "tabs of Docusaurus": '<Tabs>\n<TabItem value="a" label="b">\n\nc\n\n</TabItem>\n</Tabs>\n\n',
    "fragment": "<>a</>\n",
    "import": "import A from 'b';\n",
    "import that opens": "import {\n",
    "imports of braces": "import { a, ",
    "import line without its end": "import {" + "a," * 30 + "\n",
    "import of letters": "import a, ",
    "export": "export const a = 1;\n",
    "export that opens": "export const a = {\n",
    "export function": "export default a(",
    "exports of default": "export default a(b\n",
    "template string": "export const a = `\n",
    # includes and macros
    "include of MkDocs": '--8<-- "a.md"\n',
    "include of Jekyll": "{% include a.md %}\n",
    "include of mdBook": "{{#include a.md}}\n",
    "include of VitePress": "<!--@include: ./a.md-->\n",
    "raw block": "{% raw %}a{% endraw %}\n",
    "raw block that opens": "{% raw %}\n",
    "shortcode": '{{< tab "a" >}}\n',
    "shortcodes nested": '{{< tab "a" >}}b',
    "wiki link": "[[a]] ",
    "wiki link that opens": "[[",
    "section mark": "--8<-- [start:a]\n",
    "tag of Liquid that opens": "{% ",
}

_NESTED: dict[str, tuple[str, str]] = {
    "nested brackets": ("[", "]"),
    "nested links": ("[a", "](b)"),
    "nested pictures": ("![a", "](b)"),
    "nested emphasis": ("*a ", " a*"),
    "nested strong": ("**a ", " a**"),
    "nested parentheses": ("(", ")"),
    "nested braces": ("{", "}"),
    "nested addresses": ("[a](" + "(", "))"),
    "nested tags": ("<b>", "</b>"),
    "nested divs": ("<div>\n", "</div>\n"),
    "nested divs apart": ("<div>\n\n", "</div>\n\n"),
    "nested components": ("<A>\n\n", "</A>\n\n"),
    "nested attributes": ("<A b={", "}/>"),
    "nested details": ("<details>\n\n", "</details>\n\n"),
    "nested directives": ("::::note\n\n", "::::\n\n"),
    "nested quotes of text": ("> ", ""),
    "nested shortcodes": ('{{< tab "a" >}}\n', "{{< /tab >}}\n"),
    "nested svg": ("<svg>", "</svg>"),
    "nested comments": ("<!-- ", " -->"),
    "nested templates": ("{{ ", " }}"),
}


def _repeated(unit: str) -> Family:
    return lambda size: unit * (size // len(unit))


def _in_a_heading(unit: str) -> Family:
    return lambda size: "# " + unit.replace("\n", " ") * (size // len(unit)) + "\n"


def _in_a_cell(unit: str) -> Family:
    return lambda size: "| a | b |\n|---|---|\n| " + unit.replace("\n", " ") * (size // len(unit)) + " | c |\n"


def _in_quotes(unit: str) -> Family:
    return lambda size: "> " + ("> " + unit).replace("\n", "\n> ") * (size // (len(unit) + 2))


def _in_an_item(unit: str) -> Family:
    return lambda size: "- " + unit.replace("\n", "\n  ") * (size // (len(unit) + 2 * unit.count("\n")))


def _in_a_fence(unit: str) -> Family:
    return lambda size: "````a\n" + unit * (size // len(unit)) + "\n````\n"


def _in_a_tag(unit: str) -> Family:
    return lambda size: "<div>\n" + unit * (size // len(unit)) + "\n</div>\n"


def _in_front_matter(unit: str) -> Family:
    return lambda size: "---\ntitle: >\n  " + unit.replace("\n", "\n  ") * (size // len(unit)) + "\n---\n\nText.\n"


def _nested(opening: str, closing: str) -> Family:
    return lambda size: (n := size // len(opening + closing)) and opening * n + "a" + closing * n


def _deeper_items(size: int) -> str:
    depth = round(size**0.5)
    return "".join(f"{'  ' * at}- a\n" for at in range(depth)) + "a" * (size // 2)


def _yaml_list(size: int) -> str:
    return "---\na:\n" + "- b\n" * (size // 4) + "---\n\nText.\n"


def _flow(opening: str, closing: str) -> Family:
    return lambda size: f"---\na: {opening * (size // 2)}{closing * (size // 2)}\n---\n\nText.\n"


def _aliases(size: int) -> str:
    text = "x" * (size // 2)
    return f"---\na: &a {text}\nb: [{'*a, ' * (size // 8)}]\n---\n\nText.\n"


def _laughs(size: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, size // 60)]
    return "---\n" + "\n".join(lines) + "\n---\n\nText.\n"


def _merges(size: int) -> str:
    lines = ["a0: &a0 {k0: v}"]
    lines += [f"a{n}: &a{n} {{<<: *a{n - 1}, k{n}: v}}" for n in range(1, size // 36)]
    return "---\n" + "\n".join(lines) + "\n---\n\nText.\n"


_METADATA: dict[str, Family] = {
    "YAML list": _yaml_list,
    "YAML keys": lambda size: "---\n" + "".join(f"k{n}: v\n" for n in range(size // 9)) + "---\n\nText.\n",
    "YAML keys of one name": lambda size: "---\n" + "k: v\n" * (size // 5) + "---\n\nText.\n",
    "YAML that never ends": lambda size: "---\n" + "k: v\n" * (size // 5),
    "YAML brackets": _flow("[", "]"),
    "YAML braces": _flow("{a: ", "}"),
    "YAML aliases": _aliases,
    "YAML laughs": _laughs,
    "YAML merges": _merges,
    "YAML escapes": lambda size: '---\ntitle: "' + "\\ud83d\\ude00" * (size // 12) + '"\n---\n\nText.\n',
    "YAML colons": lambda size: "---\n" + "a: " * (size // 3) + "\n---\n\nText.\n",
    "YAML hyphens": lambda size: "---\n" + "- " * (size // 2) + "\n---\n\nText.\n",
    "YAML question marks": lambda size: "---\n" + "? " * (size // 2) + "\n---\n\nText.\n",
    "YAML indents": lambda size: (
        "---\n" + "".join(" " * n + "a:\n" for n in range(round(size**0.5))) + "---\n\nText.\n"
    ),
    "YAML remarks": lambda size: "---\n" + "# a\n" * (size // 4) + "---\n\nText.\n",
    "TOML keys": lambda size: "+++\n" + "".join(f"k{n} = 1\n" for n in range(size // 9)) + "+++\n\nText.\n",
    "TOML tables": lambda size: "+++\n" + "".join(f"[t{n}]\n" for n in range(size // 7)) + "+++\n\nText.\n",
    "TOML dots": lambda size: "+++\n" + "a." * (size // 2) + "a = 1\n+++\n\nText.\n",
    "TOML brackets": lambda size: "+++\na = " + "[" * (size // 2) + "]" * (size // 2) + "\n+++\n\nText.\n",
    "TOML number": lambda size: "+++\na = " + "1" * size + "\n+++\n\nText.\n",
    "JSON keys": lambda size: "{" + ",".join(f'"k{n}": 1' for n in range(size // 9)) + "}\n\nText.\n",
    "JSON brackets": lambda size: ';;;\n"a": ' + "[" * (size // 2) + "]" * (size // 2) + "\n;;;\n\nText.\n",
    "JSON that never ends": lambda size: '{"a": ' * (size // 6),
    "lines of keys": lambda size: "".join(f"k{n}: v\n" for n in range(size // 9)) + "\nText.\n",
    "lines of one key": lambda size: "Title: a\n" * (size // 9),
    "continued key": lambda size: "title: a\n" + "    b\n" * (size // 6) + "\nText.\n",
    "marks of metadata": lambda size: "---\n" * (size // 4),
}

_OTHERS: dict[str, Family] = {
    "items one deeper each": _deeper_items,
    "one fence": lambda size: "```\n" + "a = 1\n" * (size // 6) + "```\n",
    "one fence of empty lines": lambda size: "```\n" + "\n" * size + "```\n",
    "lazy lines and a long quote": lambda size: "> # a\nb\n" * (size // 16) + "> c\n" * (size // 8),
    "one table": lambda size: "| a | b |\n|---|---|\n" + "| c | d |\n" * (size // 10),
    "one wide table": lambda size: f"|{'a|' * (size // 6)}\n|{'-|' * (size // 6)}\n|{'b|' * (size // 6)}\n",
    "table with a wide head": lambda size: f"|{'a' * (size // 2)}|\n|-|\n" + "|b|\n" * (size // 8),
    "fence with a long info": lambda size: f"```{'a' * (size // 2)}\n" + "b\n" * (size // 4) + "```\n",
    "item with a long mark": lambda size: "-" + " " * (size // 2) + "a\n" + "b\n" * (size // 4),
    "headings of other names": lambda size: "".join(f"## Title {n}\n" for n in range(size // 14)),
    "headings of one name in turn": lambda size: "".join(f"## A\n\n## A-{n}\n\n" for n in range(size // 18)),
    "definitions of other names": lambda size: "".join(f"[a{n}]: b\n" for n in range(size // 10)),
    "tags of other names": lambda size: "".join(f"<a{n}>" for n in range(size // 8)),
    "closing tags of other names": lambda size: "".join(f"</a{n}>" for n in range(size // 9)),
    "runs of backticks": lambda size: " ".join("`" * n for n in range(1, round((2 * size) ** 0.5))),
    "runs of stars": lambda size: " a".join("*" * n for n in range(1, round((2 * size) ** 0.5))),
    "runs of colons": lambda size: "\n\n".join(":" * n + "note" for n in range(3, round((2 * size) ** 0.5))),
    "runs of hashes": lambda size: "# a " + "#" * size + " b\n",
    "a heading of blanks": lambda size: "# a" + " " * size + "b\n",
    "a heading of tabs": lambda size: "# a" + "\t" * size + "b\n",
    "an underline of blanks": lambda size: "a\n=" + " " * size + "b\n",
    "a directive of blanks": lambda size: ":::note" + " " * size + "b\n",
    "a rule of blanks": lambda size: "-" + " " * size + "b\n",
    "a definition of blanks": lambda size: "[a]:" + " " * size + "\n",
    "a tag of blanks": lambda size: "<b" + " " * size + "a",
    "an import of blanks": lambda size: "import" + " " * size + "\n",
    "an export of blanks": lambda size: "export default a" + " " * size + "b\n",
    "a link of blanks": lambda size: "[a](" + " " * size + "b",
    "an item of tabs": lambda size: "-" + "\t" * size + "a\n",
    "a sentence of blanks": lambda size: "a." + " " * size + "b",
    "a sentence of quotes": lambda size: "a." + '"' * size + "b",
    "a row of blanks": lambda size: "| a |\n|" + "-" * (size // 2) + " " * (size // 2) + "x\n",
}


def _all() -> dict[str, Family]:
    families = {name: _repeated(unit) for name, unit in _UNITS.items()}
    for name, marks in _NESTED.items():
        families[name] = _nested(*marks)
        families[f"{name}, never closed"] = _repeated(marks[0])
    return families | _METADATA | _OTHERS


def _within() -> dict[str, Family]:
    places = {
        "in a heading": _in_a_heading,
        "in a cell": _in_a_cell,
        "in quotes": _in_quotes,
        "in an item": _in_an_item,
        "in a fence": _in_a_fence,
        "in a tag": _in_a_tag,
        "in metadata": _in_front_matter,
    }
    return {f"{name}, {place}": make(unit) for name, unit in _UNITS.items() for place, make in places.items()}


FAMILIES = _all()
"""Name → pages of this family."""

FAMILIES_WITHIN = _within()
"""The same constructs inside of another one."""

CONSTRUCTS = tuple(_UNITS.values())
"""The source of each construct once."""

"""The docstring of a public function begins with a verb, as an order: it says what a call does."""

from __future__ import annotations

import ast
import re

from tests.architecture.layers import FILES

VERBS = frozenset(
    re.findall(
        r"\w+",
        """
    Abandon Accept Acquire Add Answer Append Apply Ask Begin Block Build Call Carry Chat Check Chunk
    Close Colour Commit Compact Compare Compile Connect Continue Convert Copy Count Crawl Create Cut Declare
    Decode Defer Delete Derive Disconnect Do Draw Drop End Explain Export Fail Fill Find Forget Format Free
    Give Go Group Hand Handle Hold Import Index Insert Join Judge Keep Leave Let Limit Lint List
    Load Lock Log Look Make Mark Measure Mend Merge Move Name Note Offer Open Parse Pass Plan
    Prepare Print Process Put Queue Raise Rank Rate Read Receive Record Refuse Release Remember Remove
    Rename Replace Report Return Revoke Run Save Say Search See Send Serve Set Share Shorten Show
    Skip Sort Speak Split Start Stop Store Strip Switch Take Tell Test Try Turn Update Use Wait Warn
    Watch Weigh Write Yield
    """,
    )
)
"""Add the verb that you need."""


def test_the_docstring_of_a_public_function_begins_with_a_verb() -> None:
    others = [
        f"{module}.{node.name}: {text.splitlines()[0]}"
        for module, file in FILES.items()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and not any("property" in ast.unparse(each) for each in node.decorator_list)
        and (text := ast.get_docstring(node))
        and re.split(r"[^\w]", text, maxsplit=1)[0] not in VERBS
    ]
    assert others == []

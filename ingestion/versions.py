"""The version of each stage: raise one when its output changes, and the next run redoes just that part.

They stand in each file's record; a file whose record names others is looked at again (docs/design.md, decision 7).
"""

PARSER = "2"
"""Titles, places, audiences: another one makes payloads anew."""

CHUNKER = "4"
"""Where chunks begin and end: another one chunks anew and embeds what differs."""

PREPARATION = "2"
"""How the embedded text is made: another one embeds everything anew."""

PAYLOAD = 2
"""The mapping from chunk to payload, stored in each point as `payload_format`: another one patches payloads."""

BM25 = "3"
"""Terms and weights of the sparse vectors: another one writes them anew and embeds nothing."""

LINTER = "2"
"""What the linter finds: another one reads the lessons again, so that the findings on record are its own."""


def same_model(one: str, other: str) -> bool:
    """Return whether two names of embedders mean one model, whatever its version (the number behind the last `/`).

    Their vectors can be ranked together; a new version embeds anew and no search fails meanwhile.
    """
    return _without_version(one) == _without_version(other)


def _without_version(name: str) -> str:
    model, _, version = name.rpartition("/")
    return model if version.isdecimal() else name

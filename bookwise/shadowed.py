"""Notice another package under the name of one of ours: two common words, which a folder of the user's may have."""

from importlib.util import find_spec
from pathlib import Path


def other_package(name: str) -> Path | None:
    """Return the folder or file that Python imports as our package `name`, None where it is ours or there is none."""
    spec = find_spec(name)
    if spec is None:
        return None
    place = Path(next(iter(spec.submodule_search_locations or ()), spec.origin or ""))
    return None if place.resolve() == Path(__file__).resolve().parent.with_name(name) else place

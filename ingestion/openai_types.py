"""Run the modules of OpenAI's SDK that describe replies when one of them is asked for, not with `import openai`.

The SDK makes some 460 modules of pydantic models at its import (openai/openai-python#2819), which take 0.2 s of every
command that asks a service. We ask by path and read the replies ourselves, so that none of them is ever used here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import get_ident
from types import ModuleType
from typing import Any

_PACKAGE = "openai.types"


def defer_openai_types() -> None:
    """Defer them for the whole process: for programs that start here, not for those that import bookwise."""
    if not any(isinstance(finder, _TypesFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _TypesFinder())


class _TypesFinder(MetaPathFinder):
    """Finds the packages of types as Python does, and gives each a loader that waits."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _PACKAGE and not fullname.startswith(f"{_PACKAGE}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.loader and spec.submodule_search_locations:
            spec.loader = _WaitingLoader(spec.loader)
        return spec


class _WaitingLoader(Loader):
    """Runs a package's own code at the first look for a name in it; the modules in it are found without."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._running: set[int] = set()

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        def look_up(name: str) -> Any:
            # No lock: with Python's own locks on modules it could wait for ever. Two threads that both look first
            # both run the code, which binds the same names twice.
            thread = get_ident()
            if thread in self._running or name in vars(module):
                return _bound(module, name)
            self._running.add(thread)
            try:
                self._loader.exec_module(module)
            finally:
                self._running.discard(thread)
            vars(module).pop("__getattr__", None)
            return _bound(module, name)

        vars(module)["__getattr__"] = look_up


def _bound(module: ModuleType, name: str) -> Any:
    try:
        return vars(module)[name]
    except KeyError:
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}") from None

"""The reference page of `import bookwise`, made from its signatures and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import FunctionType
from typing import Any, get_args

import bookwise
import bookwise.langchain
from scripts.docs.markdown import table, text

PRIVATE = re.compile(r"\b(?:rag|ingestion|collections\.abc|pathlib|typing)\.(?:\w+\.)*")

LLAMA_INDEX = (
    "## `bookwise.llama_index.BookwiseRetriever`\n\nThe same for LlamaIndex (extra `bookwise[llama-index]`): "
    "`BookwiseRetriever(book, k=5, filters=Filters())`; nodes are scored by `relevance`.\n"
)


def python_api() -> str:
    """Return every public name with its signature, fields and methods."""
    example = inspect.cleandoc(bookwise.__doc__ or "").split("\n\n")
    code = "\n".join(line.removeprefix("    ") for line in "\n\n".join(example[1:-1]).splitlines())
    head = f"# Python API\n\n{text(example[0])}\n\n```python\n{code}\n```\n\n{text(example[-1])}\n"
    parts = [head, *(_entry(name, getattr(bookwise, name)) for name in sorted(bookwise.__all__, key=_order))]
    retriever = bookwise.langchain.BookwiseRetriever
    parts.append(
        f"## `bookwise.langchain.BookwiseRetriever`\n\n{_prose(retriever)}\n\nExtra `bookwise[langchain]`.\n"
    )
    return "\n".join([*parts, LLAMA_INDEX])


def _order(name: str) -> tuple[bool, str]:
    """What is called first comes first."""
    return name not in ("open_book", "Book", "Filters"), name.lower() if name != "open_book" else ""


def _entry(name: str, value: Any) -> str:
    if inspect.isfunction(value):
        return f"## `{name}`\n\n{_code(name, value)}\n\n{_prose(value)}\n"
    if not inspect.isclass(value):
        return f"## `{name}`\n\nOne of {', '.join(f'`{each.__name__}`' for each in get_args(value))}.\n"
    parts = [f"## `{name}`\n\n{_prose(value)}\n"]
    if issubclass(value, Exception):
        parts.append(f"Exit code of the command line: {value.exit_code.value}; `kind`: `{value.kind}`.\n")
        return "\n".join(parts)
    parts.append(table(("field", "type", "default"), list(_fields(value))))
    parts += [f"{_member(method)}\n\n{_prose(method)}\n" for method in _methods(value)]
    return "\n".join(part for part in parts if part)


def _fields(value: type) -> Iterator[tuple[str, str, str]]:
    annotations = {key: kind for base in reversed(value.__mro__) for key, kind in _annotations(base).items()}
    for name, kind in annotations.items():
        yield f"`{name}`", f"`{text(PRIVATE.sub('', str(kind)))}`", _default(value, name)


def _annotations(base: type) -> dict[str, Any]:
    owned = dataclasses.is_dataclass(base) or hasattr(base, "model_fields")
    return {
        name: kind
        for name, kind in (inspect.get_annotations(base) if owned else {}).items()
        if not name.startswith("_") and "ClassVar" not in str(kind)
    }


def _default(value: Any, name: str) -> str:
    if dataclasses.is_dataclass(value):
        field = next(field for field in dataclasses.fields(value) if field.name == name)
        return "" if field.default is dataclasses.MISSING else _value(field.default)
    field = value.model_fields[name]
    return "" if field.is_required() or field.default_factory else _value(field.default)


def _value(default: object) -> str:
    """A default; of a whole object only its class."""
    shown = repr(default)
    return f"`{shown}`" if len(shown) <= 30 else f"`{type(default).__name__}()`"


def _methods(value: type) -> list[Any]:
    public = [member for name, member in vars(value).items() if not name.startswith("_")]
    return [member for member in public if isinstance(member, property | FunctionType) and inspect.getdoc(member)]


def _member(member: Any) -> str:
    if isinstance(member, property):
        getter: Any = member.fget
        return (
            f"```python\n{getter.__name__}: {PRIVATE.sub('', str(inspect.signature(getter).return_annotation))}\n```"
        )
    return _code(member.__name__, member)


def _code(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    parameters = [
        each.replace(annotation=_Shown(str(each.annotation)), default=_shown_default(each.default))
        for each in signature.parameters.values()
        if each.name != "self"
    ]
    shown = signature.replace(parameters=parameters, return_annotation=_Shown(str(signature.return_annotation)))
    prefix = "async " if inspect.isasyncgenfunction(function) else ""
    return f"```python\n{prefix}def {name}{shown}\n```"


class _Shown:
    """Text that a signature shows without quotation marks."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def __repr__(self) -> str:
        return PRIVATE.sub("", self.shown)


def _shown_default(default: Any) -> Any:
    return _Shown("Filters()") if default == bookwise.Filters() else default


def _prose(value: Any) -> str:
    paragraphs = inspect.cleandoc(value.__doc__ or "").split("\n\n")
    return "\n\n".join(text(paragraph) for paragraph in paragraphs)

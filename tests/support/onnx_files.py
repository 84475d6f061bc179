"""A tiny cross-encoder in ONNX, written by hand: it needs no package that makes such files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

INT64, FLOAT = 7, 1
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def write_pair_scorer(file: Path) -> None:
    """Write a model whose score of a pair is the sum of the ids of the second text's tokens."""
    _write(file, (*_SECOND, _node("ReduceSum", ("numbers",), "logits", _AXES)))


def write_entailment(file: Path) -> None:
    """Write a model of three classes: the first for a pair whose first text has the greater sum of ids, else the
    last, and the second where they are equal.
    """
    nodes = (
        *_SECOND,
        _node("Mul", ("input_ids", "attention_mask"), "all_read"),
        _node("Cast", ("all_read",), "all_numbers", _TO_FLOAT),
        _node("ReduceSum", ("numbers",), "second_sum", _AXES),
        _node("ReduceSum", ("all_numbers",), "sum", _AXES),
        _node("Sub", ("sum", "second_sum"), "first_sum"),
        _node("Sub", ("first_sum", "second_sum"), "entailed"),
        _node("Sub", ("second_sum", "first_sum"), "contradicted"),
        _node("Sub", ("sum", "sum"), "neutral"),
        _node(
            "Concat", ("entailed", "neutral", "contradicted"), "logits", _text(1, b"axis") + _int(3, 1) + _int(20, 2)
        ),
    )
    _write(file, nodes)


def _write(file: Path, nodes: Iterable[bytes]) -> None:
    graph = _each(1, nodes) + _text(2, b"scorer") + _each(11, (_value(name, INT64) for name in INPUTS))
    graph += _each(12, (_value("logits", FLOAT),))
    file.write_bytes(_int(1, 6) + _text(8, _text(1, b"") + _int(2, 11)) + _text(7, graph))


def _node(kind: str, inputs: Iterable[str], output: str, attribute: bytes = b"") -> bytes:
    node = _each(1, (name.encode() for name in inputs)) + _text(2, output.encode()) + _text(4, kind.encode())
    return node + (_text(5, attribute) if attribute else b"")


def _value(name: str, kind: int) -> bytes:
    shape = _each(1, (_text(2, b"pairs"), _text(2, b"tokens" if kind == INT64 else b"one")))
    return _text(1, name.encode()) + _text(2, _text(1, _int(1, kind) + _text(2, shape)))


def _each(field: int, values: Iterable[bytes]) -> bytes:
    return b"".join(_text(field, value) for value in values)


def _text(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


_TO_FLOAT = _text(1, b"to") + _int(3, FLOAT) + _int(20, 2)
_AXES = _text(1, b"axes") + _int(8, 1) + _int(20, 7)
_SECOND = (
    _node("Mul", ("input_ids", "token_type_ids"), "second"),
    _node("Mul", ("second", "attention_mask"), "read"),
    _node("Cast", ("read",), "numbers", _TO_FLOAT),
)

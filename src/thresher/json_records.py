"""Frozen dataclasses as JSON's types and back, exactly, checked against their annotations."""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from thresher.errors import InputError


def encode(value: Any) -> Any:
    """Return a record, or what fields of records hold, as a structure of JSON's types.

    Numbers that JSON does not know are the strings "nan", "inf" and "-inf"; members of an enumeration are their values.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def decode(kind: Any, value: Any, where: str, fix: str) -> Any:
    """Return what `encode` wrote as the annotated type `kind`.

    Args:
        kind: a dataclass, a number, text, an enumeration of texts, `X | None`, a tuple, or a mapping with texts as keys.
        value: of JSON's types.
        where: what leads to it from the top, for errors.
        fix: for errors, too.

    Raises:
        InputError: if something is missing in it or of a wrong type.
    """
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, where, fix)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        inner = next(argument for argument in arguments if argument is not type(None))
        return None if value is None else decode(inner, value, where, fix)
    if origin is tuple:
        return _tuple(arguments, value, where, fix)
    if origin is not None:  # the only other generic of records is Mapping[str, …]
        _expect(isinstance(value, dict), "a mapping", where, fix)
        return {key: decode(arguments[1], item, f"{where}.{key}", fix) for key, item in value.items()}
    if kind is float:
        _expect(type(value) in (int, float) or value in ("nan", "inf", "-inf"), "a number", where, fix)
        return float(value)
    if issubclass(kind, StrEnum):
        _expect(value in list(kind), f"one of {', '.join(kind)}", where, fix)
        return kind(value)
    names = {"str": "text", "int": "a whole number", "bool": "true or false"}
    _expect(type(value) is kind, names[kind.__name__], where, fix)
    return value


def _record(kind: type, value: Any, where: str, fix: str) -> Any:
    _expect(isinstance(value, dict), "a mapping", where, fix)
    hints = _hints(kind)
    found: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        if field.name in value:
            found[field.name] = decode(hints[field.name], value[field.name], f"{where}.{field.name}", fix)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise InputError("it is missing", fix, f"{where}.{field.name}")
    return kind(**found)


def _tuple(arguments: tuple[Any, ...], value: Any, where: str, fix: str) -> tuple[Any, ...]:
    _expect(isinstance(value, list), "a list", where, fix)
    if arguments[-1] is Ellipsis:
        return tuple(decode(arguments[0], item, f"{where}[{place}]", fix) for place, item in enumerate(value))
    _expect(len(value) == len(arguments), f"a list of {len(arguments)}", where, fix)
    return tuple(
        decode(kind, item, f"{where}[{place}]", fix)
        for place, (kind, item) in enumerate(zip(arguments, value, strict=True))
    )


def _expect(condition: bool, what: str, where: str, fix: str) -> None:
    if not condition:
        raise InputError(f"it should be {what}", fix, where)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)

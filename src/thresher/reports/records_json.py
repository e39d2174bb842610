"""Results as JSON and back, exactly: a report can be rendered again without computing anything again."""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
import types
import typing
from collections.abc import Mapping
from typing import Any

from thresher.errors import InputError
from thresher.reports.records import Results, TopicValue

FORMAT = "thresher-results"
VERSION = 1

_FIX = "run the experiment again, or use the version of thresher that wrote the file"


def results_to_json(results: Results) -> dict[str, Any]:
    """Return the results as a structure of JSON's types.

    The values per topic, by far the most, stand in columns. Numbers that JSON does not know are the strings
    "nan", "inf" and "-inf".
    """
    return {"format": FORMAT, "version": VERSION, **_fields(results)}


def results_from_json(value: Mapping[str, Any]) -> Results:
    """Return the results that `results_to_json` wrote down.

    Raises:
        InputError: if it is something else, of another version, or something is missing in it or of a wrong
            type.
    """
    if not isinstance(value, Mapping) or value.get("format") != FORMAT:
        raise InputError("these are not results of an experiment", "name the results.json of an experiment", "results")
    if value.get("version") != VERSION:
        raise InputError(f"version {value.get('version')!r} is not known, only {VERSION}", _FIX, "results.version")
    results: Results = _decode(Results, _with_rows(value, "results"), "results")
    return results


def _fields(results: Results) -> dict[str, Any]:
    held_out = results.held_out
    fields: dict[str, Any] = _encode(dataclasses.replace(results, per_topic=(), held_out=None))
    names = [field.name for field in dataclasses.fields(TopicValue)]
    fields["per_topic"] = {name: [_encode(getattr(value, name)) for value in results.per_topic] for name in names}
    del fields["held_out"]
    return {**fields, "held_out": _fields(held_out)} if held_out else fields


def _with_rows(fields: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the fields with a record a topic value in place of columns, as they are declared."""
    found = {**fields, "per_topic": _rows(fields.get("per_topic"), f"{where}.per_topic")}
    if isinstance(fields.get("held_out"), dict):
        found["held_out"] = _with_rows(fields["held_out"], f"{where}.held_out")
    return found


def _rows(columns: Any, where: str) -> list[dict[str, Any]]:
    names = [field.name for field in dataclasses.fields(TopicValue)]
    if not isinstance(columns, dict) or not all(isinstance(columns.get(name), list) for name in names):
        raise InputError("a column is missing", _FIX, where)
    if len({len(columns[name]) for name in names}) > 1:
        raise InputError("its columns differ in length", _FIX, where)
    lines = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, line, strict=True)) for line in lines]


def _encode(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def _decode(kind: Any, value: Any, where: str) -> Any:
    """Return `value` as the annotated type `kind`; `where` leads to it from the top."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        inner = next(argument for argument in arguments if argument is not type(None))
        return None if value is None else _decode(inner, value, where)
    if origin is tuple:
        return _tuple(arguments, value, where)
    if origin is not None:  # the only other generic of the records is Mapping[str, …]
        _expect(isinstance(value, dict), "a mapping", where)
        return {key: _decode(arguments[1], item, f"{where}.{key}") for key, item in value.items()}
    if kind is float:
        return _float(value, where)
    _expect(
        type(value) is kind,
        {"str": "text", "int": "a whole number", "bool": "true or false"}[kind.__name__],
        where,
    )
    return value


def _record(kind: type, value: Any, where: str) -> Any:
    _expect(isinstance(value, dict), "a mapping", where)
    hints = _hints(kind)
    found: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        if field.name in value:
            found[field.name] = _decode(hints[field.name], value[field.name], f"{where}.{field.name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise InputError("it is missing", _FIX, f"{where}.{field.name}")
    return kind(**found)


def _tuple(arguments: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    _expect(isinstance(value, list), "a list", where)
    if arguments[-1] is Ellipsis:
        return tuple(_decode(arguments[0], item, f"{where}[{place}]") for place, item in enumerate(value))
    _expect(len(value) == len(arguments), f"a list of {len(arguments)}", where)
    return tuple(
        _decode(kind, item, f"{where}[{place}]")
        for place, (kind, item) in enumerate(zip(arguments, value, strict=True))
    )


def _float(value: Any, where: str) -> float:
    known = type(value) in (int, float) or value in ("nan", "inf", "-inf")
    _expect(known, "a number", where)
    return float(value)


def _expect(condition: bool, what: str, where: str) -> None:
    if not condition:
        raise InputError(f"it should be {what}", _FIX, where)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)

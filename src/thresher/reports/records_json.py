"""Results as JSON and back, exactly: a report can be rendered again without computing anything again."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from thresher.errors import InputError
from thresher.json_records import decode, encode
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
    results: Results = decode(Results, _with_rows(value, "results"), "results", _FIX)
    return results


def _fields(results: Results) -> dict[str, Any]:
    held_out = results.held_out
    fields: dict[str, Any] = encode(dataclasses.replace(results, per_topic=(), held_out=None))
    names = [field.name for field in dataclasses.fields(TopicValue)]
    fields["per_topic"] = {name: [encode(getattr(value, name)) for value in results.per_topic] for name in names}
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

"""Whether a parsed experiment file says only what its schema allows."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Protocol

from thresher.experiments.schema import REQUIRED, SCHEMA, Key, Table


class AddProblem(Protocol):
    """Takes a problem: what, the fix, and the path of the key it is about."""

    def __call__(self, what: str, fix: str, path: tuple[str | int, ...]) -> None:
        """Note one problem."""
        ...


def check(document: Mapping[str, Any], add: AddProblem) -> dict[str, Any]:
    """Check a parsed TOML document against `SCHEMA` and fill in defaults.

    Args:
        document: what `tomllib` gave.
        add: called with (what, fix, path) for each problem.

    Returns:
        the tables with every key; a key that is missing or wrong has its default, or None if it has none.
    """
    tables = {table.name: table for table in SCHEMA}
    for name in document:
        if name not in tables:
            add(f"unknown table [{name}]", _suggest(name, tables), (name,))
    return {table.name: _table(table, document.get(table.name), add) for table in SCHEMA}


def _table(table: Table, value: Any, add: AddProblem) -> Any:
    if table.many:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            add(f"[{table.name}] is not an array of tables", f"write [[{table.name}]]", (table.name,))
            return []
        return [_keys(table, item, (table.name, index), add) for index, item in enumerate(value)]
    if value is None:
        if table.required:
            needed = ", ".join(key.name for key in table.keys if key.default is REQUIRED)
            add(f"the table [{table.name}] is missing", f"add [{table.name}] with {needed}", ())
        return {key.name: _default(key) for key in table.keys}
    if not isinstance(value, dict):
        add(f"{table.name!r} is not a table", f"write [{table.name}]", (table.name,))
        return {key.name: _default(key) for key in table.keys}
    return _keys(table, value, (table.name,), add)


def _keys(table: Table, value: dict[str, Any], path: tuple[str | int, ...], add: AddProblem) -> dict[str, Any]:
    keys = {key.name: key for key in table.keys}
    for name in value:
        if name not in keys:
            add(f"unknown key {name!r} in [{table.name}]", _suggest(name, keys), (*path, name))
    found = {}
    for key in table.keys:
        found[key.name] = _default(key)
        if key.name not in value:
            if key.default is REQUIRED:
                add(f"[{table.name}] has no {key.name!r}", f"add {key.name}: {key.meaning}", path)
            continue
        problem = _problem(key, value[key.name])
        if problem:
            add(*problem, (*path, key.name))
        else:
            found[key.name] = value[key.name]
    return found


def _problem(key: Key, value: Any) -> tuple[str, str] | None:
    # bool is an int to Python, not to a reader of TOML.
    fits = isinstance(value, key.kinds) and (bool in key.kinds or not isinstance(value, bool))
    if not fits:
        kinds = " or ".join(_KIND_NAMES[kind] for kind in key.kinds)
        return (
            f"{key.name!r} is {_KIND_NAMES.get(type(value), type(value).__name__)}",
            f"give {kinds}: {key.meaning}",
        )
    if key.choices and value not in key.choices:
        return f"{key.name!r} cannot be {value!r}", f"use one of {', '.join(filter(None, key.choices))}"
    if key.low is not None and not key.low <= value <= key.high:
        bound = f"at most {key.high:g}" if value > key.high else f"at least {key.low:g}"
        return f"{key.name!r} is out of range: {value!r:.20}", f"choose a value of {bound}"
    if key.items and not all(isinstance(item, key.items) for item in value):
        return f"an item of {key.name!r} is not {_KIND_NAMES[key.items]}", f"give a list of {key.meaning}"
    return None


_KIND_NAMES: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _default(key: Key) -> Any:
    return None if key.default is REQUIRED else key.default


def _suggest(name: str, known: Any) -> str:
    close = get_close_matches(name, list(known), 1)
    return f"write {close[0]!r}" if close else f"use one of {', '.join(known)}"

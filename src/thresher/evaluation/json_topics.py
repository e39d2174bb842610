"""Topics in JSON: lines (BEIR), or a single value (CAsT, iKAT, tracks of videos and medicine)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from thresher.base.errors import InputError
from thresher.collections.json_lines import json_object
from thresher.evaluation.topic_fields import Fields, ReadTopic, only

_ID_NAMES = ("_id", "id", "qid", "query_id")
# Names of ids in other tracks, for topics without the names above.
_FURTHER_ID_NAMES = ("topic_id", "topid", "queryID", "number", "num", "sample_id", "request_id", "target_id")
_TURNS = ("turn", "turns")
_TURN_NUMBERS = ("number", "turn_id")
_ENGLISH = ("eng", "en")
_FORM = 'write {"_id": "1", "text": "the query"}'


def looks_like_json(start: str) -> bool:
    """Return whether a text that begins so is one JSON value, not a line for each topic."""
    if start.startswith("["):
        return True
    if not start.startswith("{"):
        return False
    first_line = start.partition("\n")[0]
    try:
        value = json.loads(first_line)
    except (ValueError, RecursionError):
        # An object that goes on in the next line, unless the line is broken.
        return first_line.rstrip().endswith(("{", ",", "["))
    return isinstance(value, dict) and value.keys().isdisjoint(_ID_NAMES + _FURTHER_ID_NAMES)


def json_lines(text: str, path: Path) -> Iterator[ReadTopic]:
    """Yield the topics of JSON lines."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            record = json_object(line.encode())
        except ValueError as error:
            raise InputError(str(error), _FORM, where) from error
        yield from _topics_of(record, number, where)


def json_topics(text: str, path: Path) -> Iterator[ReadTopic]:
    """Yield the topics of a JSON array, or of an object whose only array of objects has them."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InputError(
            f"it is not JSON ({getattr(error, 'msg', 'it nests too deeply')})", "repair it there", f"{path}:{line}"
        ) from error
    for record in _records(value, path):
        yield from _topics_of(record, 1, str(path))


def _records(value: Any, path: Path) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        if not value.keys().isdisjoint(_ID_NAMES):
            return [value]
        arrays: list[list[Any]] = []
        for member in value.values():
            if _is_array_of_objects(member):
                arrays.append(member)
        if len(arrays) == 1:
            return arrays[0]
    raise InputError(
        "it does not have exactly one array of topics", 'write an array of {"id": "1", "query": "the query"}', str(path)
    )


def _is_array_of_objects(member: Any) -> bool:
    return isinstance(member, list) and all(isinstance(item, dict) for item in member)


def _topics_of(record: Any, line: int, where: str) -> Iterator[ReadTopic]:
    """Yield the topic of a record, or a topic for each of its turns."""
    members: dict[str, Any] = {}
    if isinstance(record, dict):
        members = record
    id = _id(members, where)
    turns = _turns(members)
    if turns is None:
        yield ReadTopic(id, _fields(members), line)
        return
    for turn in turns:
        if isinstance(turn, dict) and turn.get("participant") != "System":
            yield ReadTopic(f"{id}_{_turn_number(turn, where)}", _fields(turn), line)


def _turns(members: dict[str, Any]) -> list[Any] | None:
    """Return the turns of a conversation; None for a topic that is no conversation."""
    for name in _TURNS:
        turns = members.get(name)
        if isinstance(turns, list):
            return turns
    return None


def _turn_number(turn: dict[str, Any], where: str) -> str:
    numbers: list[str] = []
    for name in _TURN_NUMBERS:
        if name in turn:
            numbers.append(str(turn[name]))
    return only(numbers, " or ".join(_TURN_NUMBERS), where)


def _id(members: dict[str, Any], where: str) -> str:
    names = _text_members(members, _ID_NAMES)
    if not names:
        names = _text_members(members, _FURTHER_ID_NAMES)[:1]
    return str(members[only(names, " or ".join(_ID_NAMES), where)])


def _text_members(members: dict[str, Any], names: Iterable[str]) -> list[str]:
    """Return the names whose member is a string or an integer (True and False are none)."""
    return [name for name in names if type(members.get(name)) in (str, int)]


def _fields(members: dict[str, Any]) -> Fields:
    fields: Fields = []
    for name, value in members.items():
        if name in _ID_NAMES or name in _FURTHER_ID_NAMES:
            continue
        if type(value) in (str, int):
            fields.append((name, str(value)))
        elif _is_array_of_texts(value):
            fields.append((name, " ".join(value)))
    return fields + _english(members.get("topics"))


def _is_array_of_texts(value: Any) -> bool:
    """Return whether a value is an array of strings, at least one."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, str) for item in value)


def _english(versions: Any) -> Fields:
    """Return the fields of the English version of a topic of NeuCLIR or HC4, the original if there are two."""
    if not isinstance(versions, list):
        return []
    english: list[dict[str, Any]] = []
    for version in versions:
        if isinstance(version, dict) and version.get("lang") in _ENGLISH:
            english.append(version)
    if not english:
        return []
    english.sort(key=lambda version: version.get("source") != "original")
    topic_members: dict[str, Any] = {}
    for name, value in english[0].items():
        if name.startswith("topic_"):
            topic_members[name] = value
    return _fields(topic_members)

"""A topic as a file has it: its id, fields and line; and the choice of the field to search with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from thresher.base.errors import InputError

Fields = list[tuple[str, str]]
"""Names and texts of a topic's fields, in the file's order."""
TITLE = "title"
WHOLE = "all"
"""The field that is all text of a topic."""
# One field, several spellings: the Web tracks write <query> where the ad hoc tracks wrote <title>, BEIR `text`, Dynamic
# Domain a name, CAsT and iKAT the user's utterance, NeuCLIR `topic_title`, NTCIR's WWW task <content>.
_SPELLINGS = {
    "title": ("title", "query", "text", "name", "topic_title", "raw_utterance", "utterance", "content", "question"),
    "query": ("query", "title", "text", "name", "topic_title", "raw_utterance", "utterance", "content", "question"),
    "description": ("description", "desc", "topic_description"),
    "desc": ("desc", "description", "topic_description"),
    "narrative": ("narrative", "narr", "topic_narrative"),
    "narr": ("narr", "narrative", "topic_narrative"),
}


class ReadTopic(NamedTuple):
    """A topic as it stands in a file."""

    id: str
    fields: Fields
    line: int


def spellings(field: str) -> tuple[str, ...]:
    """Return the names under which a field may stand, the likeliest first."""
    return _SPELLINGS.get(field, (field,))


def only(values: Sequence[str], what: str, where: str) -> str:
    """Return the value of a list that must have exactly one."""
    if len(values) != 1:
        raise InputError(f"the topic has {len(values)} of {what}, not 1", "give it one", where)
    return values[0]


def query_of(topic: ReadTopic, field: str, where: str) -> str:
    """Return the text of a field, several joined by `+`, or of all fields; empty if the topic lacks the field."""
    if field == WHOLE and WHOLE not in dict(topic.fields):
        return " ".join(text for _, text in topic.fields)
    texts = [_text(topic.fields, name.strip(), where) for name in field.split("+")]
    return " ".join(texts).strip()


def _text(fields: Fields, field: str, where: str) -> str:
    for spelling in spellings(field):
        values: list[str] = []
        for name, text in fields:
            if name == spelling:
                values.append(text)
        if values:
            return only(values, f"<{field}>", where)
    return ""


def is_title(field: str) -> bool:
    """Return whether a field is the default query."""
    return field in ("title", "query")

"""The formats of topics: all fields of each topic of a file.

Sources: the guidelines of TREC's tracks, and the readers of Anserini (`topicreader`) and ir_datasets.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from thresher.base.errors import InputError
from thresher.base.number_text import counted
from thresher.evaluation.json_topics import json_lines, json_topics, looks_like_json
from thresher.evaluation.topic_fields import TITLE, Fields, ReadTopic, only
from thresher.evaluation.xml_topics import xml_topics

# Topics 1 to 200 have more fields than later topics.
_LABEL = re.compile(
    r"\s*(?:Number|Topic|Title|Description|Narrative|Domain|Summary|Concept\(s\)|Factor\(s\)|Nationality|Definition\(s\))\s*:",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"</?DOCNO>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_FIELD = re.compile(r"<([A-Za-z][A-Za-z0-9_-]*)(?:\s[^<>]*)?>")
_CLOSED_FIELD = re.compile(r"</[A-Za-z][A-Za-z0-9_-]*\s*>")
_OPENED = {tag: re.compile(rf"<{tag}(?:\s[^<>]*)?>", re.IGNORECASE) for tag in ("DOC", "top")}
# Million Query: the id, perhaps a priority, the query. An id has a digit: `enwiki:Green%20sea%20turtle` is an id of CAR.
_COLON = re.compile(r"(?=[^:]*[0-9])([A-Za-z0-9._-]+):(?:[0-9]+:)?([^:\t][^\t]*)")
ID_NAMES = ("_id", "id", "qid", "query_id", "query-id", "topicid", "topic_id", "topic-id")
"""Names of ids in headings of TSV, in lower case."""


class Format(NamedTuple):
    """A format: how its topics are read, and whether they have fields other than the title."""

    read: Callable[[str, Path], Iterator[ReadTopic]]
    has_fields: bool


def detect(text: str) -> str:
    """Return the name of the format of a file's text."""
    start = text.lstrip()
    if _OPENED["DOC"].match(start):
        return "trec-doc"
    if _OPENED["top"].match(start):
        return "trec"
    if start.startswith("<"):
        return "xml"
    if looks_like_json(start):
        return "json"
    if start.startswith("{"):
        return "jsonl"
    if _is_colon(start):
        return "colon"
    return "tsv"


def _is_colon(text: str) -> bool:
    """Return whether each line is `id:query`, but for blank lines; at least one is."""
    has_topics = False
    for line in text.split("\n"):
        if not line.strip():
            continue
        if not _COLON.fullmatch(line.rstrip()):
            return False
        has_topics = True
    return has_topics


def _tsv(text: str, path: Path) -> Iterator[ReadTopic]:
    for number, line in enumerate(text.split("\n"), start=1):
        columns = line.split("\t")
        if not line.strip() or (number == 1 and columns[0].strip().lower() in ID_NAMES):
            continue
        if len(columns) != 2:
            what = f"the line has {counted(len(columns), 'tab-separated column')}, not 2"
            raise InputError(what, "write `id<TAB>query`", f"{path}:{number}")
        yield ReadTopic(columns[0].strip(), [(TITLE, columns[1])], number)


def _colon(text: str, path: Path) -> Iterator[ReadTopic]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        topic = _COLON.fullmatch(line.rstrip())
        if topic is None:
            raise InputError("the line is not `id:query`", "write `id:query`", f"{path}:{number}")
        yield ReadTopic(topic[1], [(TITLE, topic[2])], number)


def _doc_blocks(text: str, path: Path) -> Iterator[ReadTopic]:
    for body, line in _blocks(text, "DOC", path, must_close=True):
        numbers = list(_numbers(body))
        if len(numbers) != 1:
            raise InputError(
                f"the <DOC> block has {len(numbers)} <DOCNO> elements, not 1", "give it one", f"{path}:{line}"
            )
        ((opened, closed),) = numbers
        query = body[: opened.start()] + " " + body[closed.end() :]
        number = body[opened.end() : closed.start()]
        yield ReadTopic(number.strip(), [(TITLE, html.unescape(_TAG.sub(" ", query)))], line)


def _numbers(body: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Give the tags around each `<DOCNO>`, which reaches to the next tag that closes one."""
    opened = None
    # One pattern for both would look for the end from each beginning.
    for tag in _NUMBER.finditer(body):
        if not tag[0].startswith("</"):
            opened = opened or tag
        elif opened:
            yield opened, tag
            opened = None


def _classic(text: str, path: Path) -> Iterator[ReadTopic]:
    for body, line in _blocks(text, "top", path, must_close=False):
        # Fields are opened but mostly not closed: each field reaches to the next tag that opens.
        pieces = _FIELD.split(_CLOSED_FIELD.sub(" ", body))
        fields: Fields = []
        numbers: list[str] = []
        for name, value in zip(pieces[1::2], pieces[2::2], strict=True):
            if name.lower() == "num":
                numbers.append(_unlabelled(value))
            else:
                fields.append((name.lower(), html.unescape(_unlabelled(value))))
        number, _, rest = only(numbers, "<num>", f"{path}:{line}").partition("\n")
        if rest.strip():
            # Medical Records: the query follows the number.
            fields.insert(0, (TITLE, html.unescape(rest)))
        yield ReadTopic(without_zeros(number.strip()), fields, line)


def _blocks(text: str, tag: str, path: Path, must_close: bool) -> Iterator[tuple[str, int]]:
    """Give the content of each `<tag>` block and the line it begins on; only white space may stand between blocks.

    A block that is not closed reaches to the next one, unless it must be.
    """
    closing = re.compile(rf"</{tag}\s*>", re.IGNORECASE)
    opened = list(_OPENED[tag].finditer(text))
    line = 1
    counted = 0
    outside = 0
    for number, block in enumerate(opened, start=1):
        line += text.count("\n", counted, block.start())
        counted = block.start()
        _nothing_between(text, outside, block.start(), tag, path)
        end = len(text)
        if number < len(opened):
            end = opened[number].start()
        outside = end
        closed = closing.search(text, block.end(), end)
        if closed:
            end, outside = closed.span()
        elif must_close:
            raise InputError(f"the <{tag}> block is not closed", f"end it with </{tag}>", f"{path}:{line}")
        yield text[block.end() : end], line
    _nothing_between(text, outside, len(text), tag, path)


def _nothing_between(text: str, start: int, end: int, tag: str, path: Path) -> None:
    between = text[start:end]
    if between.strip():
        line = text.count("\n", 0, start + len(between) - len(between.lstrip())) + 1
        fix = f"put it between <{tag}> and </{tag}>, or remove it"
        raise InputError(f"there is text outside of <{tag}> blocks", fix, f"{path}:{line}")


def _unlabelled(value: str) -> str:
    label = _LABEL.match(value)
    return (value[label.end() :] if label else value).strip()


def without_zeros(number: str) -> str:
    """Return a number without leading zeros; any other id as it is."""
    return (number.lstrip("0") or "0") if number.isdecimal() else number


FORMATS: dict[str, Format] = {
    "tsv": Format(_tsv, has_fields=False),
    "colon": Format(_colon, has_fields=False),
    "trec-doc": Format(_doc_blocks, has_fields=False),
    "trec": Format(_classic, has_fields=True),
    "xml": Format(xml_topics, has_fields=True),
    "jsonl": Format(json_lines, has_fields=True),
    "json": Format(json_topics, has_fields=True),
}
"""The formats by name."""

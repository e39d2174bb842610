"""Topics: the queries of an experiment, from the formats that TREC and its users write them in."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from thresher.errors import ConfigError, InputError
from thresher.evaluation.records import Topic
from thresher.files import read_text

# One field, several spellings: the Web tracks write <query> where the ad hoc tracks wrote <title>.
_SPELLINGS = {
    "title": ("title", "query"),
    "query": ("query", "title"),
    "description": ("description", "desc"),
    "desc": ("desc", "description"),
    "narrative": ("narrative", "narr"),
    "narr": ("narr", "narrative"),
}
# Topics 1 to 200 have more of them than the later ones.
_LABEL = re.compile(
    r"\s*(?:Number|Topic|Title|Description|Narrative|Domain|Summary|Concept\(s\)|Factor\(s\)|Nationality|Definition\(s\))\s*:",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_FIELD = re.compile(r"<([A-Za-z][A-Za-z0-9_-]*)(?:\s[^<>]*)?>")
_CLOSED_FIELD = re.compile(r"</[A-Za-z][A-Za-z0-9_-]*\s*>")
_OPENED = {tag: re.compile(rf"<{tag}(?:\s[^<>]*)?>", re.IGNORECASE) for tag in ("DOC", "top")}


class _Found(NamedTuple):
    id: str
    query: str
    line: int


def read_topics(path: Path, format: str | None = None, field: str = "title") -> dict[str, Topic]:
    """Read the topics of a file, in its order.

    Args:
        path: a UTF-8 file, perhaps compressed (a byte order mark is skipped).
        format: one of `TOPIC_FORMATS`; None finds it out from the first characters.
            `tsv`: lines of `id<TAB>query`, nothing else. `trec-doc`: `<DOC>` blocks with a `<DOCNO>`, all
            other text is the query. `trec`: `<top>` blocks with `<num>`, `<title>`, `<desc>`, `<narr>`, of which
            none need be closed; leading zeros of a number are dropped, as in the qrels of those tracks.
            `xml`: `<topic>` elements, the id in an attribute or child `number`; entities that the file itself
            declares are replaced, others are an error: no other file is read.
        field: which field is the query: `title` (also spelled `query`), `description`, `narrative`, or any
            other tag of the file. `tsv` and `trec-doc` have the one field `title`.

    Returns:
        Topic by id. White space in queries is collapsed to single spaces.

    Raises:
        ConfigError: if `format` is unknown.
        InputError: with the line, if the file is missing, not UTF-8, malformed, holds no topic, a topic
            without a query or the same id twice.
    """
    if format is not None and format not in _PARSERS:
        raise ConfigError(f"there is no topic format `{format}`", f"use one of {', '.join(TOPIC_FORMATS)}", str(path))
    text = read_text(path)
    format = format or _detect(text)
    if format in ("tsv", "trec-doc") and field not in ("title", "query"):
        raise InputError(f"topics in the format {format} have no field `{field}`", "use the field `title`", str(path))
    topics: dict[str, Topic] = {}
    for found in _PARSERS[format](text, field, path):
        where = f"{path}:{found.line}"
        query = " ".join(found.query.split())
        if not found.id or len(found.id.split()) != 1:
            raise InputError(
                f"the topic id `{found.id}` is empty or holds white space", "give it an id of one word", where
            )
        if not query:
            raise InputError(f"topic {found.id} has no query", f"fill in its {field} or remove the topic", where)
        if found.id in topics:
            raise InputError(f"topic {found.id} is there twice", "keep one of the two", where)
        topics[found.id] = Topic(found.id, query)
    if not topics:
        raise InputError("it holds no topics", "write a topic a line as `id<TAB>query`", str(path))
    return topics


def spelled_as(topics: Mapping[str, Topic], known: Collection[str]) -> dict[str, Topic]:
    """Return the topics with their ids as qrels spell them, where leading zeros alone tell these apart.

    An id that the qrels have stays, and so does one that several of theirs would fit, or that would fit several topics.

    Args:
        topics: topic by id.
        known: the ids of the topics in the qrels.
    """
    free = Counter(_without_zeros(topic) for topic in topics if topic not in known)
    wanted = Counter(map(_without_zeros, known))
    by_number = {_without_zeros(other): other for other in known if other not in topics}
    renamed: dict[str, Topic] = {}
    for topic in topics.values():
        number = _without_zeros(topic.id)
        fits = topic.id not in known and number in by_number and free[number] == wanted[number] == 1
        id = by_number[number] if fits else topic.id
        renamed[id] = Topic(id, topic.query)
    return renamed


def _detect(text: str) -> str:
    start = text.lstrip()
    if _OPENED["DOC"].match(start):
        return "trec-doc"
    if _OPENED["top"].match(start):
        return "trec"
    return "xml" if start.startswith("<") else "tsv"


def _tsv(text: str, _field: str, path: Path) -> Iterator[_Found]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        columns = line.split("\t")
        if len(columns) != 2:
            raise InputError(
                f"the line has {len(columns)} tab-separated column{'s' * (len(columns) != 1)}, not 2",
                "write `id<TAB>query`",
                f"{path}:{number}",
            )
        yield _Found(columns[0].strip(), columns[1], number)


def _doc_blocks(text: str, _field: str, path: Path) -> Iterator[_Found]:
    for body, line in _blocks(text, "DOC", path, must_close=True):
        numbers = list(re.finditer(r"<DOCNO>(.*?)</DOCNO>", body, re.IGNORECASE | re.DOTALL))
        if len(numbers) != 1:
            raise InputError(
                f"the <DOC> block has {len(numbers)} <DOCNO> elements, not 1", "give it one", f"{path}:{line}"
            )
        number = numbers[0]
        query = body[: number.start()] + " " + body[number.end() :]
        yield _Found(number[1].strip(), html.unescape(_TAG.sub(" ", query)), line)


def _classic(text: str, field: str, path: Path) -> Iterator[_Found]:
    for body, line in _blocks(text, "top", path, must_close=False):
        where = f"{path}:{line}"
        # Fields are opened but mostly not closed: each one reaches to the next tag that opens.
        pieces = _FIELD.split(_CLOSED_FIELD.sub(" ", body))
        fields = [(name.lower(), value) for name, value in zip(pieces[1::2], pieces[2::2], strict=True)]
        number = _one([value for name, value in fields if name == "num"], "<num>", where)
        values = _spelled(fields, field)
        value = _one(values, f"<{field}>", where) if values else ""
        yield _Found(_without_zeros(_unlabelled(number)), html.unescape(_unlabelled(value)), line)


def _xml(text: str, field: str, path: Path) -> Iterator[_Found]:
    # Nothing is fetched, no file is opened, and libxml2 bounds how far entities may swell: a topic file is data.
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities="internal", no_network=True, remove_comments=True, remove_pis=True
    )
    offset = text[: len(text) - len(text.lstrip())].count("\n")
    try:
        root = etree.fromstring(text.strip().encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        reason = re.sub(r",? (see xml\w+\.,? ?)?line \d+, column \d+.*", "", error.msg, flags=re.DOTALL)
        line = (error.lineno or 1) + offset
        raise InputError(f"it is not well-formed XML ({reason})", "repair it there", f"{path}:{line}") from error
    for topic in root.iter("topic", "top"):
        line = (topic.sourceline or 1) + offset
        where = f"{path}:{line}"
        children = [(str(child.tag), "".join(child.itertext())) for child in topic]
        numbers = [topic.get(name) for name in ("number", "num", "id") if topic.get(name)]
        numbers = numbers or [value for name, value in children if name in ("number", "num", "id")]
        values = _spelled(children, field)
        value = _one(values, f"<{field}>", where) if values else ""
        yield _Found(_one(numbers, "number", where).strip(), value, line)


def _blocks(text: str, tag: str, path: Path, must_close: bool) -> Iterator[tuple[str, int]]:
    """Give the inside of each `<tag>` block and the line it begins on; outside of them only white space may stand.

    A block that is not closed reaches to the next one, unless it must be.
    """
    closing = re.compile(rf"</{tag}\s*>", re.IGNORECASE)
    opened = list(_OPENED[tag].finditer(text))
    line, counted, outside = 1, 0, 0
    for place, block in enumerate(opened):
        line += text.count("\n", counted, block.start())
        counted = block.start()
        _nothing_between(text, outside, block.start(), tag, path)
        end = opened[place + 1].start() if place + 1 < len(opened) else len(text)
        closed = closing.search(text, block.end(), end)
        if closed is None and must_close:
            raise InputError(f"the <{tag}> block is not closed", f"end it with </{tag}>", f"{path}:{line}")
        yield text[block.end() : closed.start() if closed else end], line
        outside = closed.end() if closed else end
    _nothing_between(text, outside, len(text), tag, path)


def _nothing_between(text: str, start: int, end: int, tag: str, path: Path) -> None:
    between = text[start:end]
    if between.strip():
        line = text.count("\n", 0, start + len(between) - len(between.lstrip())) + 1
        raise InputError(
            f"there is text outside of <{tag}> blocks",
            f"put it between <{tag}> and </{tag}>, or remove it",
            f"{path}:{line}",
        )


def _spelled(fields: list[tuple[str, str]], field: str) -> list[str]:
    for spelling in _SPELLINGS.get(field, (field,)):
        values = [value for name, value in fields if name == spelling]
        if values:
            return values
    return []


def _one(values: list[str], what: str, where: str) -> str:
    if len(values) != 1:
        raise InputError(f"the topic has {len(values)} of {what}, not 1", "give it one", where)
    return values[0]


def _unlabelled(value: str) -> str:
    label = _LABEL.match(value)
    return (value[label.end() :] if label else value).strip()


def _without_zeros(number: str) -> str:
    return (number.lstrip("0") or "0") if number.isdecimal() else number


_PARSERS: dict[str, Callable[[str, str, Path], Iterator[_Found]]] = {
    "tsv": _tsv,
    "trec-doc": _doc_blocks,
    "trec": _classic,
    "xml": _xml,
}
TOPIC_FORMATS = tuple(_PARSERS)
"""The names of the topic formats."""

"""Topics, from TREC's formats, TSV, JSON lines, or a dataset of ir_datasets; and what readers must know of them, as data."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import read_text
from thresher.collections.catalogue import CATALOGUE_PREFIX, records
from thresher.collections.json_lines import json_object

# One field, several spellings: the Web tracks write <query> where the ad hoc tracks wrote <title>, BEIR `text`.
_SPELLINGS = {
    "title": ("title", "query", "text"),
    "query": ("query", "title", "text"),
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
_NUMBER = re.compile(r"</?DOCNO>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_FIELD = re.compile(r"<([A-Za-z][A-Za-z0-9_-]*)(?:\s[^<>]*)?>")
_ID_NAMES = ("_id", "id", "qid", "query_id")
_CLOSED_FIELD = re.compile(r"</[A-Za-z][A-Za-z0-9_-]*\s*>")
_OPENED = {tag: re.compile(rf"<{tag}(?:\s[^<>]*)?>", re.IGNORECASE) for tag in ("DOC", "top")}


@dataclass(frozen=True)
class Topic:
    """An information need: its id and the query text that is searched."""

    id: str
    query: str


class _ReadTopic(NamedTuple):
    id: str
    query: str
    line: int


def read_topics(path: Path, format: str | None = None, field: str = "title") -> dict[str, Topic]:
    """Read the topics of a file, in its order.

    Args:
        path: a UTF-8 file, perhaps compressed (a byte order mark is skipped).
        format: one of `TOPIC_FORMATS`; None detects it from the beginning. `tsv`: lines of `id<TAB>query`, perhaps below a
            heading such as `qid<TAB>query`. `trec-doc`: `<DOC>` blocks with a `<DOCNO>`, all other text is the query. `trec`:
            `<top>` blocks with `<num>`, `<title>`, `<desc>`, `<narr>`, of which none need be closed; leading zeros of a number
            are dropped, as in the qrels of those tracks. `xml`: `<topic>` elements, the id in an attribute or child
            `number`; entities that the file itself declares are replaced, others are an error: no other file is read.
            `jsonl`: lines of objects with `_id`, `id`, `qid` or `query_id`, as BEIR's `{"_id": "1", "text": "..."}`.
        field: which field is the query: `title` (also spelled `query` or `text`), `description`, `narrative`, or any
            other tag of the file. `tsv` and `trec-doc` have the one field `title`.

    Returns:
        Topic by id. White space in queries is collapsed to single spaces.
    """
    if format is not None and format not in _PARSERS:
        raise ConfigError(f"there is no topic format `{format}`", f"use one of {', '.join(TOPIC_FORMATS)}", str(path))
    text = read_text(path)
    format = format or _detect(text)
    if format in ("tsv", "trec-doc") and field not in ("title", "query"):
        raise InputError(f"topics in the format {format} have no field `{field}`", "use the field `title`", str(path))
    topics: dict[str, Topic] = {}
    fixes = ("give it an id of one word", f"fill in its {field} or remove the topic", "keep one of the two")
    for read in _PARSERS[format](text, field, path):
        _add(topics, read.id, read.query, f"{path}:{read.line}", fixes)
    if not topics:
        raise InputError("it holds no topics", "write one topic per line as `id<TAB>query`", str(path))
    return topics


def read_catalogue_topics(dataset_id: str, field: str = "title") -> dict[str, Topic]:
    """Read the topics of a dataset such as `clueweb12/trec-web-2013` by id, in its order.

    The `field` is the query, as for `read_topics`; `title` is also called `query` or `text` there. White space in
    queries is collapsed to single spaces.
    """
    where = CATALOGUE_PREFIX + dataset_id
    file = "give the topics as a file"
    fixes = (file, f"use another field than {field}", f"{file}, with one of the two")
    topics: dict[str, Topic] = {}
    for record in records(dataset_id, "queries"):
        _add(topics, str(record.query_id), _query(record, field, where), where, fixes)
    if not topics:
        raise InputError("it holds no topics", "use another id", where)
    return topics


def _add(topics: dict[str, Topic], id: str, query: str, where: str, fixes: tuple[str, str, str]) -> None:
    """Add a topic; `fixes` are for an id that is not a word, a missing query, and an id that occurs twice."""
    query = " ".join(query.split())
    if id.split() != [id]:
        raise InputError(f"the topic id `{id}` is empty or holds white space", fixes[0], where)
    if not query:
        raise InputError(f"topic {id} has no query", fixes[1], where)
    if id in topics:
        raise InputError(f"topic {id} occurs twice", fixes[2], where)
    topics[id] = Topic(id, query)


def spelled_as(topics: Mapping[str, Topic], known: Collection[str]) -> dict[str, Topic]:
    """Return the topics with their ids as the qrels spell them (`known`), where only leading zeros differ.

    An id that the qrels have stays, and so does one without a unique counterpart.
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
    return {"<": "xml", "{": "jsonl"}.get(start[:1], "tsv")


def _tsv(text: str, _field: str, path: Path) -> Iterator[_ReadTopic]:
    for number, line in enumerate(text.split("\n"), start=1):
        columns = line.split("\t")
        if not line.strip() or (number == 1 and columns[0].strip().lower() in _ID_NAMES):
            continue
        if len(columns) != 2:
            what = f"the line has {len(columns)} tab-separated column{'s' * (len(columns) != 1)}, not 2"
            raise InputError(what, "write `id<TAB>query`", f"{path}:{number}")
        yield _ReadTopic(columns[0].strip(), columns[1], number)


def _doc_blocks(text: str, _field: str, path: Path) -> Iterator[_ReadTopic]:
    for body, line in _blocks(text, "DOC", path, must_close=True):
        numbers = list(_numbers(body))
        if len(numbers) != 1:
            raise InputError(
                f"the <DOC> block has {len(numbers)} <DOCNO> elements, not 1", "give it one", f"{path}:{line}"
            )
        ((opened, closed),) = numbers
        query = body[: opened.start()] + " " + body[closed.end() :]
        number = body[opened.end() : closed.start()]
        yield _ReadTopic(number.strip(), html.unescape(_TAG.sub(" ", query)), line)


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


def _classic(text: str, field: str, path: Path) -> Iterator[_ReadTopic]:
    for body, line in _blocks(text, "top", path, must_close=False):
        where = f"{path}:{line}"
        # Fields are opened but mostly not closed: each one reaches to the next tag that opens.
        pieces = _FIELD.split(_CLOSED_FIELD.sub(" ", body))
        fields = [(name.lower(), value) for name, value in zip(pieces[1::2], pieces[2::2], strict=True)]
        number = _only([value for name, value in fields if name == "num"], "<num>", where)
        values = _spelled(fields, field)
        value = _only(values, f"<{field}>", where) if values else ""
        yield _ReadTopic(_without_zeros(_unlabelled(number)), html.unescape(_unlabelled(value)), line)


def _xml(text: str, field: str, path: Path) -> Iterator[_ReadTopic]:
    # Nothing is fetched, no file is opened, and libxml2 bounds the expansion of entities.
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
        value = _only(values, f"<{field}>", where) if values else ""
        yield _ReadTopic(_only(numbers, "number", where).strip(), value, line)


def _json_lines(text: str, field: str, path: Path) -> Iterator[_ReadTopic]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            record = json_object(line.encode())
        except ValueError as error:
            raise InputError(str(error), 'write {"_id": "1", "text": "the query"}', where) from error
        members = record.items() if isinstance(record, dict) else ()
        fields = [(name, str(value)) for name, value in members if type(value) in (str, int)]
        ids = [value for name, value in fields if name in _ID_NAMES]
        yield _ReadTopic(_only(ids, " or ".join(_ID_NAMES), where), "".join(_spelled(fields, field)), number)


def _blocks(text: str, tag: str, path: Path, must_close: bool) -> Iterator[tuple[str, int]]:
    """Give the content of each `<tag>` block and the line it begins on; only white space may stand between blocks.

    A block that is not closed reaches to the next one, unless it must be.
    """
    closing = re.compile(rf"</{tag}\s*>", re.IGNORECASE)
    opened = list(_OPENED[tag].finditer(text))
    line, counted, outside = 1, 0, 0
    for number, block in enumerate(opened, start=1):
        line += text.count("\n", counted, block.start())
        counted = block.start()
        _nothing_between(text, outside, block.start(), tag, path)
        end = opened[number].start() if number < len(opened) else len(text)
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
        fix = f"put it between <{tag}> and </{tag}>, or remove it"
        raise InputError(f"there is text outside of <{tag}> blocks", fix, f"{path}:{line}")


def _spelled(fields: list[tuple[str, str]], field: str) -> list[str]:
    for spelling in _SPELLINGS.get(field, (field,)):
        values = [value for name, value in fields if name == spelling]
        if values:
            return values
    return []


def _only(values: list[str], what: str, where: str) -> str:
    if len(values) != 1:
        raise InputError(f"the topic has {len(values)} of {what}, not 1", "give it one", where)
    return values[0]


def _unlabelled(value: str) -> str:
    label = _LABEL.match(value)
    return (value[label.end() :] if label else value).strip()


def _without_zeros(number: str) -> str:
    return (number.lstrip("0") or "0") if number.isdecimal() else number


def _query(record: Any, field: str, where: str) -> str:
    for name in _SPELLINGS.get(field, (field,)):
        value = getattr(record, name, None)
        if isinstance(value, str):
            return value
    fields = [name for name in record._fields if name != "query_id" and isinstance(getattr(record, name), str)]
    raise InputError(f"the topics have no field `{field}`", f"use one of {', '.join(fields)}", where)


_PARSERS: dict[str, Callable[[str, str, Path], Iterator[_ReadTopic]]] = {
    "tsv": _tsv,
    "trec-doc": _doc_blocks,
    "trec": _classic,
    "xml": _xml,
    "jsonl": _json_lines,
}
TOPIC_FORMATS = tuple(_PARSERS)
"""The names of the topic formats."""


MOST_IDS = 5
"""Ids that are kept of all that a notice is about."""


class About(StrEnum):
    """The subject of a notice."""

    UNJUDGED = "unjudged"
    """Topics without a judgment, which are left out."""
    IRRELEVANT = "irrelevant"
    """Topics for which no document is relevant."""
    UNKNOWN = "unknown"
    """Judged topics that the topics do not have."""
    ASKED = "asked"
    """Held-out topics with the query of a topic that cutoffs are chosen on."""
    MISSING = "missing"
    """Judged documents that the collection does not have."""
    WITHOUT_TEXT = "without text"
    """Pages of which a file of other texts has none."""
    WITHOUT_PAGE = "without page"
    """Texts of such a file that belong to no page."""


@dataclass(frozen=True)
class Notice:
    """A notice: how many ids it is about, and the first `MOST_IDS`; `held_out` if it is about the held-out topics."""

    about: About
    count: int = 0
    ids: tuple[str, ...] = ()
    held_out: bool = False


def notice(about: About, ids: Iterable[str] = (), held_out: bool = False) -> Notice:
    """Return a notice about ids."""
    every = tuple(ids)
    return Notice(about, len(every), every[:MOST_IDS], held_out)

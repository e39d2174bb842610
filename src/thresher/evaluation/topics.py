"""Topics, from TREC's formats, TSV, JSON lines, or a dataset of ir_datasets; and notices about topics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import read_text
from thresher.base.letters import readable
from thresher.collections.catalogue import CATALOGUE_PREFIX, records
from thresher.collections.interface import holds_unfit_characters
from thresher.evaluation.topic_fields import WHOLE, ReadTopic, is_title, query_of, spellings
from thresher.evaluation.topic_formats import FORMATS, detect, without_zeros

TOPIC_FORMATS = tuple(FORMATS)
"""The names of the topic formats."""
_PREFIXED = re.compile(r"[A-Za-z]+([0-9]+)")
_MOST_FIELDS = 12
MOST_IDS = 5
"""The most ids that a notice names."""


@dataclass(frozen=True)
class Topic:
    """An information need: its id and the query text that is searched, in the spelling of `thresher.base.letters`."""

    id: str
    query: str

    def __post_init__(self) -> None:
        """Spell the query as pages are."""
        object.__setattr__(self, "query", readable(self.query))


def read_topics(path: Path, format: str | None = None, field: str = "title") -> dict[str, Topic]:
    """Read the topics of a file, in its order.

    Args:
        path: a UTF-8 file, perhaps compressed (a byte order mark is skipped).
        format: one of `TOPIC_FORMATS`; None detects it from the beginning. `tsv`: lines of `id<TAB>query`, perhaps below a
            heading such as `qid<TAB>query`. `colon`: lines of `id:query` or `id:priority:query`, as of the Million Query
            track. `trec-doc`: `<DOC>` blocks with a `<DOCNO>`, all other text is the query. `trec`: `<top>` blocks with
            `<num>`, `<title>`, `<desc>`, `<narr>`, which need not be closed; leading zeros of a number are dropped, as
            in the qrels of those tracks. `xml`: see `xml_topics`; entities that the file itself declares are replaced, no
            other file is read. `jsonl`: lines of objects with `_id`, `id`, `qid` or `query_id`, as BEIR's
            `{"_id": "1", "text": "..."}`. `json`: an array of these; topics with turns are a topic for each turn.
        field: which field is the query: `title` (see `topic_fields` for its spellings), `description`, `narrative`, any other
            tag or member of the file, several joined by `+`, or `all`. If no topic has a title and each has a single field,
            that is the query. `tsv`, `colon` and `trec-doc` have the one field `title`.

    Returns:
        Topic by id. White space in queries is collapsed to single spaces.
    """
    if format is not None and format not in FORMATS:
        raise ConfigError(f"there is no topic format `{format}`", f"use one of {', '.join(TOPIC_FORMATS)}", str(path))
    text = read_text(path)
    format = format or detect(text)
    if not FORMATS[format].has_fields and not is_title(field):
        raise InputError(f"topics in the format {format} have no field `{field}`", "use the field `title`", str(path))
    reads = list(FORMATS[format].read(text, path))
    if not reads:
        raise InputError("it holds no topics", "write one topic per line as `id<TAB>query`", str(path))
    queries = _queries(reads, field, path)
    topics: dict[str, Topic] = {}
    fixes = ("give it an id of one word", _fix_without_query(reads, queries, field), "keep one of the two")
    for read, query in zip(reads, queries, strict=True):
        _add(topics, read.id, query, f"{path}:{read.line}", fixes)
    return topics


def _queries(topics: Sequence[ReadTopic], field: str, path: Path) -> list[str]:
    """Return the query of each topic.

    If no topic has a title and each has a single field, that field is the query.
    """
    queries: list[str] = []
    single_fields: list[str] = []
    for topic in topics:
        queries.append(query_of(topic, field, f"{path}:{topic.line}"))
        if len(topic.fields) == 1:
            _, text = topic.fields[0]
            single_fields.append(text)
    if is_title(field) and not any(queries) and len(single_fields) == len(topics):
        return single_fields
    return queries


def _fix_without_query(topics: Sequence[ReadTopic], queries: Sequence[str], field: str) -> str:
    """Return the fix for a topic without a query: if no topic has a query, choose one of their fields."""
    names: list[str] = []
    for topic in topics:
        for name, _ in topic.fields:
            if name not in names:
                names.append(name)
    if not names or any(queries):
        return f"fill in its {field} or remove the topic"
    shown = ", ".join(names[:_MOST_FIELDS])
    return f"choose with `field` (--field) one of {shown}, several joined by `+`, or `{WHOLE}` for all text"


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
    if holds_unfit_characters(id):
        raise InputError(f"the topic id `{id}` holds a control character", fixes[0], where)
    if not query:
        raise InputError(f"topic {id} has no query", fixes[1], where)
    if id in topics:
        raise InputError(f"topic {id} occurs twice", fixes[2], where)
    topics[id] = Topic(id, query)


def spelled_as(topics: Mapping[str, Topic], judged: Collection[str]) -> dict[str, Topic]:
    """Return the topics with their ids as the qrels spell them (`judged`).

    Only leading zeros, and letters before a number that the qrels leave out (`MB001` for `1`), may differ. An id that the
    qrels have stays, and so does an id without a unique counterpart.
    """
    topics_by_number: Counter[str] = Counter()
    for topic_id in topics:
        if topic_id not in judged:
            topics_by_number[_number(topic_id)] += 1
    judged_by_number = Counter(map(without_zeros, judged))
    spelling: dict[str, str] = {}
    for topic_id in judged:
        if topic_id not in topics:
            spelling[without_zeros(topic_id)] = topic_id
    renamed: dict[str, Topic] = {}
    for topic in topics.values():
        id = topic.id
        number = _number(id)
        is_unique = topics_by_number[number] == judged_by_number[number] == 1
        if id not in judged and number in spelling and is_unique:
            id = spelling[number]
        renamed[id] = Topic(id, topic.query)
    return renamed


def _number(id: str) -> str:
    prefixed = _PREFIXED.fullmatch(id)
    if prefixed:
        id = prefixed[1]
    return without_zeros(id)


def _query(record: Any, field: str, where: str) -> str:
    for name in spellings(field):
        value = getattr(record, name, None)
        if isinstance(value, str):
            return value
    fields: list[str] = []
    for name in record._fields:
        if name != "query_id" and isinstance(getattr(record, name), str):
            fields.append(name)
    raise InputError(f"the topics have no field `{field}`", f"use one of {', '.join(fields)}", where)


class About(StrEnum):
    """The subject of a notice."""

    UNJUDGED = "unjudged"
    """Topics without a judgment, which are left out."""
    IRRELEVANT = "irrelevant"
    """Topics without a relevant document."""
    UNKNOWN = "unknown"
    """Judged topics that the topics do not have."""
    ASKED = "asked"
    """Held-out topics with the query of a topic that cutoffs are chosen on."""
    MISSING = "missing"
    """Judged documents that the collection does not have."""
    WITHOUT_TEXT = "without text"
    """Pages without a text in a file of other texts."""
    WITHOUT_PAGE = "without page"
    """Texts of a file of other texts that belong to no page."""
    UNLINKED = "unlinked"
    """No page links to another page, although weights count the texts of links."""


@dataclass(frozen=True)
class Notice:
    """A notice: the number of its ids, and the first `MOST_IDS` of them; `held_out` if it is about the held-out
    topics.
    """

    about: About
    count: int = 0
    ids: tuple[str, ...] = ()
    held_out: bool = False


def notice(about: About, ids: Iterable[str] = (), held_out: bool = False) -> Notice:
    """Return a notice about ids."""
    all_ids = tuple(ids)
    return Notice(about, len(all_ids), all_ids[:MOST_IDS], held_out)

"""What an experiment file may say: every table and key with its type, default, bounds and meaning, in one place.

The checks of the file, the options of the command line that say the same, and the reference page come from here. The tables
are plain dataclasses, so that the command line can read them without importing pydantic, which checks files against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

from thresher.collections.file_collection import FORMATS
from thresher.collections.ids import ID_RULES, IdRule
from thresher.defaults import (
    BACKENDS,
    BLOCK_RULES,
    CARBON_INTENSITY,
    CO2_METHODS,
    DEFAULT_MEASURES,
    DEPTH,
    GRADES,
    LANGUAGE,
    PAGE_MIB,
    PAGE_SECONDS,
    RETRIEVAL_MODEL,
    STEMMERS,
    TOPIC_FIELD,
)


@dataclass(frozen=True)
class OneOf:
    """A text of these."""

    choices: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {"type": "literal", "expected": list(self.choices)}


@dataclass(frozen=True)
class Within:
    """A number within bounds, inclusive: TOML knows infinity, NaN and whole numbers of any length."""

    low: float
    high: float

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {**handler(source), "ge": self.low, "le": self.high}


# A larger bound only keeps numbers out that no one means.
LARGE = 1e9
Names = str | tuple[str, ...]


class _Strict:
    """Tables take no unknown keys, and values of exactly their type (whole numbers are numbers, too)."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid", "strict": True}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return {**handler(source), "strict": False}  # the table itself is a mapping in TOML


@dataclass(frozen=True)
class ExperimentTable(_Strict):
    """[experiment]."""

    name: Annotated[str, "names the folders of results and indexes"]
    title: Annotated[str, "heads the report"] = ""


@dataclass(frozen=True)
class CollectionTable(_Strict):
    """[collection]."""

    path: Annotated[str, "folder or file, relative to the experiment file, or ir_datasets:ID"]
    format: Annotated[str, OneOf(("", *FORMATS)), "what its files are; empty to tell by their names and content"] = ""
    generate: Annotated[str, OneOf(("", "pydoc")), "make the collection at `path` if it is not there"] = ""
    ids: Annotated[str, OneOf(ID_RULES), "ids from the path below `prefix`, or from the file's stem"] = IdRule.ids
    prefix: Annotated[str, "folder that ids do not show"] = ""
    keep_suffix: Annotated[bool, "whether ids keep `.html`"] = False
    escape_ids: Annotated[bool, "write characters that a run cannot hold as %XX"] = False
    id_pattern: Annotated[str, "a regular expression; what it matches in ids is replaced"] = ""
    id_replacement: Annotated[str, "by this; \\1 is the first group"] = ""
    id_field: Annotated[Names, "names of JSON members that hold the id; dots go down into objects"] = "id"
    html_field: Annotated[Names, "the HTML; of several names the first that is there counts"] = "html"
    text_field: Annotated[Names, "plain text, where there is no HTML"] = "contents"
    url_field: Annotated[Names, "the URL"] = "url"
    max_page_mib: Annotated[float, Within(0.001, 1e6), "larger pages are listed as failed"] = PAGE_MIB
    page_seconds: Annotated[float, Within(0.01, 1e6), "pages that take longer are listed as failed"] = PAGE_SECONDS


@dataclass(frozen=True)
class TopicsTable(_Strict):
    """[topics]."""

    path: Annotated[str, "TSV, TREC or XML, or ir_datasets:ID (as the collection's if not given)"]
    field: Annotated[str, "which field of TREC or XML topics is the query"] = TOPIC_FIELD


@dataclass(frozen=True)
class QrelsTable(_Strict):
    """[qrels]."""

    path: Annotated[str, "TREC qrels, or ir_datasets:ID (as the topics' if not given)"]
    column: Annotated[str, OneOf(GRADES), "which grade counts, where there are three"] = GRADES[0]


@dataclass(frozen=True)
class HeldOutTable(_Strict):
    """[held_out]."""

    topics: Annotated[str, "other topics, on which cutoffs chosen on [topics] are tested"]
    qrels: Annotated[str, "their qrels"]
    field: Annotated[str, "as in [topics]"] = TOPIC_FIELD
    column: Annotated[str, OneOf(GRADES), "as in [qrels]"] = GRADES[0]


@dataclass(frozen=True)
class PagesTable(_Strict):
    """[pages]."""

    blocks: Annotated[str, OneOf(BLOCK_RULES), "whether inline tags pass within a block"] = BLOCK_RULES[0]
    language: Annotated[str, "whose abbreviations the sentence splitter knows"] = LANGUAGE


@dataclass(frozen=True)
class SweepTable(_Strict):
    """[[sweep]]."""

    scorer: Annotated[str, "a scorer's name, such as perplexity(lm=books)"]
    cutoffs: Annotated[
        tuple[Any, ...] | dict[str, Any],
        'a list of numbers or of percentiles such as "p70", or { from = 1, to = 100, step = 1 }',
    ]


@dataclass(frozen=True)
class CleanersTable(_Strict):
    """[cleaners]."""

    names: Annotated[tuple[str, ...], "single cleaners, such as words@11"] = ()


@dataclass(frozen=True)
class IndexTable(_Strict):
    """[index]."""

    positions: Annotated[bool, "store positions"] = False
    stored: Annotated[bool, "store the text"] = False
    vectors: Annotated[bool, "store document vectors"] = False
    stemmer: Annotated[str, OneOf(STEMMERS), "as in Anserini"] = STEMMERS[0]
    stopwords: Annotated[bool, "leave out Lucene's English stop words"] = True


@dataclass(frozen=True)
class RetrievalTable(_Strict):
    """[retrieval]."""

    models: Annotated[tuple[str, ...], "qld, qld(exact), bm25 and their parameters"] = (RETRIEVAL_MODEL,)
    depth: Annotated[int, Within(1, LARGE), "hits a topic"] = DEPTH


@dataclass(frozen=True)
class EvaluationTable(_Strict):
    """[evaluation]."""

    measures: Annotated[tuple[str, ...], "ir-measures names"] = DEFAULT_MEASURES
    seed: Annotated[int, Within(0, 1e12), "of the bootstrap"] = 0


@dataclass(frozen=True)
class CostsTable(_Strict):
    """[costs]."""

    carbon_intensity: Annotated[float, Within(0, 1e12), "kg CO2 a kWh"] = CARBON_INTENSITY
    tdp_watts: Annotated[float, Within(0, 1e12), "the CPUs' thermal design power; 0 to look it up"] = 0.0
    co2: Annotated[str, OneOf(CO2_METHODS), "how CO2 is determined"] = CO2_METHODS[0]


@dataclass(frozen=True)
class RunTable(_Strict):
    """[run]."""

    workers: Annotated[int, Within(0, 1000), "processes for the scoring pass; 0 for one a core"] = 0
    backend: Annotated[str, OneOf(BACKENDS), "processes of this machine, or a Dask cluster's workers"] = BACKENDS[0]
    scheduler: Annotated[str, "address of the Dask scheduler, such as tcp://head:8786"] = ""


@dataclass(frozen=True)
class Document(_Strict):
    """An experiment file, by its tables."""

    experiment: ExperimentTable
    collection: CollectionTable
    topics: TopicsTable
    qrels: QrelsTable
    held_out: HeldOutTable | None = None
    pages: PagesTable = field(default_factory=PagesTable)
    sweep: tuple[SweepTable, ...] = ()
    cleaners: CleanersTable = field(default_factory=CleanersTable)
    index: IndexTable = field(default_factory=IndexTable)
    retrieval: RetrievalTable = field(default_factory=RetrievalTable)
    evaluation: EvaluationTable = field(default_factory=EvaluationTable)
    costs: CostsTable = field(default_factory=CostsTable)
    run: RunTable = field(default_factory=RunTable)


@dataclass(frozen=True)
class Key:
    """A key of a table, as declared.

    `default` is `MISSING` if the key must be there. `kinds` are the Python types of what TOML may give; `of_texts` tells
    lists of texts from others.
    """

    default: Any
    kinds: tuple[type, ...]
    of_texts: bool
    meaning: str
    choices: tuple[str, ...]
    bounds: Within | None


@dataclass(frozen=True)
class TableRule:
    """A table of an experiment file; `many` for an array of tables."""

    kind: Any
    required: bool
    many: bool
    keys: Mapping[str, Key]


@cache
def tables() -> Mapping[str, TableRule]:
    """Return what may be in an experiment file, by name, in order."""
    hints = get_type_hints(Document)
    declared = {}
    for entry in fields(Document):
        hint = hints[entry.name]
        kind = next((part for part in get_args(hint) if isinstance(part, type)), hint)
        required = entry.default is MISSING and entry.default_factory is MISSING
        declared[entry.name] = TableRule(kind, required, get_origin(hint) is tuple, _keys(kind))
    return declared


def _keys(kind: Any) -> dict[str, Key]:
    hints = get_type_hints(kind, include_extras=True)
    return {entry.name: _key(entry.default, *get_args(hints[entry.name])) for entry in fields(kind)}


def _key(default: Any, hint: Any, *about: Any) -> Key:
    parts = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    kinds = tuple(kind for part in parts for kind in _KINDS.get(get_origin(part) or part, (part,)))
    choices = next((item.choices for item in about if isinstance(item, OneOf)), ())
    bounds = next((item for item in about if isinstance(item, Within)), None)
    return Key(default, kinds, tuple[str, ...] in parts, about[-1], choices, bounds)


_KINDS: dict[Any, tuple[type, ...]] = {float: (int, float), tuple: (list,), dict: (dict,)}

"""The tables and keys of an experiment file: each with its type, default, bounds and meaning.

The checks of files, options of the command line and the reference page are made of these declarations. The tables are plain
dataclasses, so that the command line can read them without importing pydantic, which checks files against them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import thresher.base.defaults as d

if TYPE_CHECKING:
    from thresher.collections import ReadOptions


LARGE = 1e9
"""A bound that only keeps slips out; help and documentation do not mention it."""
Names = str | tuple[str, ...]
READING_KEYS = (
    "format",
    "id_field",
    "html_field",
    "text_field",
    "url_field",
    "max_page_mib",
    "page_seconds",
    "escape_ids",
)
"""The keys of [collection] on reading any collection."""
ID_KEYS = ("ids", "prefix", "keep_suffix", "id_pattern", "id_replacement")
"""The keys of [collection] on forming ids."""
PAGES_KEYS = ("blocks", "language")
"""The keys of [pages]."""
INDEX_KEYS = ("positions", "stored", "vectors", "stemmer", "language")
"""The keys of [index] that `thresher index` has as options of the same name."""
_KINDS: dict[Any, tuple[type, ...]] = {float: (int, float), tuple: (list,), dict: (dict,)}
"""The types of TOML values by the type that a key is declared with, where they differ."""


@dataclass(frozen=True)
class OneOf:
    """One of some texts."""

    choices: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {"type": "literal", "expected": list(self.choices)}


@dataclass(frozen=True)
class Range:
    """A number within bounds, which are inclusive unless `open`: TOML knows infinity, NaN and whole numbers of any length."""

    low: float
    high: float
    open: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        low, high = ("gt", "lt") if self.open else ("ge", "le")
        return {**handler(source), low: self.low, high: self.high}


class _Strict:
    """Tables have no unknown keys, and values of exactly their type (whole numbers are numbers, too)."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid", "strict": True}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return {**handler(source), "strict": False}  # the table itself is a mapping in TOML


@dataclass(frozen=True)
class ExperimentTable(_Strict):
    """[experiment]."""

    name: Annotated[str, "name of the experiment, and of its folders of results and indexes"]
    title: Annotated[str, "heading of the report"] = ""
    source: Annotated[str, "where to get the input files; shown if a file is missing"] = ""
    team: Annotated[str, "team, for the runs' ir_metadata"] = ""
    repository: Annotated[str, "code's address, for the runs' ir_metadata"] = ""


@dataclass(frozen=True)
class CollectionTable(_Strict):
    """[collection]."""

    path: Annotated[str, "folder or file, or `ir_datasets:ID`"]
    format: Annotated[str, OneOf(("", *d.FORMATS)), "format of the files; detected if empty"] = ""
    ids: Annotated[
        str,
        OneOf(d.ID_RULES),
        "ids are paths below `prefix` or files' stems; for WARC records, addresses or record ids",
    ] = d.ID_RULES[0]
    prefix: Annotated[str, "leading folder left out of ids"] = ""
    keep_suffix: Annotated[bool, "keep `.html` in ids"] = False
    escape_ids: Annotated[bool, "write characters that a TREC run cannot hold as %XX"] = False
    id_pattern: Annotated[str, "regular expression; each match in an id becomes `id_replacement`"] = ""
    id_replacement: Annotated[str, "text for matches of `id_pattern`; `\\1` is the first group"] = ""
    id_field: Annotated[Names, "JSON members with the id (`page.id` is nested); the first with a value counts"] = "id"
    html_field: Annotated[Names, "JSON members with the HTML"] = "html"
    text_field: Annotated[Names, "JSON members with plain text, for lines without HTML"] = "contents"
    url_field: Annotated[Names, "JSON members with the URL"] = "url"
    max_page_mib: Annotated[float, Range(0.001, 1e6), "MiB of a page at most; larger pages fail"] = d.PAGE_MIB
    page_seconds: Annotated[float, Range(0.01, 1e6), "seconds for a page at most; slower pages fail"] = d.PAGE_SECONDS


@dataclass(frozen=True)
class TopicsTable(_Strict):
    """[topics]."""

    path: Annotated[
        str, "file in TSV, TREC, XML or JSON, or `ir_datasets:ID`; optional if the collection is an `ir_datasets:ID`"
    ]
    field: Annotated[str, "field of TREC, XML or JSON topics to search with; join several by `+`, or `all`"] = (
        d.TOPIC_FIELD
    )


@dataclass(frozen=True)
class QrelsTable(_Strict):
    """[qrels]."""

    path: Annotated[
        str, "qrels as TREC's or BEIR's, or `ir_datasets:ID`; optional if the topics are an `ir_datasets:ID`"
    ]
    column: Annotated[str, OneOf(d.GRADES), "grade that counts if a line has three"] = d.GRADES[0]


@dataclass(frozen=True)
class HeldOutTable(_Strict):
    """[held_out]."""

    topics: Annotated[str, "topics that test the cutoffs chosen on [topics]"]
    qrels: Annotated[str, "their qrels"]
    field: Annotated[str, "as in [topics]"] = d.TOPIC_FIELD
    column: Annotated[str, OneOf(d.GRADES), "as in [qrels]"] = d.GRADES[0]


@dataclass(frozen=True)
class PagesTable(_Strict):
    """[pages]."""

    blocks: Annotated[str, OneOf(d.BLOCK_RULES), "`join`: inline tags end no block; `split`: all except A do"] = (
        d.BLOCK_RULES[0]
    )
    language: Annotated[str, "language whose abbreviations end no sentence"] = d.LANGUAGE


@dataclass(frozen=True)
class SweepTable(_Strict):
    """[[sweep]]."""

    scorer: Annotated[
        str,
        "scorer without cutoff, such as `perplexity(lm=books)`; or cleaner and pruning method, such as `none|dcp`; weights "
        "stand between or behind: `words|weights|dcp`",
    ]
    cutoffs: Annotated[
        tuple[Any, ...] | dict[str, Any],
        'numbers, percentiles ("p70") or quotas ("doc50"); or { from = 1, to = 100, step = 1 }',
    ]
    cleaner_cutoffs: Annotated[
        tuple[Any, ...] | dict[str, Any],
        "cutoffs of the scorer before a pruning method; each is combined with each of `cutoffs`",
    ] = ()


@dataclass(frozen=True)
class SystemTable(_Strict):
    """[[system]]."""

    name: Annotated[str, "name of another system to compare"]
    path: Annotated[str, "its TREC run for the topics"]
    bytes: Annotated[int, Range(0, 2**60), "bytes of its index; 0 if unknown"] = 0


@dataclass(frozen=True)
class TextTable(_Strict):
    """[[text]]."""

    name: Annotated[str, "another text of the pages becomes the variant `text(NAME)`"]
    path: Annotated[str, "JSON lines or Parquet with `id` and `contents`, from any extractor"]


@dataclass(frozen=True)
class CleanersTable(_Strict):
    """[cleaners]."""

    names: Annotated[tuple[str, ...], "cleaners outside sweeps, such as `words@11`"] = ()


@dataclass(frozen=True)
class IndexTable(_Strict):
    """[index]."""

    positions: Annotated[bool, "store the positions of words"] = False
    stored: Annotated[bool, "store the text of documents"] = False
    vectors: Annotated[bool, "store a term vector of each document"] = False
    language: Annotated[str, OneOf(d.INDEX_LANGUAGES), "language of the analyser"] = d.LANGUAGE
    stemmer: Annotated[str, OneOf(d.STEMMERS), "English stemmer, by Anserini's names"] = d.STEMMERS[0]
    stopwords: Annotated[bool, "drop Lucene's English stop words"] = True


@dataclass(frozen=True)
class PruningTable(_Strict):
    """[pruning]."""

    statistics: Annotated[
        str,
        OneOf(d.STATISTICS),
        "rank pruned indexes with the collection statistics from before pruning, or from after it",
    ] = d.STATISTICS[0]
    combined: Annotated[
        int,
        Range(1, 1000),
        "number of a scorer's cutoffs that `explore` combines with a pruning method, in sweeps with `cleaner_cutoffs`",
    ] = 12


@dataclass(frozen=True)
class RetrievalTable(_Strict):
    """[retrieval]."""

    models: Annotated[
        tuple[str, ...], "retrieval models: `qld`, `qld(exact)`, `bm25` or `classic`, with parameters"
    ] = (d.RETRIEVAL_MODEL,)
    depth: Annotated[int, Range(1, LARGE), "hits per topic"] = d.DEPTH


@dataclass(frozen=True)
class EvaluationTable(_Strict):
    """[evaluation]."""

    measures: Annotated[tuple[str, ...], "measures, as ir-measures names them"] = d.DEFAULT_MEASURES
    test: Annotated[
        str,
        OneOf(d.TESTS),
        "two-sided paired test of differences",
    ] = d.WILCOXON
    correction: Annotated[
        str,
        OneOf(d.CORRECTIONS),
        "correction of p for the number of tests",
    ] = d.HOLM
    alpha: Annotated[
        float, Range(0, 1, open=True), "significance level of marks; intervals have the level 1 − alpha"
    ] = d.ALPHA
    seed: Annotated[int, Range(0, 1e12), "seed of the bootstrap and of random signs"] = 0


@dataclass(frozen=True)
class ChooseTable(_Strict):
    """[choose]."""

    families: Annotated[
        tuple[str, ...],
        "sweeps to test, in up to 20 sizes each; name them before looking at the topics; by default all of [[sweep]]",
    ] = ()
    engine: Annotated[str, OneOf(d.ENGINES), "search engine; `other` takes text or fields, but no pruned postings"] = (
        d.LUCENE
    )
    margin: Annotated[
        str,
        "accepted loss: a share of the baseline's mean such as `5%`, or a number in the measure's units",
    ] = d.MARGIN
    bytes: Annotated[str, "also find the best index within this size, such as `4M`, by measured or estimated bytes"] = (
        ""
    )
    alpha: Annotated[
        float, Range(0, 0.5, open=True), "probability of recommending an index that loses the margin or more"
    ] = d.ALPHA
    deciding: Annotated[
        tuple[str, ...], "further measures in which a variant must be non-inferior; by default AP, if measured"
    ] = ()
    emptied: Annotated[
        float,
        Range(0, 1),
        "largest share of the pages that a recommended variant may empty; 1 allows all",
    ] = d.MOST_EMPTIED


@dataclass(frozen=True)
class MeasureTable(_Strict):
    """[measure]."""

    seconds: Annotated[float, Range(0, 1e6), "seconds to time queries, and again to time indexing; 0 times nothing"] = (
        d.MEASURE_SECONDS
    )


@dataclass(frozen=True)
class CostsTable(_Strict):
    """[costs]."""

    carbon_intensity: Annotated[float, Range(0, 1e12), "kg of CO2 equivalents per kWh"] = d.CARBON_INTENSITY
    region: Annotated[str, "region of the intensity, for the report"] = ""
    date: Annotated[str, "date of the intensity, such as 2026-11, for the report"] = ""
    tdp_watts: Annotated[
        float, Range(0, 1e12), "thermal design power of all CPUs in watts; 0 looks it up by the CPU's name"
    ] = 0.0
    measured_watts: Annotated[
        float, Range(0, 1e12), "measured watts of a machine, instead of the TDP; 0 if not measured"
    ] = 0.0
    cores: Annotated[int, Range(0, LARGE), "cores in use, whose share of the machine's power counts; 0 for all"] = 0
    machines: Annotated[int, Range(1, LARGE), "machines that clean at once; raised to the number that scored"] = 1
    pue: Annotated[float, Range(1, 1000), "power usage effectiveness; 1.58 is a usual average"] = d.PUE


@dataclass(frozen=True)
class ReportTable(_Strict):
    """[report]."""

    labels: Annotated[
        dict[str, str],
        "names in papers' tables and plots, by name of a variant, sweep, scorer, column, model or system",
    ] = field(default_factory=dict)


@dataclass(frozen=True)
class RunTable(_Strict):
    """[run]."""

    workers: Annotated[int, Range(0, 1000), "worker processes; 0 for one per core"] = 0
    backend: Annotated[str, OneOf(d.BACKENDS), "local processes, or the workers of a Dask cluster"] = d.BACKENDS[0]
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
    text: tuple[TextTable, ...] = ()
    cleaners: CleanersTable = field(default_factory=CleanersTable)
    system: tuple[SystemTable, ...] = ()
    index: IndexTable = field(default_factory=IndexTable)
    pruning: PruningTable = field(default_factory=PruningTable)
    retrieval: RetrievalTable = field(default_factory=RetrievalTable)
    evaluation: EvaluationTable = field(default_factory=EvaluationTable)
    choose: ChooseTable = field(default_factory=ChooseTable)
    measure: MeasureTable = field(default_factory=MeasureTable)
    costs: CostsTable = field(default_factory=CostsTable)
    report: ReportTable = field(default_factory=ReportTable)
    run: RunTable = field(default_factory=RunTable)


@dataclass(frozen=True)
class Key:
    """A key of a table, as declared.

    Args:
        default: `MISSING` if the key must be there.
        kinds: the Python types of allowed TOML values.
        of_texts: whether a list must have texts alone.
        meaning: the meaning of the key in words.
        choices: the allowed texts; empty if all are.
        bounds: the bounds of a number; None for values of other types.
    """

    default: Any
    kinds: tuple[type, ...]
    of_texts: bool
    meaning: str
    choices: tuple[str, ...]
    bounds: Range | None


@dataclass(frozen=True)
class TableRule:
    """A table of an experiment file.

    Args:
        kind: the dataclass of the table.
        required: whether it must be there.
        many: whether it is an array of tables.
        keys: the keys of the table by name.
    """

    kind: Any
    required: bool
    many: bool
    keys: Mapping[str, Key]

    @property
    def required_keys(self) -> list[str]:
        """The keys without a default."""
        required: list[str] = []
        for name, key in self.keys.items():
            if key.default is MISSING:
                required.append(name)
        return required

    def without_required_keys(self) -> Any:
        """Return the table with its defaults, and None for each key without a default."""
        return self.kind(**dict.fromkeys(self.required_keys))


@cache
def tables() -> Mapping[str, TableRule]:
    """Return the tables of an experiment file by name, in order."""
    hints = get_type_hints(Document)
    rules = {}
    for table in fields(Document):
        hint = hints[table.name]
        kind = hint
        for part in get_args(hint):
            if isinstance(part, type):
                kind = part
                break
        key_hints = get_type_hints(kind, include_extras=True)
        keys: dict[str, Key] = {}
        for key in fields(kind):
            keys[key.name] = _key(_default(key), *get_args(key_hints[key.name]))
        rules[table.name] = TableRule(
            kind=kind,
            required=table.default is MISSING and table.default_factory is MISSING,
            many=get_origin(hint) is tuple,
            keys=keys,
        )
    return rules


def _default(key: Field[Any]) -> Any:
    if key.default_factory is MISSING:
        return key.default
    return key.default_factory()


def _key(default: Any, hint: Any, *annotations: Any) -> Key:
    """Return a key as declared by its default, its type, and annotations: perhaps choices or bounds, then the meaning."""
    declared_kinds = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    kinds: list[type] = []
    for kind in declared_kinds:
        kinds += _KINDS.get(get_origin(kind) or kind, (kind,))
    choices: tuple[str, ...] = ()
    bounds = None
    for annotation in annotations:
        if isinstance(annotation, OneOf):
            choices = annotation.choices
        elif isinstance(annotation, Range):
            bounds = annotation
    return Key(
        default=default,
        kinds=tuple(kinds),
        of_texts=tuple[str, ...] in declared_kinds,
        meaning=annotations[-1],
        choices=choices,
        bounds=bounds,
    )


def option_name(key: str) -> str:
    """Return the name of a key's option on the command line."""
    return f"--{key.replace('_', '-')}"


def as_options(document: Document, table: str, keys: Iterable[str]) -> Iterator[str]:
    """Yield the command-line options with the values of a table's keys that are not the defaults."""
    for key in keys:
        value = getattr(getattr(document, table), key)
        default = tables()[table].keys[key].default
        if value is True:
            yield option_name(key)
        elif value not in (default, (default,)):
            for member in value if isinstance(value, tuple) else (value,):
                yield option_name(key)
                yield str(member)


def read_options(table: CollectionTable, address: bool = False) -> ReadOptions:
    """Return how documents of a collection are read.

    Args:
        table: the values.
        address: whether ids are addresses instead of record ids, and may have characters that a TREC run cannot have.
    """
    # The command line reads the tables for every verb.
    from thresher.collections import IdRule, JsonFields, ReadOptions

    ids = table.ids
    if address and ids == d.ID_RULES[0]:
        ids = "address"
    rule = IdRule(ids, table.prefix, table.keep_suffix, table.escape_ids, table.id_pattern, table.id_replacement)
    names = []
    for field_names in (table.id_field, table.html_field, table.text_field, table.url_field):
        names.append((field_names,) if isinstance(field_names, str) else field_names)
    return ReadOptions(rule, int(table.max_page_mib * 2**20), JsonFields(*names), any_ids=address)

"""What a report shows: the finished experiment as plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import InputError
from thresher.evaluation.records import Comparison
from thresher.json_records import decode, encode


@dataclass(frozen=True)
class Cost:
    """One amount of work: wall and CPU seconds, peak memory, CO2.

    `co2_grams` is None where the work was too short to measure ("below resolution").
    """

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    co2_grams: float | None


@dataclass(frozen=True)
class Row:
    """One variant searched by one retrieval model: a row of the table.

    `sweep` names the sweep it belongs to (the scorer's canonical name, with `@p` or `@r` behind it where cutoffs
    are percentiles) and `cutoff` its place there; both are None for single cleaners and for the baseline.
    `comparisons` is empty for the baseline. Counts are documents, except the words. Break-even is the number of
    queries after which cleaning has paid for itself: None where it never does.
    """

    variant: str
    retrieval: str
    is_baseline: bool
    sweep: str | None
    cutoff: float | None
    measures: Mapping[str, float]
    comparisons: Mapping[str, Comparison]
    documents: int
    indexed: int
    emptied: int
    failed: int
    words_kept: int
    words_total: int
    index_bytes: int
    index_bytes_baseline: int
    index_bytes_by_type: Mapping[str, int]
    clean: Cost
    index: Cost
    search: Cost
    latency_median_ms: float
    latency_p95_ms: float
    queries: int
    break_even_queries: float | None
    break_even_note: str


@dataclass(frozen=True)
class TopicValue:
    """The value of one measure for one topic."""

    variant: str
    retrieval: str
    topic: str
    query: str
    measure: str
    value: float


@dataclass(frozen=True)
class Results:
    """A finished experiment.

    `methods` are (heading, text) pairs: how everything was measured, in reading order. `notices` are things
    the reader must know before the numbers (judged pages that the collection lacks, failed pages).
    `failed_pages` are (document, reason) pairs. `test` names the significance test behind every comparison. `held_out` are the
    same rows on other topics, which have no part in choosing cutoffs; its methods, notices and failed pages are empty. `key`
    names what the values rest on, whichever variants there are; see `thresher.experiments.stages`.
    """

    experiment: str
    title: str
    measures: tuple[str, ...]
    topics: int
    rows: tuple[Row, ...]
    per_topic: tuple[TopicValue, ...]
    methods: tuple[tuple[str, str], ...]
    notices: tuple[str, ...] = ()
    failed_pages: tuple[tuple[str, str], ...] = field(default=())
    test: str = "Two-sided Wilcoxon signed-rank test"
    held_out: Results | None = None
    key: str = ""


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

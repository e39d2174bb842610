"""`results.csv` and `per_topic.csv`: every number, for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from thresher.evaluation.records import Comparison
from thresher.files import write_text
from thresher.reports.formatting import BELOW_RESOLUTION, cutoff_text
from thresher.reports.records import Cost, Results, Row
from thresher.reports.selection import compared_measures, relative_bytes

_COMPARED = ("difference", "W", "T", "L", "p", "p_holm", "effect", "ci_low", "ci_high")
_COST = ("wall_seconds", "cpu_seconds", "peak_mib", "co2_grams")


def write_results_csv(results: Results, path: Path) -> None:
    """Write one line a (variant, retrieval) to `path`, whole or not at all.

    Floats have the fewest digits that give the same float back. The baseline's comparisons are empty; CO2
    that was too little to measure is "below resolution"; a break-even that never comes is "never".

    Raises:
        ThresherError: if the file cannot be written.
    """
    tested = compared_measures(results)
    header = ["variant", "retrieval", "baseline", "sweep", "cutoff", *results.measures]
    header += [f"{measure} {name}" for measure in tested for name in _COMPARED]
    header += ["documents", "indexed", "emptied", "failed", "words_kept", "words_total"]
    header += ["index_bytes", "index_bytes_relative"]
    header += [f"{stage}_{name}" for stage in ("clean", "index", "search") for name in _COST]
    header += ["latency_median_ms", "latency_p95_ms", "queries", "break_even_queries", "break_even_note"]
    write_text(path, csv_text(header, (_line(row, results.measures, tested) for row in results.rows)))


def write_per_topic_csv(results: Results, path: Path) -> None:
    """Write the long form to `path`, whole or not at all: variant, retrieval, topic, measure, value.

    Raises:
        ThresherError: if the file cannot be written.
    """
    lines = (
        [item.variant, item.retrieval, item.topic, item.measure, _number(item.value)] for item in results.per_topic
    )
    write_text(path, csv_text(["variant", "retrieval", "topic", "measure", "value"], lines))


def _line(row: Row, measures: Sequence[str], tested: Sequence[str]) -> list[str]:
    line = [row.variant, row.retrieval, "yes" if row.is_baseline else "no", row.sweep or ""]
    line.append("" if row.cutoff is None else cutoff_text(row.cutoff))
    line += [_number(row.measures.get(measure)) for measure in measures]
    for measure in tested:
        line += _compared(row.comparisons.get(measure))
    counts = (
        row.documents,
        row.indexed,
        row.emptied,
        row.failed,
        row.words_kept,
        row.words_total,
        row.index_bytes,
    )
    line += [str(count) for count in counts]
    line.append(_number(relative_bytes(row)))
    for cost in (row.clean, row.index, row.search):
        line += _cost(cost)
    line += [_number(row.latency_median_ms), _number(row.latency_p95_ms), str(row.queries)]
    if row.is_baseline:
        return [*line, "", row.break_even_note]
    return [*line, _number(row.break_even_queries) or "never", row.break_even_note]


def _compared(comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return [""] * len(_COMPARED)
    counts = [str(count) for count in (comparison.wins, comparison.ties, comparison.losses)]
    numbers = (comparison.p, comparison.p_holm, comparison.effect, comparison.ci_low, comparison.ci_high)
    return [_number(comparison.difference), *counts, *map(_number, numbers)]


def _cost(cost: Cost) -> list[str]:
    numbers = [_number(value) for value in (cost.wall_seconds, cost.cpu_seconds, cost.peak_mib)]
    return [*numbers, BELOW_RESOLUTION if cost.co2_grams is None else _number(cost.co2_grams)]


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))  # float() first: numpy's floats print their type


def csv_text(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a header and lines as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return buffer.getvalue()

"""`results.csv` and `per_topic.csv`: every number, for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from thresher.evaluation.records import Comparison
from thresher.files import write_text
from thresher.reports.formatting import BELOW_RESOLUTION, cutoff_text
from thresher.results.records import Cost, Results, Row
from thresher.results.selection import compared_measures, relative_bytes

COMPARED = ("difference", "W", "T", "L", "p", "p_holm", "effect", "ci_low", "ci_high")
"""What is told of a comparison."""
HELD_OUT_FILE = "results.held-out.csv"
"""The rows on held-out topics."""
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
    header += [f"{measure} {name}" for measure in tested for name in COMPARED]
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
        [item.variant, item.retrieval, item.topic, item.measure, number_text(item.value)] for item in results.per_topic
    )
    write_text(path, csv_text(["variant", "retrieval", "topic", "measure", "value"], lines))


def compared_numbers(comparison: Comparison | None) -> list[str]:
    """Return the numbers of a comparison in the order of `COMPARED`; empty for None."""
    if comparison is None:
        return [""] * len(COMPARED)
    counts = [str(count) for count in (comparison.wins, comparison.ties, comparison.losses)]
    numbers = (comparison.p, comparison.p_holm, comparison.effect, comparison.ci_low, comparison.ci_high)
    return [number_text(comparison.difference), *counts, *map(number_text, numbers)]


def number_text(value: float | None) -> str:
    """Return the fewest digits that give the same float back; empty for None."""
    return "" if value is None else repr(float(value))  # float() first: numpy's floats print their type


def _line(row: Row, measures: Sequence[str], tested: Sequence[str]) -> list[str]:
    line = [row.variant, row.retrieval, "yes" if row.is_baseline else "no", row.sweep or ""]
    line.append("" if row.cutoff is None else cutoff_text(row.cutoff))
    line += [number_text(row.measures.get(measure)) for measure in measures]
    for measure in tested:
        line += compared_numbers(row.comparisons.get(measure))
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
    line.append(number_text(relative_bytes(row)))
    for cost in (row.clean, row.index, row.search):
        line += _cost(cost)
    line += [number_text(row.latency_median_ms), number_text(row.latency_p95_ms), str(row.queries)]
    if row.is_baseline:
        return [*line, "", row.break_even_note]
    return [*line, number_text(row.break_even_queries) or "never", row.break_even_note]


def _cost(cost: Cost) -> list[str]:
    numbers = [number_text(value) for value in (cost.wall_seconds, cost.cpu_seconds, cost.peak_mib)]
    return [*numbers, BELOW_RESOLUTION if cost.co2_grams is None else number_text(cost.co2_grams)]


def csv_text(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a header and lines as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return buffer.getvalue()

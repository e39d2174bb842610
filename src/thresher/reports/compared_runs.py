"""Columns of comparisons with a baseline, and runs beside theirs as `thresher evaluate` prints them, tab-separated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from thresher.defaults import HOLM
from thresher.errors import visible
from thresher.evaluation.significance import ComparedRuns, Comparison
from thresher.reports.formatting import change_text, correction_text, p_text, wins_text
from thresher.reports.table import DIFFERENCE, Column, Table, decimals, each, pick, within

COMPARED: tuple[Column[Comparison], ...] = (
    Column("difference", lambda item: item.difference, "Mean difference from the baseline.", format=DIFFERENCE),
    Column("W", lambda item: item.wins, "Topics won."),
    Column("T", lambda item: item.ties, "Topics tied."),
    Column("L", lambda item: item.losses, "Topics lost."),
    Column("p", lambda item: item.p, "Two-sided p of the test."),
    Column(
        "p_holm",
        lambda item: item.p_holm,
        "The same p after Holm's correction; empty without.",
        "p",
        format=each(p_text),
    ),
    Column("effect", lambda item: item.effect, "Matched-pairs rank-biserial correlation, in [−1, 1]."),
    Column("ci_low", lambda item: item.ci_low, "Lower end of the interval of the mean difference, of level 1 − α."),
    Column("ci_high", lambda item: item.ci_high, "Upper end of the same interval."),
    Column(
        "interval",
        lambda item: item.ci_low,
        "Interval of the mean difference, of level 1 − α.",
        text=lambda item: f"{change_text(item.ci_low)} to {change_text(item.ci_high)}",
        exact=False,
    ),
    Column(
        "W/T/L",
        lambda item: item.net_wins,
        "Topics won, tied and lost.",
        unit="topics",
        text=wins_text,
        exact=False,
    ),
    Column(
        "note", lambda item: item.note, "A warning where the numbers alone would mislead.", align="left", exact=False
    ),
)
"""The columns of a comparison with the baseline."""


def run_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give the comparisons as tab-separated lines, with a header."""
    means = [
        _Mean(run, measure, mean, compared.comparisons.get(run, {}).get(measure))
        for run, by_measure in compared.means.items()
        for measure, mean in by_measure.items()
    ]
    columns = [column for column in MEANS if column.name != "p_holm" or compared.correction == HOLM]
    yield from _tabbed(Table.of(columns, means, ""))
    yield (
        f"# {len(compared.topics)} topics; two-sided Wilcoxon signed-rank test against {visible(compared.baseline)}, "
        f"{correction_text(compared.correction, 'runs and measures')}, α = {compared.alpha:g}"
    )


def topic_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give one tab-separated line per run, measure and topic, without a header."""
    values = [
        _Value(run, measure, topic, value)
        for run, by_measure in compared.values.items()
        for measure, by_topic in by_measure.items()
        for topic, value in by_topic.items()
    ]
    yield from list(_tabbed(Table.of(_VALUE, values, "")))[1:]


@dataclass(frozen=True)
class _Mean:
    run: str
    measure: str
    mean: float
    comparison: Comparison | None


@dataclass(frozen=True)
class _Value:
    run: str
    measure: str
    topic: str
    value: float


_COMPARED = [
    replace(column, header="p (Holm)") if column.name == "p_holm" else column
    for column in pick(COMPARED, "difference", "W/T/L", "p", "p_holm", "effect", "interval", "note")
]
MEANS: tuple[Column[_Mean], ...] = (
    Column("run", lambda row: row.run, "The run's file.", align="left"),
    Column("measure", lambda row: row.measure, "The measure, as ir-measures names it.", align="left"),
    Column("mean", lambda row: row.mean, "Mean over the topics."),
    *within(_COMPARED, lambda row: row.comparison),
)
"""The columns of runs."""
_VALUE: tuple[Column[_Value], ...] = (
    Column("run", lambda row: row.run, "The run's file."),
    Column("measure", lambda row: row.measure, "The measure, as ir-measures names it."),
    Column("topic", lambda row: row.topic, "The topic's id."),
    Column("value", lambda row: row.value, "The measure's value for the topic.", format=decimals(6)),
)


def _tabbed(table: Table) -> Iterator[str]:
    yield "\t".join(f"{head.header} {head.unit}".strip() for head in table.columns)
    for row in table.rows:
        yield "\t".join(visible(cell.text) for cell in row)

"""Runs beside their baseline, as `thresher evaluate` prints them: one line per run and measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from thresher.base.defaults import HOLM
from thresher.base.errors import escape_controls
from thresher.base.number_text import counted
from thresher.evaluation.comparing import ComparedRuns
from thresher.evaluation.non_inferiority import MINIMUM, MarginComparison
from thresher.evaluation.significance import EXACT_LIMIT, Comparison
from thresher.reports import formats
from thresher.reports.columns import Column, ComparisonColumns, Value, comparison_columns
from thresher.reports.formatting import correction_text, fixed
from thresher.reports.table import Table


@dataclass(frozen=True)
class ComparedRun:
    """A run's mean by a measure, and its comparison with the baseline, which has none."""

    run: str
    measure: str
    mean: float
    comparison: Comparison | None
    at_margin: MarginComparison | None = None


def compared_rows(compared: ComparedRuns) -> list[ComparedRun]:
    """Return a row for each run and measure."""
    rows = []
    for run, by_measure in compared.means.items():
        comparisons = compared.comparisons.get(run, {})
        margins = compared.margins.get(run, {})
        for measure, mean in by_measure.items():
            rows.append(ComparedRun(run, measure, mean, comparisons.get(measure), margins.get(measure)))
    return rows


def runs_table(compared: ComparedRuns) -> Table:
    """Return a row for each run and measure, with how they were tested below: at the margin, if there is one.

    The verdict at a margin is of the mean, so it is Student's; Wilcoxon's ranks can point the other way than the mean.
    """
    topics = counted(len(compared.topics), "topic")
    if compared.missing:
        topics += f" with judgments, {compared.missing} of them in no run, which count as 0"
    if compared.margin:
        text = (
            f"{topics}; Student's t of the mean difference from {escape_controls(compared.baseline)}, "
            f"α = {compared.alpha:g} in each row. Non-inferior: loses less than {compared.margin}; superior: is also better; "
            f"inferior: loses more; inconclusive: none of these is shown, as always with fewer than {MINIMUM} topics"
        )
        return Table.of((RUN, MEASURE, MEAN, *AT_MARGIN), compared_rows(compared), text, keys=2)
    test = COMPARISON
    columns = [RUN, MEASURE, MEAN, test.difference, test.outcome, test.p]
    if compared.correction == HOLM:
        columns.append(HOLM_P)
    columns += [test.effect, test.interval, NOTE]
    text = (
        f"{topics}; two-sided Wilcoxon signed-rank test against {escape_controls(compared.baseline)}, "
        f"{correction_text(compared.correction, 'runs and measures')}, α = {compared.alpha:g}"
    )
    return Table.of(columns, compared_rows(compared), text, keys=2)


def run_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give the comparisons as tab-separated lines, with a header, and with a comment on the test at the end."""
    table = runs_table(compared)
    yield "\t".join(f"{head.header} {head.unit}".strip() for head in table.columns)
    for row in table.rows:
        yield "\t".join(escape_controls(cell.text) for cell in row)
    yield f"# {table.caption}"


def topic_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give one tab-separated line per run, measure and topic, without a header."""
    for run, by_measure in compared.values.items():
        for measure, by_topic in by_measure.items():
            for topic, value in by_topic.items():
                yield "\t".join(
                    (escape_controls(run), escape_controls(measure), escape_controls(topic), fixed(value, 6))
                )


def _note(row: ComparedRun) -> str | None:
    """Return a warning where the numbers alone would mislead."""
    comparison = row.comparison
    if comparison is None:
        return None
    differing = comparison.differing
    if differing == 0:
        return "no topic differs"
    if comparison.smallest_p > comparison.alpha:
        return f"p cannot fall below {comparison.smallest_p:.4g} with {counted(differing, 'differing topic')}"
    if not comparison.is_exact:
        return f"p by the normal approximation (more than {EXACT_LIMIT} differing topics)"
    return ""


def _at_margin(read: Callable[[MarginComparison], Value]) -> Callable[[ComparedRun], Value]:
    """Return the function that reads a figure of a row's test at the margin."""

    def of_row(row: ComparedRun) -> Value:
        return None if row.at_margin is None else read(row.at_margin)

    return of_row


RunColumn = Column[ComparedRun]
RUN = RunColumn("run", lambda row: row.run, "The run's file.", formats.TEXT)
MEASURE = RunColumn("measure", lambda row: row.measure, "The measure, as ir-measures names it.", formats.TEXT)
MEAN = RunColumn("mean", lambda row: row.mean, "Mean over the topics.")
COMPARISON: ComparisonColumns[ComparedRun] = comparison_columns(lambda row: row.comparison)
HOLM_P = RunColumn("p_holm", COMPARISON.p_holm.value, COMPARISON.p_holm.meaning, formats.P, "p (Holm)")
NOTE = RunColumn("note", _note, "A warning where the numbers alone would mislead.", formats.TEXT, in_csv=False)
RUNS: tuple[RunColumn, ...] = (RUN, MEASURE, MEAN, *COMPARISON, NOTE)
"""The columns of runs."""
AT_MARGIN: tuple[RunColumn, ...] = (
    Column(
        "difference", _at_margin(lambda test: test.difference), "Mean difference from the baseline.", formats.DIFFERENCE
    ),
    Column(
        "low",
        _at_margin(lambda test: test.low),
        "Lower bound of the difference, of confidence 1 − α.",
        formats.DIFFERENCE,
    ),
    Column("margin", _at_margin(lambda test: test.margin), "The accepted loss, in units of the measure."),
    Column("p", _at_margin(lambda test: test.p), "p of losing the margin or more.", formats.P),
    Column("p_superior", _at_margin(lambda test: test.p_superior), "p of being no better.", formats.P, "p (superior)"),
    Column("verdict", _at_margin(lambda test: test.verdict), "What the test shows.", formats.TEXT),
)
"""The columns of a test at a margin."""

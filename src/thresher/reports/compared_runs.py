"""Runs beside their baseline, as `thresher evaluate` prints them: one line per run and measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

from thresher.base.errors import escape_controls
from thresher.base.number_text import counted
from thresher.evaluation.comparing import ComparedRuns
from thresher.evaluation.corrections import METHOD_NAMES
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.significance import TEST_NAMES, Comparison
from thresher.reports import formats
from thresher.reports.columns import Column, ComparisonColumns, comparison_columns, field_of
from thresher.reports.compared_rows import ComparedRun, MarkedRun, compared_rows, margin_test, marked_runs
from thresher.reports.formatting import correction_text, fixed, marks_text
from thresher.reports.table import Table, measure_header

RunColumn = Column[ComparedRun]
RUN = RunColumn("run", attrgetter("run"), "The run's file.", formats.TEXT)
MEASURE = RunColumn("measure", attrgetter("measure"), "The measure, as ir-measures names it.", formats.TEXT)
MEAN = RunColumn("mean", attrgetter("mean"), "Mean over the topics.")
COMPARISON: ComparisonColumns[ComparedRun] = comparison_columns(attrgetter("comparison"))
LETTER = Column[MarkedRun]("letter", attrgetter("letter"), "The run's letter.", formats.TEXT, " ")
MARKED_RUN = Column[MarkedRun]("run", attrgetter("run"), "The run's file.", formats.TEXT)
NOTE = RunColumn(
    "note", attrgetter("note"), "A warning where the numbers alone would mislead.", formats.TEXT, in_csv=False
)
RUNS: tuple[RunColumn, ...] = (RUN, MEASURE, MEAN, *COMPARISON, NOTE)
"""The columns of runs."""
AT_MARGIN: tuple[RunColumn, ...] = (
    Column(
        "difference",
        field_of(margin_test, "difference"),
        "Mean difference from the baseline.",
        formats.DIFFERENCE,
    ),
    Column(
        "low",
        field_of(margin_test, "low"),
        "Lower bound of the difference, of confidence 1 − α.",
        formats.DIFFERENCE,
    ),
    Column("margin", field_of(margin_test, "margin"), "The accepted loss, in units of the measure."),
    Column("p", field_of(margin_test, "p"), "p of losing the margin or more.", formats.P),
    Column("p_superior", field_of(margin_test, "p_superior"), "p of being no better.", formats.P, "p (superior)"),
    Column("verdict", field_of(margin_test, "verdict"), "Conclusion of the test.", formats.TEXT),
)
"""The columns of a test at a margin."""


def runs_table(compared: ComparedRuns) -> Table:
    """Return a row for each run and measure, and a note on the test: at the margin, if there is one.

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
        columns_at_margin = [RUN, MEASURE, MEAN]
        columns_at_margin += AT_MARGIN
        return Table.of(columns_at_margin, compared_rows(compared), text, keys=2)
    test = COMPARISON
    columns = [RUN, MEASURE, MEAN, test.difference, test.outcome, test.p]
    if compared.correction in METHOD_NAMES:
        columns.append(replace(test.p_corrected, header=f"p ({METHOD_NAMES[compared.correction]})"))
    columns += [test.effect, test.interval, NOTE]
    text = (
        f"{topics}. {TEST_NAMES[compared.test]} against {escape_controls(compared.baseline)}, "
        f"{_correction_text(compared)}, α = {compared.alpha:g}"
    )
    return Table.of(columns, compared_rows(compared), text, keys=2)


def marked_table(compared: ComparedRuns) -> Table:
    """Return a row for each run and a column for each measure, means with marks.

    The marks are of the comparisons with the baseline, or of all pairs: a letter for each run that is significantly worse.
    """
    rows = marked_runs(compared)
    columns = [MARKED_RUN]
    if compared.pairs:
        columns.insert(0, LETTER)
    measures = compared.values[compared.baseline]
    for measure in measures:
        columns.append(_marked_column(measure))
    if compared.pairs:
        text = pairs_caption(compared)
    else:
        text = _baseline_caption(compared)
    topics = counted(len(compared.topics), "topic")
    return Table.of(columns, rows, f"{topics}. {text}", keys=len(columns) - len(measures))


def _baseline_caption(compared: ComparedRuns) -> str:
    comparisons: list[Comparison] = []
    for by_measure in compared.comparisons.values():
        comparisons += by_measure.values()
    directions = [comparison.direction for comparison in comparisons]
    correction = _correction_text(compared)
    text = f"{TEST_NAMES[compared.test]} against {escape_controls(compared.baseline)}, {correction}, α = {compared.alpha:g}"
    return f"{text}: {marks_text(directions)}"


def _correction_text(compared: ComparedRuns) -> str:
    return correction_text(compared.correction, f"{counted(compared.tests, 'test')} of runs and measures")


def pairs_caption(compared: ComparedRuns) -> str:
    """Return the test of all pairs, and the meaning of the letters."""
    tests: list[Comparison] = []
    for by_measure in compared.pairs.values():
        tests += by_measure.values()
    correction = correction_text(compared.correction, f"{counted(len(tests), 'test')}: all pairs of runs and measures")
    text = f"{TEST_NAMES[compared.test]}, {correction}; α = {compared.alpha:g}."
    text += " Letters name the runs that are significantly worse."
    if any(test.direction == "mixed" for test in tests):
        text += " Pairs whose mean and ranks differ in sign have no letter."
    return text


def _marked_column(measure: str) -> Column[MarkedRun]:
    header = measure_header(measure)

    def mean(row: MarkedRun) -> float:
        return row.means[measure]

    def mark(row: MarkedRun) -> str:
        return row.marks[measure]

    meaning = f"Mean {measure} over the topics."
    return Column(measure, mean, meaning, header=header.name, unit=header.parameters, mark=mark)


def run_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give the comparisons as lines: see `table_lines`."""
    yield from table_lines(runs_table(compared))


def table_lines(table: Table) -> Iterator[str]:
    """Give a table as tab-separated lines, with a header, and with a comment on the test at the end."""
    header = [f"{head.header} {head.unit}".strip() for head in table.columns]
    yield "\t".join(header)
    for row in table.rows:
        cells = [f"{cell.text} {cell.mark}".rstrip() for cell in row]
        yield "\t".join(map(escape_controls, cells))
    yield f"# {table.caption}"


def topic_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give one tab-separated line per run, measure and topic, without a header."""
    for run, by_measure in compared.values.items():
        for measure, by_topic in by_measure.items():
            for topic, value in by_topic.items():
                names = "\t".join(map(escape_controls, (run, measure, topic)))
                yield f"{names}\t{fixed(value, 6)}"

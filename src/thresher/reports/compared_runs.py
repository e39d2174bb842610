"""Runs beside their baseline, as `thresher evaluate` prints them: one line per run and measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from thresher.base.defaults import HOLM
from thresher.base.errors import escape_controls
from thresher.base.number_text import counted
from thresher.evaluation.comparing import ComparedRuns
from thresher.evaluation.non_inferiority import MINIMUM, MarginComparison
from thresher.evaluation.significance import EXACT_LIMIT, Comparison
from thresher.reports.formatting import correction_text
from thresher.reports.table import Column, Table, columns_of, decimals, pick, within


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
    return [
        ComparedRun(
            run,
            measure,
            mean,
            compared.comparisons.get(run, {}).get(measure),
            compared.margins.get(run, {}).get(measure),
        )
        for run, by_measure in compared.means.items()
        for measure, mean in by_measure.items()
    ]


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
        return Table.of((*pick(RUNS, "run", "measure", "mean"), *AT_MARGIN), compared_rows(compared), text, keys=2)
    hidden = set() if compared.correction == HOLM else {"p_holm"}
    names = [one for one in ("difference", "outcome", "p", "p_holm", "effect", "interval", "note") if one not in hidden]
    text = (
        f"{topics}; two-sided Wilcoxon signed-rank test against {escape_controls(compared.baseline)}, "
        f"{correction_text(compared.correction, 'runs and measures')}, α = {compared.alpha:g}"
    )
    return Table.of(pick(RUNS, "run", "measure", "mean", *names), compared_rows(compared), text, keys=2)


def run_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give the comparisons as tab-separated lines, with a header, and with a comment on the test at the end."""
    table = runs_table(compared)
    yield "\t".join(f"{head.header} {head.unit}".strip() for head in table.columns)
    yield from ("\t".join(escape_controls(cell.text) for cell in row) for row in table.rows)
    yield f"# {table.caption}"


def topic_lines(compared: ComparedRuns) -> Iterator[str]:
    """Give one tab-separated line per run, measure and topic, without a header."""
    show = decimals(6)(())
    for run, by_measure in compared.values.items():
        for measure, by_topic in by_measure.items():
            for topic, value in by_topic.items():
                yield "\t".join((*map(escape_controls, (run, measure, topic)), show(value)))


def _note(comparison: Comparison) -> str:
    differing = comparison.differing
    if differing == 0:
        return "no topic differs"
    if comparison.smallest_p > comparison.alpha:
        return f"p cannot fall below {comparison.smallest_p:.4g} with {counted(differing, 'differing topic')}"
    return "" if comparison.is_exact else f"p by the normal approximation (more than {EXACT_LIMIT} differing topics)"


_NOTE: Column[Comparison] = Column(
    "note", _note, "A warning where the numbers alone would mislead.", align="left", exact=False
)
RUNS: tuple[Column[ComparedRun], ...] = (
    Column("run", lambda row: row.run, "The run's file.", align="left"),
    Column("measure", lambda row: row.measure, "The measure, as ir-measures names it.", align="left"),
    Column("mean", lambda row: row.mean, "Mean over the topics."),
    *within(
        [
            replace(column, header="p (Holm)") if column.name == "p_holm" else column
            for column in (*columns_of(Comparison), _NOTE)
        ],
        lambda row: row.comparison,
    ),
)
"""The columns of runs."""
AT_MARGIN: tuple[Column[ComparedRun], ...] = (*within(columns_of(MarginComparison), lambda row: row.at_margin),)
"""Those of a test at a margin."""

"""The rows that the columns of compared runs read."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.base.number_text import counted
from thresher.evaluation.comparing import ComparedRuns
from thresher.evaluation.non_inferiority import MarginComparison
from thresher.evaluation.significance import EXACT_LIMIT, Comparison


@dataclass(frozen=True)
class ComparedRun:
    """A run's mean by a measure, and its comparison with the baseline, which has none."""

    run: str
    measure: str
    mean: float
    comparison: Comparison | None
    at_margin: MarginComparison | None = None

    @property
    def note(self) -> str | None:
        """A warning where the numbers alone would mislead; None for the baseline."""
        comparison = self.comparison
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


def compared_rows(compared: ComparedRuns) -> list[ComparedRun]:
    """Return a row for each run and measure."""
    rows = []
    for run, by_measure in compared.means.items():
        comparisons = compared.comparisons.get(run, {})
        margins = compared.margins.get(run, {})
        for measure, mean in by_measure.items():
            rows.append(ComparedRun(run, measure, mean, comparisons.get(measure), margins.get(measure)))
    return rows


def margin_test(row: ComparedRun) -> MarginComparison | None:
    """Return the test at the margin; None without a margin."""
    return row.at_margin

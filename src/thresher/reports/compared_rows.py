"""The rows that the columns of compared runs read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_letters
from typing import NamedTuple

from thresher.base.errors import ConfigError
from thresher.base.number_text import counted
from thresher.evaluation.comparing import ComparedRuns
from thresher.evaluation.non_inferiority import MarginComparison
from thresher.evaluation.significance import EXACT_LIMIT, Comparison
from thresher.reports.formatting import MARKS, direction


@dataclass(frozen=True)
class ComparedRun:
    """A run's mean by a measure, and its comparison with the baseline; the baseline itself has no comparison."""

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


@dataclass(frozen=True)
class MarkedRun:
    """A run's means by measure, with their marks of significance; its letter where all pairs were compared."""

    run: str
    letter: str
    means: Mapping[str, float]
    marks: Mapping[str, str]


def marked_runs(compared: ComparedRuns) -> list[MarkedRun]:
    """Return a row for each run, marked by its comparisons with the baseline, or with all other runs if these were made."""
    letters = dict.fromkeys(compared.values, "")
    if compared.pairs:
        letters = _letters(compared)
    worse = _worse_runs(compared)
    rows: list[MarkedRun] = []
    for run, means in compared.means.items():
        marks: dict[str, str] = {}
        for measure in means:
            if compared.pairs:
                marks[measure] = _letters_of_worse_runs(run, measure, letters, worse)
            else:
                marks[measure] = MARKS[direction(compared.comparisons.get(run, {}).get(measure))]
        rows.append(MarkedRun(run, letters[run], means, marks))
    return rows


class _WorseRun(NamedTuple):
    """A run that is significantly worse than another run in a measure."""

    better: str
    worse: str
    measure: str


def _letters_of_worse_runs(run: str, measure: str, letters: Mapping[str, str], worse: set[_WorseRun]) -> str:
    """Return the letters of the runs that are significantly worse than a run in a measure."""
    letters_of_worse = ""
    for other, letter in letters.items():
        if _WorseRun(run, other, measure) in worse:
            letters_of_worse += letter
    return letters_of_worse


def _letters(compared: ComparedRuns) -> dict[str, str]:
    """Return a letter for each run."""
    if len(compared.values) > len(ascii_letters):
        what = f"{len(compared.values)} runs have no letter each"
        raise ConfigError(what, f"compare at most {len(ascii_letters)} in pairs", "pairs")
    return dict(zip(compared.values, ascii_letters, strict=False))


def _worse_runs(compared: ComparedRuns) -> set[_WorseRun]:
    """Return the worse run of each pair with a significant difference, by measure."""
    worse: set[_WorseRun] = set()
    for (first, second), by_measure in compared.pairs.items():
        for measure, comparison in by_measure.items():
            if comparison.direction == "better":
                worse.add(_WorseRun(first, second, measure))
            elif comparison.direction == "worse":
                worse.add(_WorseRun(second, first, measure))
    return worse


def margin_test(row: ComparedRun) -> MarginComparison | None:
    """Return the test at the margin; None without a margin."""
    return row.at_margin

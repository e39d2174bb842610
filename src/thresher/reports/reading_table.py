"""Some cutoffs as a plain table, for pages without scripts and for paper."""

from __future__ import annotations

from collections.abc import Mapping

from thresher.choosing.records import Decision
from thresher.reports.choice_selection import Judged, laxest_first, singles_of, sweeps_of
from thresher.reports.choice_tables import percent_text, relative_size
from thresher.reports.formatting import fixed, percent, signed
from thresher.reports.reading_facts import Facts
from thresher.reports.selection import spread
from thresher.reports.tables import MEASURE_DECIMALS, Cell, Column, Table, measure_column

A_SCORER = 9
"""Cutoffs of each scorer, beside those that are picked."""


def reading_table(judged: Judged, facts: Mapping[str, Facts]) -> Table:
    """Return a row a cutoff: a few of each scorer from the laxest to the strictest, those picked, and all without a sweep.

    Args:
        judged: the decisions of one retrieval model.
        facts: what else is known of its cleaners, by name.
    """
    main = judged.main
    rows: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    for places in (*_some(main), singles_of(main)):
        if places and rows:
            rules.append(len(rows))
        rows += [_row(judged, facts, place) for place in places]
    columns = (
        Column("cleaner", align="left"),
        measure_column(main.measure),
        Column("difference"),
        Column("lower bound"),
        Column("upper bound"),
        Column("verdict", align="left"),
        *(measure_column(other.measure) for other in judged.others),
        Column("words kept", "%"),
        Column("documents"),
        Column("index size", "% of baseline"),
    )
    sure = percent_text(1 - main.alpha)
    caption = (
        f"{main.retrieval}: {len(rows)} of {len(main.candidates)} candidates. Differences from the baseline in "
        f"{main.measure}; all lower bounds hold together with {sure} confidence, as do all upper ones. Index sizes are "
        f"{main.size_kind}."
    )
    return Table(columns, tuple(rows), caption, rules=tuple(rules))


def _some(decision: Decision) -> list[tuple[int, ...]]:
    found = []
    for sweep in sweeps_of(decision):
        ordered = laxest_first(decision, sweep)
        picked = (sweep.pick.highest, sweep.pick.smallest, sweep.pick.knee, *(pick.place for pick in decision.picks))
        shown = {*(ordered[index] for index in spread(len(ordered), A_SCORER)), *picked}
        found.append(tuple(place for place in ordered if place in shown))
    return found


def _row(judged: Judged, facts: Mapping[str, Facts], place: int) -> tuple[Cell, ...]:
    main = judged.main
    candidate, verdict, known = main.candidates[place], main.verdicts[place], facts.get(main.candidates[place].name)
    words = known.words if known else None
    share = relative_size(main, place)
    return (
        Cell(candidate.name),
        _number(main.means[place]),
        Cell(signed(verdict.difference, MEASURE_DECIMALS), value=verdict.difference),
        Cell(signed(verdict.low, MEASURE_DECIMALS), value=verdict.low),
        Cell(signed(verdict.high, MEASURE_DECIMALS), value=verdict.high),
        Cell(verdict.verdict.value),
        *(_number(other.means[place]) for other in judged.others),
        Cell(percent(words), value=words),
        Cell(fixed(candidate.documents, 0), value=candidate.documents),
        Cell(percent(share), value=share),
    )


def _number(value: float | None) -> Cell:
    return Cell(fixed(value, MEASURE_DECIMALS), value=value)

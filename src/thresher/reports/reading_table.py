"""A few cutoffs of each scorer as a plain table, for readers without scripts."""

from __future__ import annotations

from collections.abc import Mapping

from thresher.choosing.decisions import Decision, JudgedVariant, ModelDecisions
from thresher.reports.choice_tables import VariantRow, variant_columns
from thresher.reports.formatting import percent_text
from thresher.reports.page_data import SINGLES, Facts
from thresher.reports.table import Table, pick
from thresher.results.selection import spread

A_SCORER = 9
"""Cutoffs of each scorer, beside those that are picked."""


def reading_table(decisions: ModelDecisions, facts: Mapping[str, Facts]) -> Table:
    """Return one row per cutoff: a few of each scorer from laxest to strictest, those picked, and all without a sweep."""
    main = decisions.main
    sections = [*((variants[0].sweep, variants) for variants in _selected(main)), (SINGLES, main.singles)]
    rows = [_row(decisions, facts, variant, section) for section, variants in sections for variant in variants]
    columns = variant_columns(main.measure, [other.measure for other in decisions.others])
    names = ("variant", "mean", "difference", "low", "high", "verdict", *(other.measure for other in decisions.others))
    sure = percent_text(1 - main.alpha)
    caption = (
        f"{main.retrieval}: {len(rows)} of {len(main.variants)} variants. Differences from the baseline in "
        f"{main.measure}; all lower bounds hold simultaneously with {sure} confidence, as do all upper ones. Index sizes are "
        f"{main.size_kind}."
    )
    shown = pick(columns, *names, "words", "documents", "share")
    return Table.of(shown, rows, caption, group=lambda row: row.section)


def _selected(decision: Decision) -> list[list[JudgedVariant]]:
    selected = []
    groups = [
        *((sweep.laxest_first, sweep.picks) for sweep in decision.ordered_sweeps),
        *((one.variants, one.picks) for one in decision.combinations),
    ]
    for ordered, picks in groups:
        picked = (picks.highest, picks.smallest, picks.knee, *(pick.variant for pick in decision.picks))
        shown = {ordered[index].name for index in spread(len(ordered), A_SCORER)}
        shown |= {variant.name for variant in picked if variant}
        selected.append([variant for variant in ordered if variant.name in shown])
    return selected


def _row(decisions: ModelDecisions, facts: Mapping[str, Facts], variant: JudgedVariant, section: str) -> VariantRow:
    known = facts.get(variant.name)
    others = tuple(other.by_name[variant.name].mean for other in decisions.others)
    return VariantRow(decisions.main, variant, words=known.words if known else None, others=others, section=section)

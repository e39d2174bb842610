"""The table of sweeps: for each sweep, the smallest non-inferior index and the best index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from thresher.base.number_text import counted
from thresher.experiments.choosing.choices import AnswerRole
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.sweep_answers import SweepAnswer, sweep_answers
from thresher.experiments.results import Results
from thresher.reports import formats
from thresher.reports import variant_columns as variants
from thresher.reports.formatting import percent_text
from thresher.reports.summary import best_explored, margin_text
from thresher.reports.table import Table
from thresher.reports.variant_columns import VariantColumn
from thresher.reports.variant_rows import VariantRow

_BOTH = "both"
"""The role of a sweep's smallest index that is also its best."""
_OUTSIDE = "best of all"
"""The role of the variant with the highest mean if no tested sweep has it."""


def _caption(results: Results, criteria: ChoiceCriteria) -> str:
    return (
        f"{counted(len(results.facts.topics), 'topic')}. Smallest: the smallest index of its sweep that is shown to lose less "
        f"than {margin_text(criteria.margin)} ({percent_text(1 - criteria.alpha)}, over all sweeps). Best: the highest mean "
        "of the sweep, on the topics that picked it."
    )


def _roles(answers: Sequence[SweepAnswer]) -> dict[int, list[AnswerRole]]:
    """Return the roles of the variants that are shown: the baseline, then the variants that answer for a sweep."""
    roles: dict[int, list[AnswerRole]] = defaultdict(list)
    roles[0].append(AnswerRole.NO_CLEANING)
    for answer in answers:
        if answer.smallest is not None:
            roles[answer.smallest].append(AnswerRole.SMALLEST)
        roles[answer.best].append(AnswerRole.BEST)
    return dict(roles)


def sweeps_table(
    results: Results, measures: Sequence[str], criteria: ChoiceCriteria, limit: int | None = None
) -> Table:
    """Return the baseline, then for each sweep its smallest index that is shown to lose little, and its best.

    Args:
        results: explored or built variants.
        measures: the deciding measures, the main measure first.
        criteria: the criteria of a choice, whose families are the sweeps.
        limit: the most rows; None for all.
    """
    all_rows: list[VariantRow] = []
    roles: dict[str, dict[int, list[AnswerRole]]] = {}
    for table in results.tables:
        roles[table.retrieval] = _roles(sweep_answers(table, measures, criteria))
        indices = list(roles[table.retrieval])
        best = best_explored(table)
        if best is not None:
            # A sentence names it: it stands where no limit drops it.
            indices = list(dict.fromkeys([0, best, *indices]))
        for index in indices:
            all_rows.append(VariantRow(table, index))
    rows = all_rows[:limit]

    def role_text(row: VariantRow) -> str:
        answer_roles = roles[row.table.retrieval].get(row.index, [])
        if not answer_roles:
            return _OUTSIDE
        if len(answer_roles) > 1:
            return _BOTH
        return answer_roles[0]

    main = measures[0]
    columns = [
        variants.VARIANT,
        VariantColumn("answer", role_text, "The question that the variant answers for its sweep.", formats.TEXT),
        variants.mean_column(main),
        variants.difference_column(main),
        variants.BYTES_SHARE,
        variants.POSTINGS_SHARE,
        variants.WORDS_SHARE,
        variants.EMPTIED,
    ]
    if len(results.tables) > 1:
        columns.insert(0, variants.RETRIEVAL)
    text = _caption(results, criteria)
    if any(role_text(row) == _OUTSIDE for row in rows):
        text += " Best of all: the highest mean, of a variant outside the tested sweeps."
    note = "" if len(rows) == len(all_rows) else f"{counted(len(all_rows) - len(rows), 'more row')}: --full."
    return Table.of(columns, rows, text, note)

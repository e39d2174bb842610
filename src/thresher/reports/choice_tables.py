"""A choice as tables and as `choice.csv`: all variants, what each rule picks, what picks are worth, what they save."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Basis, Decision, HeldOutCheck, JudgedVariant, Pick, Savings, SweepPicks
from thresher.costs import Interval
from thresher.files import write_text
from thresher.number_texts import exact_number
from thresher.reports.formatting import (
    change_text,
    fixed,
    measure_text,
    megabytes,
    p_text,
    percent_text,
    significant_digits,
    wins_text,
)
from thresher.reports.table import (
    COUNT,
    DIFFERENCE,
    PERCENT,
    Column,
    Table,
    csv_table,
    each,
    measure_header,
    pick,
    within,
)

CSV_FILE = "choice.csv"
_OF_BASELINE = "% of baseline"


@dataclass(frozen=True)
class JudgedRow:
    """A variant in a table, and the decision that judged it."""

    decision: Decision
    variant: JudgedVariant


@dataclass(frozen=True)
class VariantRow(JudgedRow):
    """What a table does not show may be left out.

    Args:
        rules: those that pick it.
        words: kept, as a share of the collection's.
        others: means by the other measures.
        section: rows of different sections have a line between them.
    """

    rules: Sequence[str] = ()
    words: float | None = None
    others: tuple[float | None, ...] = ()
    section: str = ""


def judged_columns(measure: str = "mean") -> list[Column[JudgedRow]]:
    """Return the columns that tables of variants share; `measure` is the decision's."""
    return [
        Column("retrieval", lambda row: row.decision.retrieval, "The retrieval model."),
        Column("measure", lambda row: row.decision.measure, "The measure."),
        Column("size", lambda row: round(row.variant.size), "Size of the index, in the unit of `size_kind`."),
        Column(
            "size_kind",
            lambda row: row.decision.size_kind.value,
            "What sizes are: measured bytes, estimated bytes or postings.",
        ),
        Column(
            "share", lambda row: row.decision.size_share(row.variant.size), _SHARE, "index size", _OF_BASELINE, PERCENT
        ),
        Column("mean", lambda row: row.variant.mean, "Mean of the measure over the topics.", *measure_header(measure)),
        *within(TESTED, lambda row: row.variant),
    ]


def variant_columns(measure: str = "mean", others: Sequence[str] = ()) -> list[Column[VariantRow]]:
    """Return the columns of variants: every number of `choice.csv`, and what only tables show.

    Args:
        measure: the decision's.
        others: those of `VariantRow.others`.
    """
    judged: list[Column[VariantRow]] = within(judged_columns(measure), lambda row: row)
    (share,) = pick(judged, "share")
    return [
        *pick(judged, "retrieval", "measure"),
        Column(
            "scorer",
            lambda row: row.variant.sweep,
            "The scorer, by its canonical name; of a single cleaner, the cleaner.",
        ),
        Column("variant", lambda row: row.variant.name, "The cleaner, by its canonical name.", "cleaner", align="left"),
        Column("cutoff", lambda row: row.variant.cutoff, "The variant's cutoff; empty for a single cleaner."),
        Column(
            "cleaner_cutoff",
            lambda row: row.variant.cleaner_cutoff,
            "Of a scorer and a pruning method, each with several cutoffs, the scorer's cutoff.",
        ),
        *pick(judged, "size", "size_kind"),
        Column("documents", lambda row: row.variant.documents, "Documents with text left.", format=COUNT),
        *pick(judged, "mean", *(column.name for column in TESTED)),
        Column(
            "topics_needed",
            lambda row: row.variant.test.topics_needed,
            "Topics that would show non-inferiority if difference and spread stay the same; empty where that is moot.",
        ),
        Column("on_front", lambda row: int(row.variant.on_front), "1 on the Pareto front of size and mean, else 0."),
        Column(
            "stability",
            lambda row: row.variant.stability,
            "Share of trainings that pick its size or a neighbouring one; by the main measure alone.",
        ),
        Column(
            "breaks", lambda row: "; ".join(row.variant.broken), "The guards that it breaks; by the main measure alone."
        ),
        Column("picked_as", lambda row: "; ".join(row.rules), "The rules that pick the variant by the main measure."),
        *(_other(name, number) for number, name in enumerate(others)),
        Column(
            "words", lambda row: row.words, "Share of words left by cleaning.", "words kept", "%", PERCENT, exact=False
        ),
        replace(share, exact=False),
    ]


def _other(name: str, number: int) -> Column[VariantRow]:
    return Column(
        name, lambda row: row.others[number], f"Mean {name} over the topics.", *measure_header(name), exact=False
    )


_SHARE = "Size of the index over that of the baseline."
TESTED: tuple[Column[JudgedVariant], ...] = (
    Column("difference", lambda one: one.test.difference, "Mean difference from the baseline.", format=DIFFERENCE),
    Column(
        "low", lambda one: one.test.low, "Simultaneous lower bound of the difference.", "lower bound", format=DIFFERENCE
    ),
    Column(
        "high",
        lambda one: one.test.high,
        "Simultaneous upper bound of the difference.",
        "upper bound",
        format=DIFFERENCE,
    ),
    Column(
        "verdict",
        lambda one: one.test.verdict.value,
        "Non-inferior, inferior or inconclusive, by the bounds.",
        align="left",
    ),
)
"""The columns of a variant's test against the baseline."""


def write_choice_csv(choice: Choice, folder: Path) -> None:
    """Write `choice.csv` into a folder, whole or not at all."""
    write_text(folder / CSV_FILE, choice_csv(choice))


def choice_csv(choice: Choice) -> str:
    """Return a line for each retrieval model, measure and variant."""
    rows = []
    for decision in choice.decisions:
        rules = decision.rules_by_variant() if decision.measure == choice.measure else {}
        rows += [VariantRow(decision, variant, rules.get(variant.name, ())) for variant in decision.variants]
    return csv_table(variant_columns(), rows)


def sweep_columns(
    share: Callable[[float], float], needed: Callable[[SweepPicks], int | None]
) -> list[Column[SweepPicks]]:
    """Return the columns of what the rules pick of each sweep.

    Args:
        share: of a size, over the baseline's.
        needed: the fewest topics that a smaller index of the sweep would need; None where none is open.
    """

    def picked(
        rule: str, read: Callable[[SweepPicks], JudgedVariant | None], more: Iterable[Column[JudgedVariant]] = ()
    ) -> list[Column[SweepPicks]]:
        columns: list[Column[JudgedVariant]] = [
            Column(rule, lambda one: one.name, f"The variant of the scorer that the rule picks: {rule}.", align="left"),
            Column("size", lambda one: share(one.size), _SHARE, unit=_OF_BASELINE, format=PERCENT),
            *more,
        ]
        return within(columns, read)

    difference, low, *_ = TESTED
    return [
        Column("scorer", lambda picks: picks.sweep, "The scorer, by its canonical name.", align="left"),
        Column("cutoffs", lambda picks: picks.variants, "Number of its cutoffs.", format=COUNT),
        *picked("smallest non-inferior", lambda picks: picks.smallest, (difference, low)),
        *picked("knee", lambda picks: picks.knee),
        *picked("highest mean", lambda picks: picks.highest, (difference,)),
        Column(
            "topics needed", needed, "Fewest topics that would show a smaller index non-inferior.", "", "fewest", COUNT
        ),
    ]


def decision_table(decision: Decision) -> Table:
    """Return a row for each sweep: what each rule picks of it, and the fewest topics that a smaller index would need."""

    def needed(picks: SweepPicks) -> int | None:
        nearest = decision.nearest(decision.baseline_size, picks.sweep)
        return nearest.test.topics_needed if nearest else None

    columns = sweep_columns(decision.size_share, needed)
    caption = (
        f"{decision.retrieval}, {decision.measure}, {decision.topics} topics: what the rules pick of each scorer. Sizes are "
        f"{decision.size_kind}."
    )
    note = (
        f"Non-inferior: the loss is shown to be less than {margin_text(decision)}. The lower bounds of all "
        f"{len(decision.variants)} differences hold simultaneously with {percent_text(decision.confidence)} confidence. Each "
        f"is {fixed(decision.critical, 2)} standard errors below its difference. Topics needed: the fewest that would show "
        "this for a cutoff with a smaller index than the baseline's if its difference and spread stay the same."
    )
    return Table.of(columns, decision.sweeps, caption, note)


def pick_columns(share: Callable[[float], float], second: bool) -> list[Column[tuple[Pick, HeldOutCheck]]]:
    """Return the columns of what the rules pick of all variants, and of the checks of these picks.

    Args:
        share: of a size, over the baseline's.
        second: whether picks were checked on a second topic set, rather than by cross-validation.
    """
    return [
        Column("rule", lambda row: row[0].rule.value, "The rule that picks.", align="left"),
        Column(
            "picks",
            lambda row: row[0].variant.name if row[0].variant else "baseline",
            "The variant that it picks, or the baseline.",
            align="left",
        ),
        Column(
            "size",
            lambda row: share(row[0].variant.size) if row[0].variant else 1.0,
            _SHARE,
            unit=_OF_BASELINE,
            format=PERCENT,
        ),
        Column(
            "promised" if second else "all topics",
            lambda row: row[1].apparent,
            "Mean over the topics that the pick was made on.",
        ),
        Column("held out", lambda row: row[1].mean, "Mean over topics without a part in the pick."),
        *([] if second else [_held_out_size(share)]),
        Column(
            "baseline",
            lambda row: row[1].baseline_mean,
            "The baseline's mean over the same topics.",
            unit="held out",
        ),
        Column(
            "difference",
            lambda row: row[1].comparison.difference,
            "Held-out mean less the baseline's.",
            format=DIFFERENCE,
        ),
        Column(
            "interval",
            lambda row: row[1].comparison.ci_low,
            "Interval of the difference.",
            text=lambda row: f"{change_text(row[1].comparison.ci_low)} to {change_text(row[1].comparison.ci_high)}",
        ),
        Column(
            "W/T/L",
            lambda row: row[1].comparison.net_wins,
            "Topics won, tied and lost.",
            unit="topics",
            text=lambda row: wins_text(row[1].comparison),
        ),
        Column("p", lambda row: row[1].comparison.p, "Two-sided p, uncorrected.", format=each(p_text)),
        Column(
            "optimism",
            lambda row: row[1].optimism,
            "How much higher the mean was that the pick promised.",
            format=DIFFERENCE,
        ),
        *([] if second else [_SAME, _NEAR]),
    ]


def picks_table(decision: Decision) -> Table:
    """Return a row for each checked rule: its pick of all variants, and its worth on topics without a part in picking."""
    columns = pick_columns(decision.size_share, decision.held_out_topics > 0)
    rows = [(pick, pick.check) for pick in decision.picks if pick.check]
    return Table.of(columns, rows, _picks_caption(decision))


_SAME: Column[tuple[Pick, HeldOutCheck]] = Column(
    "same pick",
    lambda row: row[1].share,
    "Share of trainings that make the same pick.",
    unit="% of trainings",
    format=PERCENT,
)
_NEAR: Column[tuple[Pick, HeldOutCheck]] = Column(
    "about its size",
    lambda row: row[1].stability,
    "Share of trainings that pick its size or a neighbouring one.",
    unit="% of trainings",
    format=PERCENT,
)


def _held_out_size(share: Callable[[float], float]) -> Column[tuple[Pick, HeldOutCheck]]:
    return Column(
        "size",
        lambda row: share(row[1].size),
        "Mean size of the picks without the topic.",
        unit="held out",
        format=PERCENT,
    )


def savings_columns(several: bool) -> list[Column[Savings]]:
    """Return the columns of what recommendations save; `several`: of more than one retrieval model."""
    return [
        Column("chosen", lambda saved: saved.variant, "The recommended variant.", align="left"),
        *(
            [Column[Savings]("retrieval", lambda saved: saved.retrieval, "The retrieval model.", align="left")]
            if several
            else []
        ),
        Column("queries", lambda saved: saved.queries, "Queries that are answered.", format=each(exact_number)),
        Column(
            "index saved",
            lambda saved: saved.bytes,
            "Index bytes less than the baseline's.",
            unit="MB",
            format=each(lambda size: _saving(megabytes(round(size)))),
        ),
        Column(
            "saved",
            lambda saved: saved.share,
            "Index bytes less than the baseline's, over the baseline's.",
            unit=_OF_BASELINE,
            format=PERCENT,
        ),
        Column(
            "searching saved",
            lambda saved: _value(saved.query_seconds),
            "Seconds saved on all queries.",
            unit="s",
            format=each(_saving),
        ),
        Column(
            "more to clean and build",
            lambda saved: saved.extra_seconds,
            "Seconds that cleaning and indexing take more.",
            unit="s",
            format=each(_signed_digits),
        ),
        Column(
            "CO₂ saved",
            lambda saved: _value(saved.co2_kg),
            "Kilograms of CO₂ equivalents saved in all.",
            unit="kg",
            format=each(_saving),
        ),
        Column(
            "break-even",
            lambda saved: saved.break_even.note if saved.break_even else None,
            "Queries after which cleaning has paid off, in words.",
            align="left",
        ),
        Column("times", _times, "Whether times were measured, or estimated from other indexes.", align="left"),
    ]


def savings_table(choice: Choice) -> Table | None:
    """Return a row for each retrieval model with a recommendation; None without any."""
    if not choice.savings:
        return None
    several = len({decision.retrieval for decision in choice.decisions}) > 1
    columns = savings_columns(several)
    return Table.of(columns, choice.savings, "What the recommendation saves.", choice.co2_method, keys=1 + several)


def _value(figure: Interval | None) -> float | None:
    return None if figure is None else figure.value


def _times(saved: Savings) -> str:
    return f"estimated from {saved.indexes} indexes" if saved.basis is Basis.ESTIMATED else saved.basis.value


def margin_text(decision: Decision) -> str:
    """Return the margin as the share that it was stated as, or in units of the measure."""
    return loss_text(decision.margin, decision.relative_margin)


def loss_text(margin: float, relative: float | None) -> str:
    """Return a margin as the share of the baseline's mean that it was stated as, or else in units of the measure."""
    return measure_text(margin) if relative is None else f"{percent_text(relative)} of the baseline's mean"


def _picks_caption(decision: Decision) -> str:
    where = f"{decision.retrieval}, {decision.measure}: "
    test = (
        f"Difference, {percent_text(decision.confidence)} interval and p (two-sided Wilcoxon signed-rank test, not corrected) "
        "against the baseline."
    )
    if decision.held_out_topics:
        return (
            f"{where}picked on {decision.topics} topics, measured on {decision.held_out_topics} held-out ones. Promised: "
            f"the mean there of a pick made on the held-out topics themselves; optimism: how much higher that is. {test}"
        )
    return (
        f"{where}picked and measured on all {decision.topics} topics. Held out: each topic measured with the variant picked "
        f"without it ({decision.repeats} × {decision.folds}-fold cross-validation), and the mean size of these picks. "
        f"Optimism: how much higher the mean on all topics is. {test}"
    )


def _signed_digits(value: float) -> str:
    """Return a number with three significant digits and a sign where it is below 0."""
    text = significant_digits(abs(value))
    return f"\N{MINUS SIGN}{text}" if value < 0 else text


def _saving(value: float) -> str:
    return significant_digits(value) if value > 0 else "no saving measured"

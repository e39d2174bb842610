"""A choice as tables: what each rule picks of each scorer, what picks are worth on other topics, what they save."""

from __future__ import annotations

from thresher.choosing.records import Choice, Decision, JudgedVariant, RuleName, Savings
from thresher.reports.formatting import (
    NOTHING,
    exact_number,
    fixed,
    megabytes,
    p_text,
    percent,
    signed,
    significant_digits,
)
from thresher.reports.tables import MEASURE_DECIMALS, Cell, Column, Table, wins_cell

BASELINE = "baseline"
_EMPTY = Cell(NOTHING)


def decision_table(decision: Decision) -> Table:
    """Return a row a scorer: what each rule picks of its cutoffs, and how many topics a smaller index would need."""
    size = "% of baseline"
    columns = (
        Column("scorer", align="left"),
        Column("cutoffs"),
        Column("smallest non-inferior", align="left"),
        Column("size", size),
        Column("difference"),
        Column("lower bound"),
        Column("knee", align="left"),
        Column("size", size),
        Column("highest mean", align="left"),
        Column("size", size),
        Column("difference"),
        Column("topics needed", "fewest"),
    )
    rows = []
    for picks in decision.sweeps:
        nearest = decision.nearest(decision.baseline_size, picks.sweep)
        needed = nearest.test.topics_needed if nearest else None
        rows.append(
            (
                Cell(picks.sweep),
                Cell(str(picks.variants), value=picks.variants),
                *_picked(decision, picks.smallest),
                _difference(picks.smallest),
                _EMPTY if picks.smallest is None else _signed(picks.smallest.test.low),
                *_picked(decision, picks.knee),
                *_picked(decision, picks.highest),
                _difference(picks.highest),
                _EMPTY if needed is None else Cell(str(needed), value=needed),
            )
        )
    caption = (
        f"{decision.retrieval}, {decision.measure}, {decision.topics} topics: what the rules pick of each scorer. Sizes are "
        f"{decision.size_kind}."
    )
    note = (
        f"Non-inferior: the loss is shown to be less than {margin_text(decision)}. Lower bounds of all "
        f"{len(decision.variants)} differences hold together with {percent_text(1 - decision.alpha)} confidence "
        f"({fixed(decision.critical, 2)} standard errors). Topics needed: the fewest that would show it of a cutoff with a "
        f"smaller index than the baseline's, were its difference and spread what they are here."
    )
    return Table(columns, tuple(rows), caption, note)


def picks_table(decision: Decision) -> Table:
    """Return a row for each checked rule: its pick of all variants, and its worth on topics without a part in picking."""
    columns = (
        Column("rule", align="left"),
        Column("picks", align="left"),
        Column("size", "% of baseline"),
        Column("promised" if decision.held_out_topics else "own topics"),
        Column("held out"),
        *(() if decision.held_out_topics else (Column("size", "held out"),)),
        Column("baseline", "held out"),
        Column("difference"),
        Column("interval"),
        Column("W/T/L", "topics"),
        Column("p"),
        Column("optimism"),
        *(() if decision.held_out_topics else (Column("same pick", "% of trainings"),)),
    )
    rows = []
    for pick in decision.picks:
        check = pick.check
        if check is None:
            continue
        result = check.comparison
        share = Cell(percent(check.share), value=check.share)
        size = decision.size_share(check.size)
        rows.append(
            (
                Cell(f"{pick.rule} (recommended)" if pick.rule is RuleName.SMALLEST else pick.rule.value),
                *_picked(decision, pick.variant, BASELINE),
                _number(check.apparent),
                _number(check.mean),
                *(() if decision.held_out_topics else (Cell(percent(size), value=size),)),
                _number(check.mean - result.difference),
                _signed(result.difference),
                Cell(f"{_text(result.ci_low)} to {_text(result.ci_high)}"),
                wins_cell(result),
                Cell(p_text(result.p), value=result.p),
                _signed(check.optimism),
                *(() if decision.held_out_topics else (share,)),
            )
        )
    return Table(columns, tuple(rows), _picks_caption(decision))


def savings_table(choice: Choice) -> Table | None:
    """Return a row a retrieval model with a recommendation; None if there is none."""
    if not choice.savings:
        return None
    several = len({decision.retrieval for decision in choice.decisions}) > 1
    columns = (
        Column("chosen", align="left"),
        *((Column("retrieval", align="left"),) if several else ()),
        Column("queries"),
        Column("index saved", "MB"),
        Column("saved", "% of baseline"),
        Column("searching saved", "s"),
        Column("more to clean and build", "s"),
        Column("CO₂ saved", "kg"),
        Column("paid off", align="left"),
        Column("times", align="left"),
    )
    rows = tuple(_savings_row(saved, several) for saved in choice.savings)
    return Table(columns, rows, "What the recommendation saves.", choice.co2_method, keys=1 + several)


def margin_text(decision: Decision) -> str:
    """Return the margin in units of the measure, and as the share it was stated as."""
    text = fixed(decision.margin, MEASURE_DECIMALS)
    if decision.relative_margin is None:
        return text
    return f"{text} ({percent_text(decision.relative_margin)} of the baseline's {_value(decision.baseline_mean)})"


def percent_text(share: float) -> str:
    """Return a share as per cent, without decimals where it has none: 0.05 is '5 %'."""
    return f"{100 * share:.6g} %"


def _picks_caption(decision: Decision) -> str:
    where = f"{decision.retrieval}, {decision.measure}: "
    test = (
        f"Difference, {percent_text(1 - decision.alpha)} interval and p (two-sided Wilcoxon signed-rank test, not corrected) "
        "against the baseline."
    )
    if decision.held_out_topics:
        return (
            f"{where}picked on {decision.topics} topics, measured on {decision.held_out_topics} held-out ones. Promised: what "
            f"the best pick on the held-out topics themselves has there; optimism: how much more that is. {test}"
        )
    return (
        f"{where}own topics: the pick of all {decision.topics} topics, on the same. Held out: each topic's value is that of "
        f"what other topics picked, by {decision.repeats} × {decision.folds}-fold cross-validation, with the mean size of "
        f"what they picked. Optimism: how much more the own topics promise. {test}"
    )


def _savings_row(saved: Savings, several: bool) -> tuple[Cell, ...]:
    held = signed_digits(None if saved.bytes is None else megabytes(round(saved.bytes)))
    paid = saved.break_even.note if saved.break_even else NOTHING
    times = "measured" if saved.measured else f"estimated from {saved.indexes} indexes"
    return (
        Cell(saved.variant),
        *((Cell(saved.retrieval),) if several else ()),
        Cell(exact_number(saved.queries), value=saved.queries),
        Cell(held, value=saved.bytes),
        Cell(percent(saved.share), value=saved.share),
        Cell(signed_digits(saved.query_seconds), value=saved.query_seconds),
        Cell(signed_digits(saved.extra_seconds), value=saved.extra_seconds),
        Cell(signed_digits(saved.co2_kg), value=saved.co2_kg),
        Cell(paid),
        Cell(NOTHING if saved.query_seconds is None else times),
    )


def signed_digits(value: float | None) -> str:
    """Return a number with three significant digits and a sign where it is below 0; an en dash for None."""
    if value is None:
        return NOTHING
    text = significant_digits(abs(value))
    return f"\N{MINUS SIGN}{text}" if value < 0 else text


def _picked(decision: Decision, variant: JudgedVariant | None, nothing: str = NOTHING) -> tuple[Cell, Cell]:
    if variant is None:
        return Cell(nothing), (Cell(percent(1.0), value=1.0) if nothing == BASELINE else _EMPTY)
    share = decision.size_share(variant.size)
    return Cell(variant.name), Cell(percent(share), value=share)


def _difference(variant: JudgedVariant | None) -> Cell:
    return _EMPTY if variant is None else _signed(variant.test.difference)


def _number(value: float) -> Cell:
    return Cell(_value(value), value=value)


def _signed(value: float) -> Cell:
    return Cell(_text(value), value=value)


def _value(value: float) -> str:
    return fixed(value, MEASURE_DECIMALS)


def _text(value: float) -> str:
    return signed(value, MEASURE_DECIMALS)

"""What is recommended, in sentences: the one answer that the terminal and the report give."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.choosing.choices import Choice, Effect, Recommendation, Unguarded
from thresher.choosing.decisions import Basis, Savings, SizeKind
from thresher.choosing.guards import Breach, GuardName
from thresher.costs import BreakEven
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.number_texts import exact_number
from thresher.reports.choice_tables import loss_text
from thresher.reports.formatting import (
    change_text,
    measure_text,
    megabytes,
    percent,
    percent_text,
    significant_digits,
)


def answer(choice: Choice) -> Iterator[str]:
    """Give the recommendation for each retrieval model: what to use and why, its loss, its savings, what guards forbade.

    No sentence has more than two numbers, besides those in names of variants and measures.
    """
    several = len(choice.recommendations) > 1
    for one in choice.recommendations:
        said = [headline(one), *_losses(one), *_held_out(one)]
        said += [_saved(one.savings)] if one.savings else []
        said += [*_unguarded(one), *_beyond(one)]
        yield from (f"{one.retrieval}: {text}" if several else text for text in said)
    yield from (f"Note: {notice}." for notice in choice.notices)


def headline(advice: Recommendation) -> str:
    """Return what is recommended, in a few sentences."""
    main = advice.effects[0]
    if advice.topics < MINIMUM:
        return f"Inconclusive: {advice.topics} topics are too few for a verdict, at least {MINIMUM} are needed. {_STAY}"
    loss = f"whose loss of {main.measure} is shown to be less than {_margin(advice, main)}"
    if advice.variant is not None:
        return (
            f"Recommended: {advice.variant}, the smallest of {_cutoffs(advice.variants)} {loss} and that passes every guard. "
            f"It has {_share(advice.share, advice)}. It leaves {_emptied(advice.emptied, advice)} without text."
        )
    if not advice.smaller:
        return f"Inconclusive: of {_cutoffs(advice.variants)} there is none {loss}. {_STAY}"
    reasons = [
        f"Of these {advice.broken[guard]:,} {_reason(advice, guard)}." for guard in GuardName if advice.broken[guard]
    ]
    if advice.broken[GuardName.STABILITY] and (least := advice.fewest_training_topics) < MINIMUM:
        reasons.append(f"A training has {least} topics, and fewer than {MINIMUM} give no verdict: take more folds.")
    return (
        f"No cutoff passes every guard. {_STAY} {advice.smaller:,} of {_cutoffs(advice.variants)} have a smaller index and no "
        f"loss of {main.measure} beyond the margin. {' '.join(reasons)}"
    )


_STAY = "Stay with the baseline."


def _reason(advice: Recommendation, guard: GuardName) -> str:
    guards = advice.guards
    return {
        GuardName.EMPTIED: f"leave more than {percent_text(guards.emptied)} of the pages without text",
        GuardName.MEASURES: f"are not shown to lose little in {' and '.join(advice.deciding[1:])}",
        GuardName.STABILITY: f"do not have about the size that more than {percent_text(guards.stability)} of the trainings "
        "pick",
    }[guard]


def _losses(advice: Recommendation) -> Iterator[str]:
    if advice.variant is None:
        return
    for effect in advice.effects:
        yield (
            f"{effect.measure} over {advice.topics} topics is {measure_text(effect.mean)}. That differs from the baseline's "
            f"{measure_text(effect.baseline)} by {change_text(effect.difference)}. The difference is above "
            f"{change_text(effect.low)}, and a loss of less than {measure_text(effect.margin)} is accepted."
        )
    sure = percent_text(advice.confidence)
    yield f"These bounds hold with {sure} confidence for all {_cutoffs(advice.variants)} at once."


def _held_out(advice: Recommendation) -> Iterator[str]:
    effect = advice.held_out
    if effect is None or (advice.variant is None and advice.held_out_topics):
        return
    where, who = "On held-out topics, by cross-validation,", "the same rule"
    if advice.held_out_topics:
        where, who = "On the held-out topics", "it"
    agree = ""
    if advice.stability is not None:
        near = percent_text(advice.guards.neighbour)
        agree = f" {percent(advice.stability)} % of the trainings pick this size or one within {near} of the baseline's size."
    yield (
        f"{where} {who} scores {measure_text(effect.mean)} in {effect.measure}, the baseline {measure_text(effect.baseline)}. "
        f"The difference is between {change_text(effect.low)} and {change_text(effect.high)}.{agree}"
    )


def _saved(saved: Savings) -> str:
    held = f"{percent(saved.share)} % of the baseline's postings"
    if saved.bytes is not None:
        held = f"{significant_digits(megabytes(round(saved.bytes)))} MB of index, {percent(saved.share)} %"
    if saved.share <= 0:
        held = "no index"
    opening = f"{saved.variant} saves {held}."
    if saved.basis is Basis.NOT_RUN or saved.extra_seconds is None or saved.break_even is None:
        return f"{opening} The time it saves is known once the experiment has been run."
    more = "more" if saved.extra_seconds >= 0 else "less"
    building = f"Cleaning and building take {significant_digits(abs(saved.extra_seconds))} s {more}."
    if saved.query_seconds is None:
        return f"{opening} {building} What it changes in the time of searching is {Basis.NOT_MEASURABLE}."
    source = "measured" if saved.basis is Basis.MEASURED else f"estimated from {saved.indexes} indexes that were timed"
    low, high = sorted(abs(bound) for bound in (saved.query_seconds.low, saved.query_seconds.high))
    bounds = f"The interval is {significant_digits(low)} to {significant_digits(high)} s. Times are {source}."
    over = f"Over {exact_number(saved.queries)} queries"
    if saved.query_seconds.value <= 0:
        lost = significant_digits(-saved.query_seconds.value)
        return f"{opening} {building} {over} no saving of searching was measured: it takes {lost} s more. {bounds}"
    emitted = "The CO₂ saved is below resolution."
    if saved.co2_kg is not None:
        emitted = f"{significant_digits(saved.co2_kg.value)} kg of CO₂ are saved."
        emitted = emitted if saved.co2_kg.value > 0 else "No saving of CO₂ was measured."
    return (
        f"{opening} {building} {over} searching takes {significant_digits(saved.query_seconds.value)} s less. {bounds} "
        f"{emitted} {_pays(saved.break_even)}"
    )


def _pays(break_even: BreakEven) -> str:
    queries = break_even.queries
    if queries is None or queries.value == 0:
        return f"Break-even {break_even.note}."
    return f"Break-even after {queries.value:,.0f} queries. The interval is {queries.low:,.0f} to {queries.high:,.0f}."


def _unguarded(advice: Recommendation) -> Iterator[str]:
    other = advice.unguarded
    if other is None:
        return
    broken = " ".join(_breach(breach, other, advice) for breach in other.breaches)
    yield f"Without guards {other.variant} would be picked, with {_share(other.share, advice)}. {broken}"


def _breach(breach: Breach, other: Unguarded, advice: Recommendation) -> str:
    if breach.guard is GuardName.EMPTIED:
        return (
            f"It leaves {_emptied(other.emptied, advice)} without text. At most {percent_text(breach.limit)} of them are "
            "accepted."
        )
    if breach.guard is GuardName.MEASURES:
        return (
            f"A loss of {measure_text(-breach.found)} in {breach.measure} is not ruled out, and less than "
            f"{measure_text(-breach.limit)} is accepted."
        )
    return (
        f"{percent(breach.found)} % of the trainings pick about its size, and more than {percent_text(breach.limit)} are "
        "asked for."
    )


def _beyond(advice: Recommendation) -> Iterator[str]:
    nearest = advice.nearest
    if nearest is None:
        if advice.variant is None and not advice.smaller:
            yield "No number of topics would show this for a smaller index if the differences stay the same."
        return
    opening = "Smaller indexes are not ruled out. " if advice.variant else ""
    yield (
        f"{opening}{nearest.variant}, with {_share(nearest.share, advice)}, would need {nearest.topics:,} topics to be shown "
        f"non-inferior in {advice.effects[0].measure}, if its difference and spread stay the same."
    )


def _share(share: float, advice: Recommendation) -> str:
    kind = {SizeKind.ESTIMATED: "bytes (estimated)", SizeKind.BYTES: "bytes", SizeKind.POSTINGS: "postings"}
    return f"{percent(share)} % of the baseline's {kind[advice.size_kind]}"


def _emptied(count: int, advice: Recommendation) -> str:
    return f"{count:,} of {advice.documents:,} pages" if count else f"none of {advice.documents:,} pages"


def _margin(advice: Recommendation, effect: Effect) -> str:
    return loss_text(effect.margin or 0.0, advice.relative_margin)


def _cutoffs(count: int) -> str:
    return f"{count} cutoff" if count == 1 else f"{count} cutoffs"

"""What is recommended, in sentences: the one answer that the terminal and the report give."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.choosing.choices import Choice, Effect, Recommendation, Unguarded
from thresher.choosing.decisions import Basis, Savings, SizeKind
from thresher.choosing.guards import Breach, GuardName
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.reports.choice_tables import loss_text
from thresher.reports.formatting import (
    MEASURE_DECIMALS,
    exact_number,
    fixed,
    megabytes,
    percent,
    percent_text,
    signed,
    significant_digits,
)


def answer(choice: Choice) -> Iterator[str]:
    """Give the recommendation for each retrieval model: what to use and why, its loss, its savings, what guards forbade."""
    several = len(choice.recommendations) > 1
    for one in choice.recommendations:
        sentences = [headline(one), *_losses(one), *_held_out(one)]
        sentences += [_saved(one.savings)] if one.savings else []
        sentences += [*_unguarded(one), *_beyond(one)]
        yield from (f"{one.retrieval}: {sentence}" if several else sentence for sentence in sentences)
    yield from (f"Note: {notice}." for notice in choice.notices)


def headline(found: Recommendation) -> str:
    """Return what is recommended, in a sentence or two."""
    main = found.effects[0]
    if found.topics < MINIMUM:
        return f"Inconclusive: {found.topics} topics are too few for a verdict, at least {MINIMUM} are needed. {_STAY}"
    loss = f"whose loss of {main.measure} is shown to be less than {_margin(found, main)}"
    if found.variant is not None:
        return (
            f"Recommended: {found.variant}, the smallest of {_cutoffs(found.variants)} {loss} and that passes every guard: "
            f"{_share(found.share, found)}. It leaves {_emptied(found.emptied, found)} without text."
        )
    if not found.smaller:
        return f"Inconclusive: of {_cutoffs(found.variants)} there is none {loss}. {_STAY}"
    reasons = [f"{found.broken[guard]:,} {_reason(found, guard)}" for guard in GuardName if found.broken[guard]]
    few = ""
    if found.broken[GuardName.STABILITY] and (least := found.topics - -(-found.topics // found.folds)) < MINIMUM:
        few = f" A training has {least} topics, and fewer than {MINIMUM} give no verdict: take more folds."
    return (
        f"No cutoff passes every guard. {_STAY} Of {_cutoffs(found.variants)} {found.smaller:,} have a smaller index and a "
        f"loss of {main.measure} that is shown to be less than {_margin(found, main)}; of these {'; '.join(reasons)}.{few}"
    )


_STAY = "Stay with the baseline."


def _reason(found: Recommendation, guard: GuardName) -> str:
    guards = found.guards
    return {
        GuardName.EMPTIED: f"leave more than {percent_text(guards.emptied)} of the pages without text",
        GuardName.MEASURES: f"are not shown to lose little in {' and '.join(found.deciding[1:])}",
        GuardName.STABILITY: f"do not have about the size that more than {percent_text(guards.stability)} of the trainings "
        "pick",
    }[guard]


def _losses(found: Recommendation) -> Iterator[str]:
    if found.variant is None:
        return
    parts = [
        f"{effect.measure} {_value(effect.mean)} against the baseline's {_value(effect.baseline)}, a difference of "
        f"{_signed(effect.difference)} that is above {_signed(effect.low)} (margin {_value(effect.margin)})"
        for effect in found.effects
    ]
    sure = percent_text(1 - found.alpha)
    yield (
        f"On the {found.topics} topics: {'; '.join(parts)}; with {sure} confidence for all {found.variants} cutoffs at once."
    )


def _held_out(found: Recommendation) -> Iterator[str]:
    effect = found.held_out
    if effect is None or (found.variant is None and found.held_out_topics):
        return
    agree = ""
    if found.stability is not None:
        near = percent_text(found.guards.neighbour)
        agree = f"; {percent(found.stability)} % of the trainings pick this size or one within {near} of the baseline's size"
    trained = f"{found.repeats} × {found.folds}-fold cross-validation"
    where, who = f"On held-out topics ({trained})", "the same rule"
    if found.held_out_topics:
        where, who = f"On the {found.held_out_topics} held-out topics", "it"
        agree += f" ({trained})" if agree else ""
    yield (
        f"{where} {who} scores {_value(effect.mean)} in {effect.measure} against the baseline's {_value(effect.baseline)} "
        f"(difference {_signed(effect.difference)}, interval {_signed(effect.low)} to {_signed(effect.high)}){agree}."
    )


def _saved(saved: Savings) -> str:
    held = f"{percent(saved.share)} % of the baseline's postings"
    if saved.bytes is not None:
        held = f"{significant_digits(megabytes(round(saved.bytes)))} MB of index ({percent(saved.share)} %)"
    if saved.share <= 0:
        held = "no index"
    opening = f"Over {exact_number(saved.queries)} queries {saved.variant} saves {held}"
    if saved.basis is Basis.NOT_RUN or saved.extra_seconds is None or saved.break_even is None:
        return f"{opening}; the time it saves is known once the experiment has been run."
    more = "more" if saved.extra_seconds >= 0 else "less"
    building = f"{significant_digits(abs(saved.extra_seconds))} s {more} of cleaning and building"
    source = "measured" if saved.basis is Basis.MEASURED else f"estimated from {saved.indexes} indexes that were timed"
    if saved.query_seconds is None:
        return f"{opening}, for {building}; what it changes in the time of searching is {Basis.NOT_MEASURABLE}."
    low, high = sorted(abs(bound) for bound in (saved.query_seconds.low, saved.query_seconds.high))
    bounds = f"{significant_digits(low)} to {significant_digits(high)}"
    if saved.query_seconds.value <= 0:
        lost = significant_digits(-saved.query_seconds.value)
        lost = f"no saving of searching measured: it takes {lost} s more ({bounds})"
        return f"{opening}, with {building}; {lost} (times {source})."
    emitted = "the CO₂ saved is below resolution"
    if saved.co2_kg is not None:
        emitted = f"{significant_digits(saved.co2_kg.value)} kg of CO₂ are saved"
        emitted = emitted if saved.co2_kg.value > 0 else "no saving of CO₂ measured"
    return (
        f"{opening} and {significant_digits(saved.query_seconds.value)} s of searching ({bounds}), for {building}; "
        f"{emitted}. Break-even {saved.break_even.note} (times {source})."
    )


def _unguarded(found: Recommendation) -> Iterator[str]:
    other = found.unguarded
    if other is None:
        return
    broken = [_breach(breach, other, found) for breach in other.breaches]
    yield f"Without guards {other.variant} ({_share(other.share, found)}) would be picked, but {', and '.join(broken)}."


def _breach(breach: Breach, other: Unguarded, found: Recommendation) -> str:
    if breach.guard is GuardName.EMPTIED:
        share = f"{percent(breach.found)} %, at most {percent_text(breach.limit)} are accepted"
        return f"it leaves {_emptied(other.emptied, found)} without text ({share})"
    if breach.guard is GuardName.MEASURES:
        return (
            f"a loss of {_value(-breach.found)} in {breach.measure} is not ruled out (less than {_value(-breach.limit)} is "
            "accepted)"
        )
    return (
        f"{percent(breach.found)} % of the trainings pick about its size (more than {percent_text(breach.limit)} are asked "
        "for)"
    )


def _beyond(found: Recommendation) -> Iterator[str]:
    nearest = found.nearest
    if nearest is None:
        if found.variant is None and not found.smaller:
            yield "No number of topics would show this for a smaller index if the differences stay the same."
        return
    measure = found.effects[0].measure
    yield (
        f"{'Smaller indexes are not ruled out: ' if found.variant else ''}{nearest.variant} "
        f"({_share(nearest.share, found)}) would need {nearest.topics:,} topics, the fewest of those that are inconclusive in "
        f"{measure}, if its difference and spread stay the same."
    )


def _share(share: float, found: Recommendation) -> str:
    kind = {SizeKind.ESTIMATED: "bytes (estimated)", SizeKind.BYTES: "bytes", SizeKind.POSTINGS: "postings"}
    return f"{percent(share)} % of the baseline's {kind[found.size_kind]}"


def _emptied(count: int, found: Recommendation) -> str:
    return f"{count:,} of {found.documents:,} pages" if count else f"none of {found.documents:,} pages"


def _margin(found: Recommendation, effect: Effect) -> str:
    return loss_text(effect.margin or 0.0, found.relative_margin, effect.baseline)


def _cutoffs(count: int) -> str:
    return f"{count} cutoff" if count == 1 else f"{count} cutoffs"


def _value(value: float | None) -> str:
    return fixed(value, MEASURE_DECIMALS)


def _signed(value: float) -> str:
    return signed(value, MEASURE_DECIMALS)

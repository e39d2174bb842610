"""What was chosen and why, in sentences that can be checked against the tables."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.choosing.decisions import Choice, Decision, HeldOutCheck, JudgedVariant, Pick, RuleName, Savings, SizeKind
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.reports.choice_tables import margin_text, percent_text, signed_digits
from thresher.reports.formatting import (
    MEASURE_DECIMALS,
    exact_number,
    fixed,
    megabytes,
    percent,
    signed,
    significant_digits,
)


def choice_sentences(choice: Choice) -> Iterator[str]:
    """Give, for each retrieval model, the recommendation and why, what it is worth elsewhere, and what it saves."""
    models = choice.models
    for model in models:
        main = model.main
        opening = f"{main.retrieval}: " if len(models) > 1 else ""
        saved = next((item for item in choice.savings if item.retrieval == main.retrieval), None)
        sentences = [_recommendation(main), *_beyond(main)]
        sentences += [_elsewhere(main, pick, pick.check) for pick in main.picks if pick.check]
        sentences += _other_measures(main, model.others)
        sentences += [_saved(saved)] if saved else []
        yield from (opening + sentence for sentence in sentences)
    yield from (f"Note: {notice}." for notice in choice.notices)


def _recommendation(decision: Decision) -> str:
    variant, many = decision.recommended, len(decision.variants)
    if decision.topics < MINIMUM:
        return (
            f"Inconclusive: {decision.topics} topics are too few for a verdict, at least {MINIMUM} are needed. Stay with the "
            f"baseline.{_needed(decision)}"
        )
    loss = f"whose loss of {decision.measure} is shown to be less than {margin_text(decision)}"
    if variant is None:
        return (
            f"Inconclusive: of {many} {_cutoffs(many)} there is none {loss}. Stay with the baseline.{_needed(decision)}"
        )
    emptied = decision.documents - variant.documents
    left = f" It leaves {emptied:,} of {decision.documents:,} documents without text." if emptied else ""
    test, sure = variant.test, percent_text(1 - decision.alpha)
    return (
        f"Recommended: {variant.name}, the smallest of {many} {_cutoffs(many)} {loss}: "
        f"{_share(decision, variant)}, {decision.measure} {_value(variant.mean)}, a difference of "
        f"{_signed(test.difference)} that is above {_signed(test.low)} with {sure} confidence "
        f"for all {many} at once.{left}"
    )


def _beyond(decision: Decision) -> Iterator[str]:
    """Say what smaller indexes would need, where one is recommended."""
    nearest = decision.nearest(decision.recommended.size) if decision.recommended else None
    if nearest:
        yield (
            f"Smaller indexes are not ruled out: {nearest.name} ({_share(decision, nearest)}) would need "
            f"{nearest.test.topics_needed} topics if its difference and spread stay the same."
        )


def _needed(decision: Decision) -> str:
    nearest = decision.nearest(decision.baseline_size)
    if nearest is None:
        return " No number of topics would show this for a smaller index if the differences stay the same."
    return (
        f" Of the variants with a smaller index than the baseline's, {nearest.name} ({_share(decision, nearest)}) would need "
        f"the fewest topics, {nearest.test.topics_needed}, if its difference and spread stay the same."
    )


def _elsewhere(decision: Decision, pick: Pick, check: HeldOutCheck) -> str:
    rule = "The same rule" if pick.rule is RuleName.SMALLEST else f"The {pick.rule}"
    name = "the baseline" if pick.variant is None else pick.variant.name
    picked = "" if pick.rule is RuleName.SMALLEST else f", {name} on all topics,"
    result = check.comparison
    worth = (
        f"scores {_value(check.mean)} against the baseline's {_value(check.mean - result.difference)} (difference "
        f"{_signed(result.difference)}, interval {_signed(result.ci_low)} to {_signed(result.ci_high)})"
    )
    if decision.held_out_topics:
        return (
            f"The {pick.rule} of the {decision.topics} topics, {name}, {worth} on the {decision.held_out_topics} "
            f"held-out topics; a pick made on those topics themselves promises {_signed(check.optimism)} beyond that."
        )
    again = ""
    if check.share is not None:
        same, size = percent(check.share), percent(decision.size_share(check.size))
        again = f"; {same} % of the training splits pick the same variant, and the mean size of their picks is {size} %"
    return (
        f"{rule}{picked} {worth} on held-out topics ({decision.repeats} × {decision.folds}-fold cross-validation), "
        f"{_value(abs(check.optimism))} {'less' if check.optimism >= 0 else 'more'} than the "
        f"{_value(check.apparent)} on the topics that it was picked on{again}."
    )


def _other_measures(main: Decision, others: tuple[Decision, ...]) -> Iterator[str]:
    if main.recommended is None or not others:
        return
    name = main.recommended.name
    tests = [(decision.measure, decision.by_name[name].test) for decision in others]
    verdicts = [f"{measure} {test.verdict} (difference {_signed(test.difference)})" for measure, test in tests]
    yield f"In the other measures, each at its own margin, {name} is: {'; '.join(verdicts)}."


def _saved(saved: Savings) -> str:
    held = f"{percent(saved.share)} % of the baseline's postings"
    if saved.bytes is not None:
        held = f"{signed_digits(megabytes(round(saved.bytes)))} MB of index ({percent(saved.share)} %)"
    opening = f"Over {exact_number(saved.queries)} queries {saved.variant} saves {held}"
    if saved.query_seconds is None or saved.extra_seconds is None or saved.break_even is None:
        return f"{opening}; the time it saves is known once the experiment has been run."
    more = "more" if saved.extra_seconds >= 0 else "less"
    searching = f"{significant_digits(abs(saved.query_seconds))} s"
    searching = (
        f"and {searching} of searching" if saved.query_seconds >= 0 else f"but takes {searching} longer to search"
    )
    emitted = "the CO₂ saved is below resolution"
    if saved.co2_kg is not None:
        amount = f"{significant_digits(abs(saved.co2_kg))} kg"
        emitted = f"{amount} of CO₂ are saved" if saved.co2_kg >= 0 else f"{amount} more CO₂ are emitted"
    source = "measured" if saved.measured else f"estimated from {saved.indexes} indexes that were built"
    return (
        f"{opening} {searching}, for {significant_digits(abs(saved.extra_seconds))} s {more} of cleaning and building; "
        f"{emitted}. Break-even {saved.break_even.note} (times {source})."
    )


def _share(decision: Decision, variant: JudgedVariant) -> str:
    kind = {SizeKind.ESTIMATED: "bytes (estimated)", SizeKind.BYTES: "bytes", SizeKind.POSTINGS: "postings"}
    return f"{percent(decision.size_share(variant.size))} % of the baseline's {kind[decision.size_kind]}"


def _cutoffs(count: int) -> str:
    return "cutoff" if count == 1 else "cutoffs"


def _value(value: float) -> str:
    return fixed(value, MEASURE_DECIMALS)


def _signed(value: float) -> str:
    return signed(value, MEASURE_DECIMALS)

"""What was chosen and why, in sentences that a reader could check against the tables."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.choosing.records import Choice, Decision, Pick, RuleName, Savings, SizeKind
from thresher.evaluation.non_inferiority import MINIMUM, Verdict
from thresher.reports.choice_selection import judged
from thresher.reports.choice_tables import margin_text, percent_text, relative_size, signed_digits, size_share
from thresher.reports.formatting import exact_number, fixed, megabytes, percent, signed
from thresher.reports.tables import MEASURE_DECIMALS


def choice_sentences(choice: Choice) -> Iterator[str]:
    """Give, for each retrieval model, the recommendation and why, what it is worth elsewhere, and what it saves."""
    models = judged(choice)
    for model in models:
        main = model.main
        opening = f"{main.retrieval}: " if len(models) > 1 else ""
        saved = next((item for item in choice.savings if item.retrieval == main.retrieval), None)
        sentences = [_recommendation(main), *_beyond(main)]
        sentences += [_elsewhere(main, pick) for pick in main.picks]
        sentences += _other_measures(main, model.others)
        sentences += [_saved(saved)] if saved else []
        yield from (opening + sentence for sentence in sentences)
    yield from (f"Mind: {notice}." for notice in choice.notices)


def _recommendation(decision: Decision) -> str:
    place, many = decision.recommended, len(decision.candidates)
    if decision.topics < MINIMUM:
        return (
            f"Inconclusive: {decision.topics} topics are too few for a verdict, at least {MINIMUM} are needed. Stay with the "
            f"baseline.{_needed(decision)}"
        )
    loss = f"whose loss of {decision.measure} is shown to be less than {margin_text(decision)}"
    if place is None:
        return (
            f"Inconclusive: of {many} {_cutoffs(many)} there is none {loss}. Stay with the baseline.{_needed(decision)}"
        )
    found = decision.verdicts[place]
    emptied = decision.documents - decision.candidates[place].documents
    left = f" It leaves {emptied:,} of {decision.documents:,} documents without text." if emptied else ""
    return (
        f"Recommended: {decision.candidates[place].name}, the smallest of {many} {_cutoffs(many)} {loss}: "
        f"{_share(decision, place)}, {decision.measure} {_value(decision.means[place])}, a difference of "
        f"{_signed(found.difference)} that is above {_signed(found.low)} with {percent_text(1 - decision.alpha)} confidence "
        f"for all {many} at once.{left}"
    )


def _beyond(decision: Decision) -> Iterator[str]:
    """Say what smaller indexes would need, where one is recommended; what knee there is."""
    place = decision.recommended
    if place is not None:
        limit = decision.candidates[place].size
        nearest = _nearest(decision, limit)
        if nearest is not None:
            name, needed = decision.candidates[nearest].name, decision.verdicts[nearest].topics_needed
            yield (
                f"Smaller ones are not refuted: {name} ({_share(decision, nearest)}) would need {needed} topics, were its "
                "difference and spread what they are here."
            )


def _needed(decision: Decision) -> str:
    nearest = _nearest(decision, decision.baseline_size)
    if nearest is None:
        return " No number of topics would show it of a smaller index, were the differences what they are here."
    name, needed = decision.candidates[nearest].name, decision.verdicts[nearest].topics_needed
    return (
        f" Of those with a smaller index than the baseline's, {name} ({_share(decision, nearest)}) would need the fewest "
        f"topics, {needed}, were its difference and spread what they are here."
    )


def _nearest(decision: Decision, limit: float) -> int | None:
    """Return the place of the inconclusive candidate below that size which needs the fewest topics."""
    places = [
        place
        for place, found in enumerate(decision.verdicts)
        if found.verdict is Verdict.INCONCLUSIVE
        and found.topics_needed is not None
        and decision.candidates[place].size < limit
    ]
    return min(
        places,
        key=lambda place: (decision.verdicts[place].topics_needed, decision.candidates[place].size),
        default=None,
    )


def _elsewhere(decision: Decision, pick: Pick) -> str:
    rule = "The same rule" if pick.rule is RuleName.SMALLEST else f"The {pick.rule}"
    name = "the baseline" if pick.place is None else decision.candidates[pick.place].name
    picked = "" if pick.rule is RuleName.SMALLEST else f", {name} on all topics,"
    found = pick.comparison
    worth = (
        f"{_value(pick.held_out)} against {_value(pick.held_out - found.difference)} of the baseline (difference "
        f"{_signed(found.difference)}, interval {_signed(found.ci_low)} to {_signed(found.ci_high)})"
    )
    if decision.held_out_topics:
        return (
            f"The {pick.rule} of the {decision.topics} topics, {name}, has {worth} on the {decision.held_out_topics} "
            f"held-out topics; the best pick of those themselves promises {_signed(pick.optimism)} beyond that."
        )
    again = ""
    if pick.share is not None:
        size = size_share(decision, pick.held_out_size)
        again = f"; {percent(pick.share)} % of the trainings pick the same, and their picks have {percent(size)} % of the size"
    return (
        f"{rule}{picked} is worth {worth} on topics that had no part in picking ({decision.repeats} × {decision.folds}-fold "
        f"cross-validation), {_value(abs(pick.optimism))} {'less' if pick.optimism >= 0 else 'more'} than the "
        f"{_value(pick.apparent)} of its own topics{again}."
    )


def _other_measures(main: Decision, others: tuple[Decision, ...]) -> Iterator[str]:
    place = main.recommended
    if place is None or not others:
        return
    name = main.candidates[place].name
    verdicts = []
    for decision in others:
        found = decision.verdicts[place]
        verdicts.append(f"{decision.measure} {found.verdict} (difference {_signed(found.difference)})")
    yield f"In the other measures, each at its own margin, {name} is: {'; '.join(verdicts)}."


def _saved(saved: Savings) -> str:
    held = f"{percent(saved.share)} % of the baseline's postings"
    if saved.bytes is not None:
        held = f"{signed_digits(megabytes(round(saved.bytes)))} MB of index ({percent(saved.share)} %)"
    opening = f"Over {exact_number(saved.queries)} queries {saved.variant} saves {held}"
    if saved.query_seconds is None or saved.extra_seconds is None or saved.break_even is None:
        return f"{opening}; what it saves in time is known once the experiment has been run."
    more = "more" if saved.extra_seconds >= 0 else "less"
    emitted = (
        "an amount of CO₂ below resolution" if saved.co2_kg is None else f"{signed_digits(saved.co2_kg)} kg of CO₂"
    )
    source = "measured" if saved.measured else f"estimated from {saved.indexes} indexes that were built"
    return (
        f"{opening} and {signed_digits(saved.query_seconds)} s of searching, for {signed_digits(abs(saved.extra_seconds))} s "
        f"{more} of cleaning and building: {emitted}. It has paid off {saved.break_even.note} (times {source})."
    )


def _share(decision: Decision, place: int) -> str:
    kind = {SizeKind.ESTIMATED: "bytes (estimated)", SizeKind.BYTES: "bytes", SizeKind.POSTINGS: "postings"}
    return f"{percent(relative_size(decision, place))} % of the baseline's {kind[decision.size_kind]}"


def _cutoffs(count: int) -> str:
    return "cutoff" if count == 1 else "cutoffs"


def _value(value: float) -> str:
    return fixed(value, MEASURE_DECIMALS)


def _signed(value: float) -> str:
    return signed(value, MEASURE_DECIMALS)
